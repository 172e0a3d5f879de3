import ClientsLive
import ComposableArchitecture
import Cryptography
import Domain
import Foundation
import LivePages

/// One browser, signed in or about to sign in, with its connection to the API.
typealias WebSession<Feature: Reducer & SendableMetatype> = PageSession<Feature, SessionResources>
where Feature.State: Equatable & Sendable, Feature.Action: Sendable

typealias WebSessions<Feature: Reducer & SendableMetatype> = PageSessions<Feature, SessionResources>
where Feature.State: Equatable & Sendable, Feature.Action: Sendable

/// The functions that the web app needs from its server.
public typealias WebBackend = PageBackend<SessionResources>

extension PageBackend where Resources == SessionResources {
    /// - Parameters:
    ///   - resume: returns new tokens for the session that is bound to a cookie's secret; nil
    ///     without such a session.
    ///   - bind: binds a secret to a session.
    ///   - connect: makes the connection to the API for a session whose browser has this address.
    public init(
        resume: @escaping @Sendable (Token) async throws -> SessionTokens?,
        bind: @escaping @Sendable (Token, Caller) async throws -> Void,
        connect: @escaping @Sendable (_ address: String, Credentials) -> Connection,
        makeToken: @escaping @Sendable () -> Token = { RandomBytes.system.token() },
        clock: PageClock
    ) {
        let resources: @Sendable (Visitor, Credentials) -> SessionResources = { visitor, own in
            own.note(languages: visitor.languages)
            return SessionResources(
                credentials: own, connection: connect(visitor.address, own),
                browserName: BrowserName.of(userAgent: visitor.userAgent))
        }
        self.init(
            resume: { secret, visitor in
                try await resume(secret).map { resources(visitor, Credentials($0)) }
            },
            begin: { resources($0, Credentials()) },
            bind: bind, makeToken: makeToken, clock: clock)
    }
}
