import ComposableArchitecture
import ServiceLifecycle

/// Writes keep-alives and puts idle sessions to sleep every 15 seconds. Ends all sessions when the
/// server stops.
public struct PageSessionsService<Feature: Reducer & SendableMetatype, Resources: PageResources>:
    Service
where Feature.State: Equatable & Sendable, Feature.Action: Sendable {
    private let sessions: PageSessions<Feature, Resources>

    public init(sessions: PageSessions<Feature, Resources>) { self.sessions = sessions }

    public func run() async throws {
        await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                try? await sessions.backend.clock.sleep(KeepAlive.pause)
                if !Task.isCancelled { await sessions.tick() }
            }
        }
        await sessions.close()
    }
}

enum KeepAlive {
    /// The time between two keep-alives on a page's stream. The script reconnects when it has
    /// missed two of them.
    static let pause: Duration = .seconds(15)
}
