import Domain
import Features
import Foundation
import HTTPServer
import Hummingbird
import LivePages
import ServiceLifecycle

/// LifeSignal's pages on a server: routes for its router, and a service that runs beside it.
public struct WebServer: Sendable {
    private let sessions: WebSessions<AppFeature>
    private let routes: WebRoutes<AppFeature>

    /// - Parameters:
    ///   - publicURL: the server's URL for browsers.
    ///   - otherURLs: further addresses, which browsers may use, too.
    ///   - largeBodies: the memory that uploaded files share with the API's pictures.
    public init(
        backend: WebBackend, publicURL: URL, otherURLs: [URL] = [],
        largeBodies: LargeBodies = LargeBodies()
    ) {
        sessions = WebSessions(
            app: .lifeSignal(publicURL: publicURL, time: backend.clock.time), backend: backend)
        routes = WebRoutes(
            sessions: sessions, publicURL: publicURL, otherURLs: otherURLs, paths: WebPath.all,
            largeBodies: largeBodies, question: .aboutUnsentAlert,
            delivered: {
                .screen(.presented(.main(.home(.checkIn(.checkInDelivered($0))))))
            })
    }

    /// Keeps streams alive and suspends idle sessions.
    public var service: any Service { PageSessionsService(sessions: sessions) }

    public func addRoutes(to router: Router<LifeSignalContext>) { routes.add(to: router) }

    /// Returns the user and session of a page's request, for the rate limits. Nil for other
    /// requests, and while the page's session is suspended.
    public func caller(of request: Request) async -> Caller? { await routes.caller(of: request) }
}
