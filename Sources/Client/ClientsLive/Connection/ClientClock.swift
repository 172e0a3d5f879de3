import Foundation

/// Time as the live clients see it: a monotonic clock that can be waited on, given and never found.
public struct ClientClock: Sendable {
    /// Since a moment of the clock's own.
    public var now: @Sendable () -> Duration
    public var sleep: @Sendable (Duration) async throws -> Void

    public init<Source: Clock<Duration>>(_ clock: Source) {
        let start = clock.now
        now = { start.duration(to: clock.now) }
        sleep = { try await clock.sleep(until: clock.now.advanced(by: $0), tolerance: nil) }
    }

    public static var continuous: ClientClock { ClientClock(ContinuousClock()) }
}
