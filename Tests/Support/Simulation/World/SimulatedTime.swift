import Domain
import Foundation
import Synchronization

/// The true time, which only the simulator advances, and a machine's clock that may be wrong.
final class SimulatedTime: Sendable {
    /// 1 March 2026, 12:00 UTC.
    static let start = Date(milliseconds: 1_772_366_400_000)

    private struct State {
        var now = SimulatedTime.start
        var wallError: Duration = .zero
    }
    private let state = Mutex(State())

    var now: Date { state.withLock { $0.now } }

    var wall: Date { state.withLock { $0.now.adding($0.wallError) } }

    /// The time since the start of the world, which can't be set.
    var monotonic: Duration { now.since(Self.start) }

    func advance(to time: Date) { state.withLock { $0.now = max($0.now, time) } }

    func setWallError(_ error: Duration) { state.withLock { $0.wallError = error } }
}
