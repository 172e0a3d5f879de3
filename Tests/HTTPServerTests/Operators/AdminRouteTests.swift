import API
import Domain
import Foundation
import Hummingbird
import RequestsInProcess
import Testing

@testable import HTTPServer

/// The commands of `lifesignal admin` as they arrive through the local socket.
@Suite struct AdminRouteTests {
    private static let owner: UInt32 = 1000

    private let server: TestServer
    private let ada: Person

    init() async throws {
        server = try TestServer()
        ada = try await server.person("Ada", number: "+4915100000001")
    }

    /// - Parameter user: the user at the other end of the socket; nil if the system doesn't say it.
    private func send(
        _ content: Content, as user: UInt32? = AdminRouteTests.owner, method: String = "POST",
        path: String = AdminSocket.route
    ) async throws -> Answer {
        let desk = AdminDesk(
            server.network, phoneNumbers: PhoneNumberCheck { _ in true },
            test: { AdminDone(message: "Sent by \($0.rawValue) to \($1).") },
            health: { Health(warnings: ["the disk is nearly full"]) })
        let responder = AdminRoutes.router(desk, owner: Self.owner) { _ in user }.buildResponder()
        let response = try await responder.respond(
            to: try server.request(method, path, content),
            context: server.context(on: try server.channel()))
        return Answer(
            status: response.status.code, headers: response.headers,
            body: try await response.collectedBody())
    }

    private func send(
        _ request: AdminRequest, as user: UInt32? = AdminRouteTests.owner
    ) async throws -> Answer {
        try await send(try .json(request), as: user)
    }

    @Test func ownerGetsAnAnswer() async throws {
        for user in [Self.owner, 0, nil] as [UInt32?] {
            let answer = try await send(.people(search: "ada", after: nil, limit: 50), as: user)
            #expect(answer.status == 200)
            let people = try WireJSON.decoder().decode(AdminPeople.self, from: answer.body)
            #expect(people.people.map(\.id) == [ada.id])
        }
    }

    @Test func doctorReadsTheServersHealth() async throws {
        let answer = try await send(.health)
        let health = try WireJSON.decoder().decode(Health.self, from: answer.body)
        #expect(health == Health(warnings: ["the disk is nearly full"]))
    }

    @Test func anotherUserIsRefused() async throws {
        let answer = try await send(.lock(number: "\(ada.id)", reason: "Spam"), as: 1001)
        #expect(answer.status == 403 && answer.problem?.code == .permissionDenied)
        #expect(answer.problem?.detail == AdminSocket.otherUser)
        #expect(try await server.network.administration.log(about: nil).entries.isEmpty)
    }

    @Test func actIsLoggedWithTheUser() async throws {
        let answer = try await send(.lock(number: "+49 151 00000001", reason: "Spam"), as: 0)
        #expect(answer.status == 200)
        let acts = try await server.call(Routes.administratorActs, by: ada).items
        #expect(acts.map(\.kind) == [.lock] && acts.map(\.doneBy) == ["root"])
    }

    @Test func refusalNamesWhatIsWrong() async throws {
        let answer = try await send(.lock(number: "+4915100000001", reason: " "))
        #expect(answer.status == 422 && answer.problem?.field == "reason")
        let unknown = try await send(.person(number: "+4915100000009"))
        #expect(unknown.status == 404)
    }

