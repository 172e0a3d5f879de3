import Domain
import Features
import Foundation
import HTTPServer
import Hummingbird
import LivePages
import ServiceLifecycle

/// LifeSignal's pages on a server: the routes to add to its router, and what has to run beside it.
public struct WebServer: Sendable {
    private let sessions: WebSessions<AppFeature>
    private let routes: WebRoutes<AppFeature>

    /// - Parameters:
    ///   - publicURL: under which browsers reach the server.
    ///   - trustsProxy: the last entry of X-Forwarded-For is believed.
    ///   - largeBodies: the memory that files share with the pictures of the API.
    public init(
        backend: WebBackend, publicURL: URL, trustsProxy: Bool = false,
        largeBodies: LargeBodies = LargeBodies()
    ) {
        sessions = WebSessions(
            app: .lifeSignal(publicURL: publicURL, time: backend.clock.time), backend: backend)
        routes = WebRoutes(
            sessions: sessions, publicURL: publicURL, paths: WebPath.all,
            trustsProxy: trustsProxy, largeBodies: largeBodies, question: .aboutUnsentAlert)
    }

    /// Keeps streams alive, and puts sessions to sleep.
    public var service: any Service { PageSessionsService(sessions: sessions) }

    public func addRoutes(to router: Router<LifeSignalContext>) { routes.add(to: router) }

    /// The user of a page's request, for the limits of requests; nil for any other request, and
    /// while the page's session sleeps.
    public func user(of request: Request) async -> UserID? { await routes.user(of: request) }
}
