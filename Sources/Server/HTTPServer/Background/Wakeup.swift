import Domain
import Foundation
import Synchronization

/// A sleep that another task can end early. It uses a monotonic clock.
public final class Wakeup: Sendable {
    private struct State {
        var isPending = false
        var sleeper: CheckedContinuation<Void, Never>?
        /// The number of the current sleep. It keeps an earlier sleep's timer from ending this
        /// sleep.
        var sleep = 0
        var planned: Date?
    }

    private let state = Mutex(State())

    public init() {}

    /// Ends the current sleep. Without a current sleep, ends the next sleep at once.
    public func wake() {
        let sleeper = state.withLock { state -> CheckedContinuation<Void, Never>? in
            defer { state.sleeper = nil }
            if state.sleeper == nil { state.isPending = true }
            return state.sleeper
        }
        sleeper?.resume()
    }

    /// Ends the current sleep if its planned end is later than `time`.
    public func wake(at time: Date) {
        let isTooLate = state.withLock { state in state.planned.map { $0 > time } ?? true }
        if isTooLate { wake() }
    }

    var isAsleep: Bool { state.withLock { $0.sleeper != nil } }

    /// - Parameter planned: the server's time at the end of the sleep; nil if unknown.
    func sleep(for duration: Duration, until planned: Date?) async {
        await withCheckedContinuation { continuation in
            let sleep = state.withLock { state -> Int? in
                if state.isPending {
                    state.isPending = false
                    return nil
                }
                state.sleeper = continuation
                state.planned = planned
                state.sleep += 1
                return state.sleep
            }
            guard let sleep else { return continuation.resume() }
            Task {
                try? await Task.sleep(for: duration, clock: .continuous)
                end(sleep)
            }
        }
        state.withLock { $0.planned = nil }
    }

    private func end(_ sleep: Int) {
        let sleeper = state.withLock { state -> CheckedContinuation<Void, Never>? in
            guard state.sleep == sleep else { return nil }
            defer { state.sleeper = nil }
            return state.sleeper
        }
        sleeper?.resume()
    }
}