    @Test(arguments: ["{", "{}", #"{"reboot":{}}"#, "[]"])
    func unknownCommandIsRefused(body: String) async throws {
        let answer = try await send(Content.json(body))
        #expect(answer.status == 422 && answer.problem?.field == "body")
    }

    @Test(arguments: AdminTestChannel.allCases)
    func testOfAMalformedAddressIsNotLogged(channel: AdminTestChannel) async throws {
        let answer = try await send(.test(channel: channel, to: "nowhere", reason: "Setup"))
        #expect(answer.status == 422)
        #expect(try await server.network.administration.log(about: nil).entries.isEmpty)
    }

    @Test func testShowsTheProvidersAnswer() async throws {
        let answer = try await send(.test(channel: .sms, to: "+49 151 1", reason: "Setup"))
        #expect(answer.status == 422)
        let sent = try await send(.test(channel: .sms, to: "+4915100000002", reason: "Setup"))
        let done = try WireJSON.decoder().decode(AdminDone.self, from: sent.body)
        #expect(done.message == "Sent by sms to +4915100000002.")
        let log = try await server.network.administration.log(about: nil).entries
        #expect(log.map(\.act.kind).contains(.test))
    }

    @Test func tokenIsMadeListedAndRevoked() async throws {
        let made = try await send(
            .invite(number: "+4915100000009", uses: 1, days: 7, note: "Eva", reason: "No SMS"))
        let invitation = try WireJSON.decoder().decode(AdminInvitation.self, from: made.body)
        let listed = try await send(.tokens)
        let tokens = try WireJSON.decoder().decode(AdminTokens.self, from: listed.body).tokens
        #expect(tokens.map(\.id) == [invitation.id] && tokens.first?.isUsable == true)
        #expect(!listed.text.contains(invitation.link.lastPathComponent))
        #expect(try await send(.revoke(id: "\(invitation.id)", reason: "Lost")).status == 200)
        #expect(try await send(.revoke(id: "\(invitation.id)", reason: "Lost")).status == 404)
        let log = try await server.network.administration.log(about: nil).entries
        #expect(Set(log.map(\.act.kind)) == [.invite, .revoke])
    }

    @Test(arguments: [(0, 7), (10_001, 7), (1, 0), (1, 366), (Int.max, 7), (1, Int.max)])
    func tokenOutsideOfTheLimitsIsRefused(uses: Int, days: Int) async throws {
        let answer = try await send(
            .invite(number: nil, uses: uses, days: days, note: "", reason: "Village"))
        #expect(answer.status == 422)
        #expect(try await server.network.administration.log(about: nil).entries.isEmpty)
    }

    @Test func keyIsRotatedAndForgotten() async throws {
        let old = try TestServer.key().fingerprint
        let new = Data(repeating: 8, count: 32)
        let wrong = try await send(.rotateKey(from: old &+ 1, to: new, reason: "Yearly"))
        #expect(wrong.status == 422 && wrong.problem?.field == "keyFile")
        let short = try await send(.rotateKey(from: old, to: Data([8]), reason: "Yearly"))
        #expect(short.status == 422 && short.problem?.field == "key")
        #expect(try await send(.formerKeys).status == 404)
        for _ in 1...2 {
            let answer = try await send(.rotateKey(from: old, to: new, reason: "Yearly"))
            #expect(answer.status == 200)
        }
        #expect(try await send(.formerKeys).text.contains("recovery codes"))
        #expect(try await send(.forgetKeys(reason: "Theft")).status == 503)
        // The operator of several servers has ten minutes to copy the key.
        server.clock.advance(by: .minutes(10))
        try await server.network.keyRotation.renew()
        #expect(try await send(.forgetKeys(reason: "Theft")).status == 200)
        #expect(try await send(.forgetKeys(reason: "Theft")).status == 404)
        #expect(try await send(.formerKeys).status == 404)
        let log = try await server.network.administration.log(about: nil).entries
        #expect(log.map(\.act.kind) == [.forgetKeys, .rotateKey])
    }

    @Test func networkHasNoSuchRoute() async throws {
        let answer = try await server.send(
            "POST", AdminSocket.route, try .json(AdminRequest.stuck(after: nil)))
        #expect(answer.status == 404)
    }

    @Test func everyCommandIsAnswered() async throws {
        let commands: [AdminRequest] = [
            .stuck(after: nil), .log(number: nil, limit: 10), .person(number: "\(ada.id)"),
            .announce(text: "Hello", maintenance: nil, reason: "News"),
            .lock(number: "\(ada.id)", reason: "Spam"), .unlock(number: "\(ada.id)", reason: "No"),
            .move(number: "\(ada.id)", to: "+4915100000007", reason: "Lost"),
            .test(channel: .push, to: "\(ada.id)", reason: "Setup"),
            .delete(number: "\(ada.id)", reason: "Asked"),
        ]
        for command in commands {
            let answer = try await send(command)
            #expect(answer.status == 200, "\(command): \(answer.text)")
        }
    }

    // MARK: Locks

    @Test func lockStopsExactlyItsOperations() async throws {
        for endpoint in Routes.all where endpoint.access == .session {
            let scene = try await Scene()
            var contact: UserID?
            switch endpoint {
            // Rita is Olga's responder, and the body asks to be hers.
            case Routes.changeRoles.endpoint: contact = scene.rita.id
            case Routes.acceptRequest(.dependent).endpoint:
                contact = try await scene.ask(from: scene.rita)
            case Routes.acceptRequest(.responder).endpoint:
                contact = try await scene.ask(from: scene.dan)
            default: break
            }
            _ = try await scene.server.network.administration.lock(
                "\(scene.olga.id)", reason: "Spam", by: "root")
            let answer = try await scene.call(
                endpoint, as: .owner, id: contact.map { "\($0)" })
            #expect(
                (answer.status == 423) == endpoint.isStoppedByLock,
                "\(endpoint.operationID): \(answer.status)")
            guard answer.status == 423 else { continue }
            #expect(answer.problem?.code == .accountLocked)
            #expect(answer.problem?.detail == RefusalWords.accountLocked.detail)
        }
    }

    @Test func lockStopsAddedRolesOnly() async throws {
        let scene = try await Scene()
        _ = try await scene.server.network.administration.lock(
            "\(scene.olga.id)", reason: "Spam", by: "root")
        let roles = try ContactRoles(isResponder: false, isDependent: true)
        func change(_ person: Person) async throws -> Int {
            let path = Routes.changeRoles.endpoint.path.replacing("{id}", with: "\(person.id)")
            return try await scene.server.send(
                Routes.changeRoles.endpoint.method.rawValue, path, try .json(roles),
                token: scene.olga.token
            ).status
        }
        // Rita would become Olga's dependent. Dan is that already.
        #expect(try await change(scene.rita) == 423)
        #expect(try await change(scene.dan) == 200)
    }

    @Test func personStopsAChangeOfTheNumber() async throws {
        _ = try await send(.move(number: "\(ada.id)", to: "+4915100000007", reason: "Lost"))
        #expect(try await server.call(Routes.profile, by: ada).numberMove != nil)
        let profile = try await server.call(Routes.stopNumberMove, by: ada)
        #expect(profile.numberMove == nil && profile.phoneNumber.text == "+4915100000001")
    }
}

extension Scene {
    /// Lets a contact of Olga's ask for the role that they don't have, and returns their id.
    fileprivate func ask(from person: Person) async throws -> UserID {
        let both = try ContactRoles(isResponder: true, isDependent: true)
        _ = try await server.network.contacts.changeRoles(
            of: olga.id, to: both, by: person.caller)
        return person.id
    }
}
