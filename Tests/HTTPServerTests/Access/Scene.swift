import API
import Cryptography
import Domain
import Foundation
import Testing

@testable import HTTPServer

enum Role: String, CaseIterable, Sendable { case nobody, stranger, dependent, responder, owner }

/// Olga, with one object of each kind; Rita, her responder; Dan, her dependent; Sam, a stranger.
struct Scene: Sendable {
    static let pingID: PingID = id(0x10)
    static let alertID: AlertID = id(0x11)
    static let pushEndpointID: PushEndpointID = id(0x12)
    static let journeyID: JourneyID = id(0x13)
    static let otherNumber = "+4915100000099"

    let server: TestServer
    let olga, rita, dan, sam: Person
    let otherSession: Person
    let notificationID: NotificationID
    let pictureID: String
    let codeID: String
    let codeForOtherNumber: String
    let source: NewSource

    init() async throws {
        server = try TestServer()
        try await server.network.serverLife.wake()
        olga = try await server.person("Olga", number: "+4915100000001")
        rita = try await server.person("Rita", number: "+4915100000002")
        dan = try await server.person("Dan", number: "+4915100000003")
        sam = try await server.person("Sam", number: "+4915100000004")
        otherSession = try await server.signIn("+4915100000001")
        try await server.connect(responder: rita, dependent: olga)
        try await server.connect(responder: olga, dependent: dan)
        let network = server.network
        _ = try await network.checkIns.checkIn(id(1), occurredAt: noon, by: olga.caller)
        _ = try await network.pings.ping(Self.pingID, dependent: olga.id, by: rita.caller)
        _ = try await network.alerts.raiseAlert(Self.alertID, by: olga.caller)
        let journey = JourneyDraft(
            id: Self.journeyID, name: "Zugspitze", expectedReturn: noon.adding(.hours(2)))
        _ = try await network.journeys.start(journey, of: olga.caller)
        let url = try #require(URL(string: "https://example.org/hook"))
        _ = try await network.endpoints.savePushEndpoint(
            Self.pushEndpointID, kind: .webhook, url: url, of: olga.caller)
        notificationID = try #require(
            try await network.notifications.notifications(of: olga.caller, page: .init()).first
        ).id
        let profile = try await network.profiles.setPicture(
            (contentType: "image/png", bytes: try Pictures.png()), of: olga.caller)
        pictureID = try #require(profile.profilePictureURL?.lastPathComponent)
        codeID = try await network.qrCodes.qrCode(of: olga.caller).id
        source = try await network.sources.add("Kitchen button", of: olga.caller)
        let number = try PhoneNumber(Self.otherNumber)
        try await network.codes.requestCode(for: number, from: "192.0.2.1")
        codeForOtherNumber = try #require(server.codes[number])
        try await server.deadlineMonitor.handleDueDeadlines()
    }

    func person(_ role: Role) -> Person? {
        switch role {
        case .nobody: nil
        case .stranger: sam
        case .dependent: dan
        case .responder: rita
        case .owner: olga
        }
    }

    /// Calls a route that concerns Olga's data. Closes the hub before a request for a stream, so
    /// that the stream ends.
    func call(_ endpoint: Endpoint, as role: Role, id: String? = nil) async throws -> Answer {
        if endpoint == Routes.events { server.hub.close() }
        let path = endpoint.path.replacing("{id}", with: try id ?? idOfHers(for: endpoint))
            .replacing("{secret}", with: source.address.lastPathComponent)
        return try await server.send(
            endpoint.method.rawValue, path, try content(for: endpoint), token: person(role)?.token)
    }

    private func idOfHers(for endpoint: Endpoint) throws -> String {
        switch endpoint.path.split(separator: "/").dropFirst().first {
        case "auth": "\(otherSession.session)"
        case "pictures": pictureID
        case "qr-codes": codeID
        case "check-ins": "\(id(2) as CheckInID)"
        case "contacts", "blocks": "\(olga.id)"
        case "invitations": "\(id(5) as InvitationID)"
        case "pings": endpoint == Routes.ping.endpoint ? "\(id(3) as PingID)" : "\(Self.pingID)"
        case "alerts":
            endpoint == Routes.raiseAlert.endpoint ? "\(id(4) as AlertID)" : "\(Self.alertID)"
        case "drills": "\(id(5) as DrillID)"
        case "journeys": "\(Self.journeyID)"
        case "notifications": "\(notificationID)"
        case "devices": "\(Self.pushEndpointID)"
        case "sources": "\(source.source.id)"
        case "me": "\(id(5) as PasskeyID)"
        default: "none"
        }
    }

    private func content(for endpoint: Endpoint) throws -> Content? {
        switch endpoint.operationID {
        case "sendCode", "sendNumberCode": try .json(SendCodeRequest(phoneNumber: Self.otherNumber))
        case "signIn":
            try .json(
                SignInRequest(
                    phoneNumber: Self.otherNumber, code: codeForOtherNumber, deviceName: "Phone"))
        case "signInByPasskey":
            try .json(
                PasskeySignInRequest(
                    passkey: PasskeyAssertion(
                        credentialID: "AAAA", userHandle: "AAAA", clientDataJSON: "AAAA",
                        authenticatorData: "AAAA", signature: "AAAA"),
                    deviceName: "Phone"))
        case "addPasskey":
            try .json(
                AddPasskeyRequest(
                    passkey: PasskeyRegistration(
                        clientDataJSON: "AAAA", attestationObject: "AAAA"), name: "Phone"))
        case "renamePasskey": try .json(PasskeyNameRequest(name: "Phone"))
        case "refreshTokens": try .json(RefreshRequest(refreshToken: otherSession.refreshToken))
        case "updateProfile": .json(#"{"emergencyNote":"New note"}"#)
        case "setEmail": try .json(EmailRequest(address: "olga@example.org"))
        case "confirmEmail": try .json(EmailCodeRequest(code: "000000"))
        case "changePhoneNumber":
            try .json(PhoneNumberRequest(phoneNumber: Self.otherNumber, code: codeForOtherNumber))
        case "updateCheckInSettings": try .json(CheckInSettings.standard)
        case "pause": try .json(PauseRequest(until: noon.adding(.days(1))))
        case "startJourney":
            try .json(
                StartJourneyRequest(
                    id: id(6), name: "Zugspitze", expectedReturn: noon.adding(.hours(2)),
                    tellsResponders: false))
        case "extendJourney":
            try .json(
                ExtendJourneyRequest(expectedReturn: noon.adding(.hours(3)), pressedAt: noon))
        case "endJourney": try .json(EndJourneyRequest(pressedAt: noon))
        case "resendJourney":
            try .json(
                ResendJourneyRequest(
                    JourneyRecord(
                        id: id(6), name: "Zugspitze", startTime: noon,
                        expectedReturn: noon.adding(.hours(2)))))
        case "addSource": try .json(SourceRequest(name: "Door tag"))
        case "putPicture", "decodeQRCode": Content(type: "image/png", bytes: try Pictures.png())
        case "checkIn": try .json(CheckInRequest(occurredAt: noon))
        case "addContact":
            try .json(AddContactRequest(code: codeID, isResponder: true, isDependent: true))
        case "invite":
            try .json(InvitationRequest(name: "Mia", phoneNumber: Self.otherNumber))
        case "orderResponders": try .json(ResponderOrder(ids: [olga.id]))
        case "changeRoles": try .json(try ContactRoles(isResponder: true, isDependent: true))
        case "reportOnAlert": try .json(ReportRequest(report: .withThem))
        case "answerDrill": try .json(DrillAnswerRequest())
        case "ping": try .json(PingRequest(dependentID: olga.id))
        case "updateNotificationPreferences": try .json(try NotificationPreferences(muted: [.ping]))
        case "saveDevice":
            try .json(PushEndpointRequest(kind: .webhook, url: "https://example.org/other"))
        case "enterReceipt":
            try .json(
                ReceiptRequest(
                    token: ReceiptToken(
                        person: olga.id.uuid, delivery: UUID(), expiresAt: .distantFuture
                    ).text(key: try TestServer.key())))
        default: nil
        }
    }
}
