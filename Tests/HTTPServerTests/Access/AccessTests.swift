import API
import Domain
import Foundation
import SchemaValidation
import Testing

@testable import HTTPServer

/// Calls every route that concerns Olga's data, in every role.
@Suite struct AccessTests {
    /// The expected statuses for: not signed in, stranger, dependent, responder, Olga herself.
    static let table: [String: [Int]] = [
        "sendCode": [202, 202, 202, 202, 202], "signIn": [201, 201, 201, 201, 201],
        "refreshTokens": [200, 200, 200, 200, 200],
        "getSignInOptions": [200, 200, 200, 200, 200],
        "listSessions": [401, 200, 200, 200, 200], "endSession": [401, 404, 404, 404, 204],
        "signOut": [401, 204, 204, 204, 204],
        "getProfile": [401, 200, 200, 200, 200], "updateProfile": [401, 200, 200, 200, 200],
        "deleteAccount": [401, 204, 204, 204, 204],
        "sendDeletionCode": [401, 422, 422, 422, 422],
        "sendNumberCode": [401, 202, 202, 202, 202],
        "exportAccount": [401, 200, 200, 200, 200], "putPicture": [401, 200, 200, 200, 200],
        "deletePicture": [401, 200, 200, 200, 200],
        "getPicture": [401, 404, 200, 200, 200], "changePhoneNumber": [401, 200, 200, 200, 200],
        "getEmail": [401, 200, 200, 200, 200], "setEmail": [401, 503, 503, 503, 503],
        "confirmEmail": [401, 422, 422, 422, 422], "deleteEmail": [401, 204, 204, 204, 204],
        "updateCheckInSettings": [401, 200, 200, 200, 200],
        // Olga has an open alert.
        "pause": [401, 200, 200, 200, 422], "endPause": [401, 200, 200, 200, 200],
        // Only Dan has a responder and no journey.
        "startJourney": [401, 422, 200, 422, 422], "extendJourney": [401, 404, 404, 404, 200],
        "endJourney": [401, 404, 404, 404, 200],
        // Changes nothing, because no backup was restored.
        "resendJourney": [401, 200, 200, 200, 200],
        "getQRCode": [401, 200, 200, 200, 200], "renewQRCode": [401, 200, 200, 200, 200],
        "getQRCodePicture": [401, 200, 200, 200, 200],
        "getQRCodeOwner": [401, 200, 200, 200, 200],
        "getQRCodeName": [200, 200, 200, 200, 200], "decodeQRCode": [401, 200, 200, 200, 200],
        "checkIn": [401, 200, 200, 200, 200], "listCheckIns": [401, 200, 200, 200, 200],
        "listSources": [401, 200, 200, 200, 200], "addSource": [401, 201, 201, 201, 201],
        "removeSource": [401, 404, 404, 404, 204],
        "checkInBySource": [200, 200, 200, 200, 200],
        "listContacts": [401, 200, 200, 200, 200],
        "addContact": [401, 201, 409, 409, 422], "changeRoles": [401, 404, 200, 200, 404],
        "removeContact": [401, 404, 204, 204, 404],
        "removeContactQuietly": [401, 404, 204, 403, 404],
        "acceptResponder": [401, 404, 200, 404, 404],
        "declineResponder": [401, 404, 409, 204, 404],
        "acceptDependent": [401, 404, 404, 200, 404],
        "declineDependent": [401, 404, 204, 409, 404],
        "listBlocks": [401, 200, 200, 200, 200], "block": [401, 404, 200, 200, 404],
        "unblock": [401, 404, 404, 404, 404],
        "listInvitations": [401, 200, 200, 200, 200], "invite": [401, 503, 503, 503, 503],
        "withdrawInvitation": [401, 404, 404, 404, 404],
        "ping": [401, 404, 403, 200, 404], "listPings": [401, 200, 200, 200, 200],
        "respondToPing": [401, 404, 404, 404, 200],
        "respondToAllPings": [401, 200, 200, 200, 200], "clearPing": [401, 404, 404, 200, 404],
        "listDrills": [401, 200, 200, 200, 200], "startDrill": [401, 422, 200, 422, 422],
        "stopDrill": [401, 404, 404, 404, 404], "answerDrill": [401, 404, 404, 404, 404],
        "raiseAlert": [401, 200, 200, 200, 200], "listAlerts": [401, 200, 200, 200, 200],
        "getAlert": [401, 404, 404, 200, 200], "openAlert": [401, 404, 404, 204, 204],
        "orderResponders": [401, 422, 204, 422, 422],
        "endAlert": [401, 404, 404, 403, 200], "acknowledgeAlert": [401, 404, 404, 200, 403],
        "declineAlert": [401, 404, 404, 200, 403],
        "issueAlertPass": [401, 201, 201, 201, 201],
        "withdrawAcknowledgement": [401, 404, 404, 200, 403],
        "reportOnAlert": [401, 404, 404, 200, 403],
        "resumeAlert": [401, 404, 404, 200, 200],
        "listNotifications": [401, 200, 200, 200, 200],
        "readNotification": [401, 404, 404, 404, 204],
        "readAllNotifications": [401, 204, 204, 204, 204],
        "deleteNotification": [401, 404, 404, 404, 204],
        "deleteAllNotifications": [401, 204, 204, 204, 204],
        "getNotificationPreferences": [401, 200, 200, 200, 200],
        "updateNotificationPreferences": [401, 200, 200, 200, 200],
        "saveDevice": [401, 200, 200, 200, 200],
        "listDevices": [401, 200, 200, 200, 200],
        "testDevice": [401, 404, 404, 404, 204],
        "deleteDevice": [401, 404, 404, 404, 204], "streamEvents": [401, 200, 200, 200, 200],
        "getPushKey": [401, 200, 200, 200, 200], "enterReceipt": [204, 204, 204, 204, 204],
        "requestPasskeySignIn": [200, 200, 200, 200, 200],
        // Nobody has a passkey.
        "signInByPasskey": [422, 422, 422, 422, 422],
        "listPasskeys": [401, 200, 200, 200, 200],
        "requestNewPasskey": [401, 200, 200, 200, 200],
        "addPasskey": [401, 422, 422, 422, 422],
        "renamePasskey": [401, 404, 404, 404, 404],
        "removePasskey": [401, 404, 404, 404, 404],
        "getSignInSecurity": [401, 200, 200, 200, 200],
        "lockSignIn": [401, 200, 200, 200, 200], "unlockSignIn": [401, 200, 200, 200, 200],
        "stopSignInWait": [401, 404, 404, 404, 404],
        "makeRecoveryCodes": [401, 201, 201, 201, 201],
        "listAdministratorActs": [401, 200, 200, 200, 200],
        "stopNumberMove": [401, 404, 404, 404, 404],
        "live": [200, 200, 200, 200, 200], "ready": [200, 200, 200, 200, 200],
        "metrics": [200, 200, 200, 200, 200], "openAPI": [200, 200, 200, 200, 200],
    ]

