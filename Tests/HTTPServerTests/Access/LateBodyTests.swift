import API
import Domain
import Foundation
import Hummingbird
import NIOCore
import Testing

@testable import HTTPServer

/// The server reads a request's token before its body. Meanwhile, the owner may end the session, or
/// an administrator may lock the account.
@Suite struct LateBodyTests {
    private static let alert: AlertID = id(7)

    private let server: TestServer
    private let ada: Person
    private let tablet: Person

    init() async throws {
        server = try TestServer()
        ada = try await server.person("Ada", number: "+4915100000001")
        tablet = try await server.signIn("+4915100000001", device: "Tablet")
    }

    enum Act: CaseIterable, Sendable { case rename, checkIn, setPicture, endAlert }

    private func request(_ act: Act) throws -> (method: String, path: String, content: Content) {
        switch act {
        case .rename: ("PATCH", "/v1/me", .json(#"{"name":"Eve"}"#))
        case .checkIn:
            (
                "PUT", "/v1/check-ins/\(id(8) as CheckInID)",
                .json(#"{"occurredAt":"\#(Timestamp.text(noon))"}"#)
            )
        case .setPicture:
            ("PUT", "/v1/me/picture", Content(type: "image/png", bytes: try Pictures.png()))
        case .endAlert: ("POST", "/v1/alerts/\(Self.alert)/end", .json("{}"))
        }
    }

    /// Sends a request of the tablet.
    /// - Parameter action: what happens after the head has arrived and before the body.
    private func status(
        _ method: String, _ path: String, _ content: Content,
        afterHead action: @escaping @Sendable () async throws -> Void
    ) async throws -> Int {
        let whole = try server.request(method, path, content, token: tablet.token)
        let body = LateBody(bytes: content.bytes, action: action)
        let late = Request(head: whole.head, body: RequestBody(asyncSequence: body))
        return try await server.respond(late, server.context(on: try server.channel())).status.code
    }

    private func endTablet() async throws {
        try await server.network.signIn.endSession(tablet.session, of: ada.caller)
    }

    @Test(arguments: Act.allCases)
    func bodyAfterTheSessionsEndChangesNothing(act: Act) async throws {
        try await server.call(Routes.raiseAlert, id: "\(Self.alert)", by: ada)
        let (method, path, content) = try request(act)
        #expect(try await status(method, path, content) { try await endTablet() } == 401)
        let profile = try await server.call(Routes.profile, by: ada)
        #expect(profile.name == "Ada" && profile.lastCheckInTime == nil)
        #expect(profile.profilePictureURL == nil)
        #expect(try await server.call(Routes.alert, id: "\(Self.alert)", by: ada).isActive)
    }

    @Test(arguments: Act.allCases)
    func bodyThatIsLateCounts(act: Act) async throws {
        try await server.call(Routes.raiseAlert, id: "\(Self.alert)", by: ada)
        let (method, path, content) = try request(act)
        #expect(try await status(method, path, content) {} == 200)
    }

    enum LockedAct: CaseIterable, Sendable { case invite, addContact, addSource, setPicture }

    private func request(
        _ act: LockedAct, code: String
    ) throws -> (method: String, path: String, content: Content) {
        switch act {
        case .invite:
            (
                "POST", "/v1/invitations",
                .json(#"{"name":"Mia","phoneNumber":"+4915100000003"}"#)
            )
        case .addContact:
            (
                "POST", "/v1/contacts",
                .json(#"{"code":"\#(code)","isResponder":true,"isDependent":true}"#)
            )
        case .addSource: ("POST", "/v1/sources", .json(#"{"name":"Door tag"}"#))
        case .setPicture:
            ("PUT", "/v1/me/picture", Content(type: "image/png", bytes: try Pictures.png()))
        }
    }

    @Test(arguments: LockedAct.allCases)
    func bodyAfterTheLockChangesNothing(act: LockedAct) async throws {
        let ben = try await server.person("Ben", number: "+4915100000002")
        let code = try await server.call(Routes.qrCode, by: ben).id
        let (method, path, content) = try request(act, code: code)
        let sent = try await status(method, path, content) {
            _ = try await server.network.administration.lock(
                "\(ada.id)", reason: "Spam", by: "root")
        }
        #expect(sent == 423)
        #expect(try await server.call(Routes.invitations, by: ada).items.isEmpty)
        #expect(try await server.call(Routes.contacts, by: ada).items.isEmpty)
        #expect(try await server.call(Routes.sources, by: ada).items.isEmpty)
        #expect(try await server.call(Routes.profile, by: ada).profilePictureURL == nil)
    }

    /// A call for help is never refused for this.
    @Test func callForHelpAfterTheSessionsEndCounts() async throws {
        let path = "/v1/alerts/\(Self.alert)"
        let sent = try await status("PUT", path, .json("{}")) { try await endTablet() }
        #expect(sent == Routes.raiseAlert.endpoint.status)
        #expect(try await server.call(Routes.alert, id: "\(Self.alert)", by: ada).isActive)
    }
}

private struct LateBody: AsyncSequence, Sendable {
    let bytes: Data
    let action: @Sendable () async throws -> Void

    struct AsyncIterator: AsyncIteratorProtocol {
        var rest: LateBody?

        mutating func next() async throws -> ByteBuffer? {
            guard let body = rest else { return nil }
            rest = nil
            try await body.action()
            return ByteBuffer(bytes: body.bytes)
        }
    }

    func makeAsyncIterator() -> AsyncIterator { AsyncIterator(rest: self) }
}
