import ClientsLive
import Foundation
import Synchronization

/// A monotonic clock whose timers go at once when a sleep is cancelled. Those of Swift's own clock
/// stay until they are due: of a session that is put to sleep that is the next deadline of its
/// contacts, days later.
struct SessionClock: Clock {
    var now: ContinuousClock.Instant { .now }
    var minimumResolution: Duration { ContinuousClock().minimumResolution }

    func sleep(until deadline: ContinuousClock.Instant, tolerance: Duration? = nil) async throws {
        try Task.checkCancellation()
        let left = now.duration(to: deadline)
        guard left > .zero else { return }
        try await SessionSleep().run(left)
    }
}

extension ClientClock {
    /// The clock of the connection and the clients of a web session.
    public static var session: ClientClock { ClientClock(SessionClock()) }
}

/// One sleep by a timer of its own.
final class SessionSleep: Sendable {
    private struct State {
        var sleeper: CheckedContinuation<Void, any Error>?
        var timer: (any DispatchSourceTimer)?
        var isOver = false
    }

    private static let queue = DispatchQueue(label: "lifesignal.session-clock")
    private let state = Mutex(State())

    var hasBegun: Bool { state.withLock { $0.timer != nil } }

    /// Throws `CancellationError` when the task is cancelled.
    func run(_ duration: Duration) async throws {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { begin(duration, $0) }
        } onCancel: {
            end(.failure(CancellationError()))
        }
    }

    private func begin(_ duration: Duration, _ sleeper: CheckedContinuation<Void, any Error>) {
        let isCancelled = state.withLock { state in
            guard !state.isOver else { return true }
            let timer = DispatchSource.makeTimerSource(queue: Self.queue)
            timer.setEventHandler { self.end(.success(())) }
            // Whole microseconds, rounded up: nobody is woken too early.
            timer.schedule(
                deadline: .now()
                    + .microseconds(Int(min(duration / .microseconds(1), 1e15).rounded(.up))))
            timer.resume()
            (state.sleeper, state.timer) = (sleeper, timer)
            return false
        }
        if isCancelled { sleeper.resume(throwing: CancellationError()) }
    }

    private func end(_ result: Result<Void, any Error>) {
        let sleeper = state.withLock { state in
            state.isOver = true
            // Lets go of this sleep, too.
            state.timer.take()?.cancel()
            return state.sleeper.take()
        }
        sleeper?.resume(with: result)
    }
}
