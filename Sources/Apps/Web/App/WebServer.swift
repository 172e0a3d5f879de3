import Features
import Foundation
import HTTPServer
import Hummingbird
import LivePages
import ServiceLifecycle

/// LifeSignal's pages on a server: the routes to add to its router, and what has to run beside it.
public struct WebServer: Sendable {
    private let sessions: WebSessions<AppFeature>
    private let publicURL: URL
    private let trustsProxy: Bool

    /// - Parameters:
    ///   - publicURL: under which browsers reach the server.
    ///   - trustsProxy: the last entry of X-Forwarded-For is believed.
    public init(backend: WebBackend, publicURL: URL, trustsProxy: Bool = false) {
        sessions = WebSessions(
            app: .lifeSignal(publicURL: publicURL, time: backend.clock.time), backend: backend)
        self.publicURL = publicURL
        self.trustsProxy = trustsProxy
    }

    /// Keeps streams alive, and puts sessions to sleep.
    public var service: any Service { PageSessionsService(sessions: sessions) }

    public func addRoutes(to router: Router<LifeSignalContext>) {
        WebRoutes(
            sessions: sessions, publicURL: publicURL, paths: WebPath.all,
            trustsProxy: trustsProxy, question: .aboutUnsentAlert
        ).add(to: router)
    }
}
