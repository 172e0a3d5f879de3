import ClientsLive
import Foundation
import Synchronization

/// A monotonic clock whose cancelled sleeps free their memory at once. Swift's own clock keeps a
/// cancelled sleep until it is due. A suspended session would keep such a sleep until its contacts'
/// next deadline, for days.
struct SessionClock: Clock {
    var now: ContinuousClock.Instant { .now }
    var minimumResolution: Duration { ContinuousClock().minimumResolution }

    func sleep(until deadline: ContinuousClock.Instant, tolerance: Duration? = nil) async throws {
        try Task.checkCancellation()
        guard now < deadline else { return }
        try await SleepSchedule.shared.sleep(until: deadline)
    }
}

extension ClientClock {
    /// The clock of the connection and the clients of a web session.
    public static var session: ClientClock { ClientClock(SessionClock()) }
}

/// Sleeps that share one system timer. Thousands of sessions start a new sleep at each event. A
/// timer for each sleep would wake the system's timer thread twice.
final class SleepSchedule: Sendable {
    static let shared = SleepSchedule()

    private typealias Sleeper = CheckedContinuation<Void, any Error>

    private enum Sleep {
        case begins
        case waits(Sleeper)
    }

    private struct State {
        var queue = DeadlineQueue()
        var sleeps: [Int: Sleep] = [:]
        var lastNumber = 0
        var timer: (any DispatchSourceTimer)?
        /// The time that the timer is set to.
        var armed: ContinuousClock.Instant?
    }

    private let timers = DispatchQueue(label: "lifesignal.session-clock")
    private let state = Mutex(State())

    var counts: (sleeps: Int, entries: Int) {
        state.withLock { ($0.sleeps.count, $0.queue.count) }
    }

    deinit { state.withLock { $0.timer?.cancel() } }

    func sleep(until deadline: ContinuousClock.Instant) async throws {
        let number = state.withLock { state in
            state.lastNumber += 1
            state.sleeps[state.lastNumber] = .begins
            return state.lastNumber
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { begin(number, deadline, $0) }
        } onCancel: {
            cancel(number)
        }
    }

    private func begin(_ number: Int, _ deadline: ContinuousClock.Instant, _ sleeper: Sleeper) {
        let isCancelled = state.withLock { state in
            guard state.sleeps[number] != nil else { return true }
            state.sleeps[number] = .waits(sleeper)
            state.queue.insert(number, at: deadline)
            arm(&state)
            return false
        }
        if isCancelled { sleeper.resume(throwing: CancellationError()) }
    }

    private func cancel(_ number: Int) {
        let sleep = state.withLock { state in
            let sleep = state.sleeps.removeValue(forKey: number)
            // Rebuilding the queue occasionally costs less than removing each entry from the
            // middle.
            if state.queue.count > 2 * state.sleeps.count + 64 {
                state.queue.keep { state.sleeps[$0] != nil }
            }
            return sleep
        }
        if case .waits(let sleeper) = sleep { sleeper.resume(throwing: CancellationError()) }
    }

    private func wake() {
        let sleepers = state.withLock { state in
            state.armed = nil
            let due = state.queue.removeDue(at: .now)
            let sleeps = due.compactMap { state.sleeps.removeValue(forKey: $0) }
            arm(&state)
            return sleeps
        }
        for case .waits(let sleeper) in sleepers { sleeper.resume() }
    }

    private func arm(_ state: inout State) {
        guard let next = state.queue.first, next < state.armed ?? next + .seconds(1) else { return }
        let timer = state.timer ?? makeTimer()
        (state.timer, state.armed) = (timer, next)
        // Rounds up to whole microseconds, so that no sleep ends too early.
        let left = max(.zero, ContinuousClock.now.duration(to: next)) / .microseconds(1)
        timer.schedule(deadline: .now() + .microseconds(Int(min(left, 1e15).rounded(.up))))
    }

    private func makeTimer() -> any DispatchSourceTimer {
        let timer = DispatchSource.makeTimerSource(queue: timers)
        timer.setEventHandler { [weak self] in self?.wake() }
        timer.activate()
        return timer
    }
}
