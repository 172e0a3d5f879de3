import Foundation

/// The monotonic clock of the live clients.
public struct ClientClock: Sendable {
    /// The time since an arbitrary start.
    public var now: @Sendable () -> Duration
    public var sleep: @Sendable (Duration) async throws -> Void

    public init<Source: Clock<Duration>>(_ clock: Source) {
        let start = clock.now
        now = { start.duration(to: clock.now) }
        sleep = { try await clock.sleep(until: clock.now.advanced(by: $0), tolerance: nil) }
    }

    public static var continuous: ClientClock { ClientClock(ContinuousClock()) }
}
