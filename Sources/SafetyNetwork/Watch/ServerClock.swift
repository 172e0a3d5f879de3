import Domain
import Foundation
import Synchronization

/// The server's time. It starts as the machine's wall clock and then follows it, but never jumps: it goes by a clock that
/// cannot be set (and that goes on while a machine sleeps), and closes a gap to the wall clock by running at most 5 %
/// fast or slow. So a machine whose clock is set wrong, or is set right again, raises no false alarm and misses none:
/// whatever happens, a day of waiting takes between 22.8 and 25.3 hours.
public final class ServerClock: Sendable {
    private static let slew = 0.05
    /// A gap of this size is worth an operator's attention.
    public static let notableGap: Duration = .seconds(5)

    private struct State {
        var time: Date
        var monotonic: Duration
        var gap: Duration = .zero
    }

    private let wall: @Sendable () -> Date
    private let monotonic: @Sendable () -> Duration
    private let state: Mutex<State>

    /// - Parameters:
    ///   - wall: the machine's clock, which may be set at any time.
    ///   - monotonic: time since some fixed moment; never set, counts while the machine sleeps.
    public init(
        wall: @escaping @Sendable () -> Date = { Date() },
        monotonic: @escaping @Sendable () -> Duration = ServerClock.sinceStart()
    ) {
        self.wall = wall
        self.monotonic = monotonic
        state = Mutex(State(time: wall(), monotonic: monotonic()))
    }

    /// `ContinuousClock` as a duration since now.
    public static func sinceStart() -> @Sendable () -> Duration {
        let start = ContinuousClock.now
        return { ContinuousClock.now - start }
    }

    public func now() -> Date {
        state.withLock { state in
            let monotonic = monotonic()
            let elapsed = max(monotonic - state.monotonic, .zero)
            guard elapsed > .zero else { return Date(milliseconds: state.time.milliseconds) }
            let steady = state.time.addingTimeInterval(elapsed / .seconds(1))
            let gap = wall().timeIntervalSince(steady)
            let most = Self.slew * (elapsed / .seconds(1))
            state.time = steady.addingTimeInterval(min(max(gap, -most), most))
            state.monotonic = monotonic
            state.gap = .seconds(gap)
            return Date(milliseconds: state.time.milliseconds)
        }
    }

    /// How far the server's time may be off: the gap, however it came about. A gap below a second is the everyday one.
    public var doubt: Duration {
        let size = Duration.milliseconds(abs(gap.milliseconds))
        return size < .seconds(1) ? .zero : size
    }

    /// How far the machine's clock is ahead of the server's time; negative when it is behind.
    public var gap: Duration { state.withLock { $0.gap } }
}