    @Test func tableHasExactlyTheRoutes() {
        #expect(Set(Self.table.keys) == Set(Routes.all.map(\.operationID)))
        for (route, statuses) in Self.table {
            #expect(statuses.count == Role.allCases.count, "\(route)")
        }
    }

    @Test(arguments: Routes.all.map(\.operationID)) func everyRoleGetsTheStatusInTheTable(
        operationID: String
    ) async throws {
        let endpoint = try #require(Routes.all.first { $0.operationID == operationID })
        let statuses = try #require(Self.table[operationID])
        for (role, status) in zip(Role.allCases, statuses) {
            let answer = try await Scene().call(endpoint, as: role)
            #expect(answer.status == status, "\(role): \(answer.text.prefix(300))")
            #expect(
                ([endpoint.status] + endpoint.allErrors.map(\.status)).contains(answer.status),
                "\(role): not in the document")
            #expect(answer.violations(of: endpoint) == [], "\(role)")
        }
    }

    /// A user can't find out whether another person's id exists.
    @Test(
        arguments: Routes.all.filter { $0.path.contains("{id}") && $0.errors.contains(.notFound) }
            .map(\.operationID))
    func foreignObjectsLookLikeMissingOnes(operationID: String) async throws {
        let endpoint = try #require(Routes.all.first { $0.operationID == operationID })
        let scene = try await Scene()
        let unknown = "00000000-0000-4000-8000-0000000000ff"
        let ofCodes = [Routes.qrCodeOwner.endpoint, Routes.qrCodeName.endpoint]
        guard !ofCodes.contains(endpoint), endpoint != Routes.ping.endpoint else { return }
        let theirs = try #require(try await scene.call(endpoint, as: .stranger).problem)
        let none = try #require(try await scene.call(endpoint, as: .stranger, id: unknown).problem)
        #expect(theirs.code == .notFound)
        #expect(
            theirs.code == none.code && theirs.detail == none.detail && theirs.field == none.field
                && theirs.title == none.title)
    }

    @Test func pingDoesNotRevealWhetherAPersonExists() async throws {
        let scene = try await Scene()
        func ping(_ dependent: UserID) async throws -> Problem {
            let content = try Content.json(PingRequest(dependentID: dependent))
            return try #require(
                try await scene.server.send(
                    "PUT", "/v1/pings/\(id(5) as PingID)", content, token: scene.sam.token
                ).problem)
        }
        #expect(try await ping(scene.olga.id).detail == ping(id(0xFF)).detail)
    }
}

extension Answer {
    /// Describes each difference between the answer and the API document.
    func violations(of endpoint: Endpoint) -> [String] {
        guard status == endpoint.status else { return problemViolations() }
        switch endpoint.output {
        case .none: return body.isEmpty ? [] : ["there is a body"]
        case .json(let schema):
            guard header("Content-Type") == "application/json", let json else { return ["no JSON"] }
            return schema.violations(in: json)
        case .bytes(let types, _):
            return types.contains(header("Content-Type") ?? "") && !body.isEmpty
                ? [] : ["no picture"]
        case .text(let type):
            return header("Content-Type")?.hasPrefix(type) == true && !body.isEmpty
                ? [] : ["no text"]
        }
    }

    func problemViolations() -> [String] {
        guard header("Content-Type") == Problem.contentType, let json, let problem else {
            return ["no problem document"]
        }
        return Problem.schema.violations(in: json)
            + (problem.status == status && problem.code.status == status
                ? [] : ["the status is not the one of the code"])
            + (problem.requestID == header("X-Request-ID") ? [] : ["the request has two ids"])
            + (problem.detail.isEmpty ? ["no detail"] : [])
    }
}
