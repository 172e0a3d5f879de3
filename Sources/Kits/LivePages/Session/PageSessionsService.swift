import ComposableArchitecture
import ServiceLifecycle

/// Keeps streams alive and puts idle sessions to sleep while the server runs; ends all sessions
/// when it stops.
public struct PageSessionsService<Feature: Reducer & SendableMetatype, Resources: PageResources>:
    Service
where Feature.State: Equatable & Sendable, Feature.Action: Sendable {
    private let sessions: PageSessions<Feature, Resources>

    public init(sessions: PageSessions<Feature, Resources>) { self.sessions = sessions }

    public func run() async throws {
        await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                try? await sessions.backend.clock.sleep(.seconds(15))
                if !Task.isCancelled { await sessions.tick() }
            }
        }
        await sessions.close()
    }
}
