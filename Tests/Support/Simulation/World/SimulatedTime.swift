import Domain
import Foundation
import Synchronization

/// The true time, which only the simulator advances, and a machine's clock that may be wrong.
final class SimulatedTime: Sendable {
    /// At noon UTC. Within a month of most of them, clocks change in some zone of `Step.Place`.
    private static let starts: [Int64] = [
        1_772_366_400_000,  // 1 March 2026: Europe, New York; Casablanca on the 22nd
        1_774_612_800_000,  // 27 March 2026: Europe, Lord Howe, Auckland
        1_790_251_200_000,  // 24 September 2026: Auckland, Lord Howe
        1_792_584_000_000,  // 21 October 2026: Europe, New York
        1_801_828_800_000,  // 5 February 2027: Casablanca
        1_804_939_200_000,  // 13 March 2027: New York, Casablanca, Europe
        1_781_524_800_000,  // 15 June 2026: nowhere
    ]

    /// Returns the time at which the world of a seed begins.
    static func start(of seed: UInt64) -> Date {
        Date(milliseconds: starts[Int(seed % UInt64(starts.count))])
    }

    let start: Date

    private struct State {
        var now: Date
        var wallError: Duration = .zero
        /// By how many millionths the machine's clock runs fast, and the true time since when.
        var drift: (perMillion: Int64, since: Date)?

        var drifted: Duration {
            guard let drift else { return .zero }
            return .milliseconds(now.since(drift.since).milliseconds * drift.perMillion / 1_000_000)
        }
    }
    private let state: Mutex<State>

    init(start: Date) {
        self.start = start
        state = Mutex(State(now: start))
    }

    var now: Date { state.withLock { $0.now } }

    var wall: Date { state.withLock { $0.now.adding($0.wallError + $0.drifted) } }

    var isDrifting: Bool { state.withLock { $0.drift != nil } }

    /// The time since the start of the world, which can't be set.
    var monotonic: Duration { now.since(start) }

    func advance(to time: Date) { state.withLock { $0.now = max($0.now, time) } }

    /// Sets the machine's clock, which then runs evenly.
    func setWallError(_ error: Duration) {
        state.withLock { state in
            state.wallError = error
            state.drift = nil
        }
    }

    /// Lets a clock that is right run fast, or slow if negative.
    func setDrift(perMillion: Int) {
        state.withLock { state in
            state.wallError = .zero
            state.drift = (perMillion: Int64(perMillion), since: state.now)
        }
    }
}
