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
        /// The end of the current sleep by the sleep's own clock.
        var end: ContinuousClock.Instant?
        /// Whether `noteNews` was called since a sleep last began.
        var hasNews = false
        var lastNews: ContinuousClock.Instant?
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

    /// Ends the current sleep if it would last longer than `pause`. The next sleep is short, too
    /// (`sleep`). So news that came without another wake-up waits at most `pause`.
    func noteNews(sleepingAtMost pause: Duration) {
        let now = ContinuousClock.now
        let sleeper = state.withLock { state -> CheckedContinuation<Void, Never>? in
            (state.hasNews, state.lastNews) = (true, now)
            guard let end = state.end, end > now + pause else { return nil }
            defer { state.sleeper = nil }
            return state.sleeper
        }
        sleeper?.resume()
    }

    var isAsleep: Bool { state.withLock { $0.sleeper != nil } }

    /// - Parameters:
    ///   - pauseAfterNews: the longest duration if `noteNews` was called since the last sleep
    ///     began, or less than this long ago. So a sleep ends soon after news, whatever other
    ///     wake-ups follow them.
    ///   - planned: the server's time at the end of the sleep; nil if unknown.
    func sleep(
        for duration: Duration, orAfterNews pauseAfterNews: Duration? = nil, until planned: Date?
    ) async {
        var timer: Task<Void, Never>?
        await withCheckedContinuation { continuation in
            let sleep = state.withLock { state -> (number: Int, duration: Duration)? in
                if state.isPending {
                    state.isPending = false
                    return nil
                }
                let now = ContinuousClock.now
                let most = pauseAfterNews ?? duration
                let isSoon = state.hasNews || state.lastNews.map { now - $0 < most } ?? false
                let length = isSoon ? min(duration, most) : duration
                state.hasNews = false
                state.sleeper = continuation
                state.planned = planned?.adding(length - duration)
                state.end = now + length
                state.sleep += 1
                return (number: state.sleep, duration: length)
            }
            guard let sleep else { return continuation.resume() }
            timer = Task {
                try? await Task.sleep(for: sleep.duration, clock: .continuous)
                end(sleep.number)
            }
        }
        // Many wake-ups in a row must not leave a timer each.
        timer?.cancel()
        state.withLock { ($0.planned, $0.end) = (nil, nil) }
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
