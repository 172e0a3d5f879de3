import Domain
import Foundation
import SafetyNetwork
import Synchronization

/// A sleep that another task can end early (`LoopSleep`). It uses a monotonic clock.
public final class Wakeup: Sendable {
    private struct State {
        var sleep = LoopSleep()
        var sleeper: CheckedContinuation<Void, Never>?
        /// The number of the current sleep. It keeps an earlier sleep's timer from ending this
        /// sleep.
        var number = 0
    }

    private let state = Mutex(State())

    public init() {}

    /// Ends the current sleep. Without a current sleep, ends the next sleep at once.
    public func wake() { resume { $0.wake() } }

    /// Ends the current sleep if its planned end is later than `time`.
    public func wake(at time: Date) { resume { $0.wake(at: time) } }

    /// Ends the current sleep if it would last longer than `pause`.
    func noteNews(sleepingAtMost pause: Duration) {
        let now = ContinuousClock.now
        resume { $0.noteNews(at: now, sleepingAtMost: pause) }
    }

    /// Resumes the sleeper if `ends` ends the sleep.
    private func resume(if ends: (inout LoopSleep) -> Bool) {
        let sleeper = state.withLock { state -> CheckedContinuation<Void, Never>? in
            guard ends(&state.sleep) else { return nil }
            defer { state.sleeper = nil }
            return state.sleeper
        }
        sleeper?.resume()
    }

    var isAsleep: Bool { state.withLock { $0.sleeper != nil } }
    /// The server's time at the end of the current sleep; nil without one, or if unknown.
    var plannedEnd: Date? { state.withLock { $0.sleep.planned } }

    /// - Parameters:
    ///   - pauseAfterNews: see `LoopSleep.begin`.
    ///   - planned: the server's time at the end of the sleep; nil if unknown.
    func sleep(
        for duration: Duration, orAfterNews pauseAfterNews: Duration? = nil, until planned: Date?
    ) async {
        var timer: Task<Void, Never>?
        await withCheckedContinuation { continuation in
            let sleep = state.withLock { state -> (number: Int, duration: Duration)? in
                let length = state.sleep.begin(
                    for: duration, orAfterNews: pauseAfterNews, until: planned,
                    at: ContinuousClock.now)
                guard let length else { return nil }
                state.sleeper = continuation
                state.number += 1
                return (number: state.number, duration: length)
            }
            guard let sleep else { return continuation.resume() }
            timer = Task {
                try? await Task.sleep(for: sleep.duration, clock: .continuous)
                end(sleep.number)
            }
        }
        // Many wake-ups in a row must not leave a timer each.
        timer?.cancel()
        state.withLock { $0.sleep.finish() }
    }

    private func end(_ number: Int) {
        let sleeper = state.withLock { state -> CheckedContinuation<Void, Never>? in
            guard state.number == number, let sleeper = state.sleeper else { return nil }
            state.sleeper = nil
            state.sleep.finish()
            return sleeper
        }
        sleeper?.resume()
    }
}
