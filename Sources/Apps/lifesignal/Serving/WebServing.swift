import ClientsLive
import Domain
import Foundation
import HTTPServer
import Hummingbird
import InProcessTransport
import Logging
import SafetyNetwork
import Web

extension WebBackend {
    /// Returns the backend for the web app's sessions on this server. The sessions' cookies are
    /// database rows. The API's own router answers their requests.
    /// - Parameter api: answers the routes of the API but no pages, so that requests can't loop.
    static func serving<Responder: HTTPResponder>(
        _ network: SafetyNetwork, api: Responder, time: @escaping @Sendable () -> Date,
        logger: Logger
    ) -> WebBackend
    where Responder.Context == LifeSignalContext {
        WebBackend(
            resume: { secret in
                do {
                    return SessionTokens(try await network.webSessions.resumeWebSession(secret))
                } catch CommandError.unauthenticated {
                    return nil
                }
            },
            bind: { try await network.webSessions.bindWebSession($0, to: $1) },
            connect: { address, credentials in
                var options = Connection.Options()
                options.timeZone = { credentials.timeZone }
                options.languages = { credentials.languages }
                return Connection(
                    transport: InProcessTransport(
                        api, address: address, logger: logger,
                        whenSeen: credentials.sight.whenSeen),
                    store: credentials, clock: .session, options: options)
            },
            clock: .init(time: time)
        )
    }
}

extension SessionTokens {
    fileprivate init(_ tokens: IssuedTokens) {
        self.init(
            accessToken: tokens.accessToken.text, refreshToken: tokens.refreshToken.text,
            userID: tokens.caller.userID, sessionID: tokens.caller.sessionID)
    }
}
