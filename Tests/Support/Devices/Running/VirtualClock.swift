import Foundation
import Synchronization

struct VirtualClock: Clock {
    struct Instant: InstantProtocol {
        var offset: Duration
        func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
        func duration(to other: Instant) -> Duration { other.offset - offset }
        static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }
    }

    var now: Instant { Instant(offset: Scheduler.shared.now) }
    var minimumResolution: Duration { .nanoseconds(1) }

    func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        let sleeper = Sleeper()
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation {
                (continuation: CheckedContinuation<Void, any Error>) in
                guard sleeper.begin(continuation) else { return }
                Scheduler.shared.at(deadline.offset) { sleeper.wake(nil) }
            }
        } onCancel: {
            sleeper.wake(CancellationError())
        }
    }

    private final class Sleeper: Sendable {
        private enum State {
            case ahead, asleep(CheckedContinuation<Void, any Error>), awake
        }
        private let state = Mutex(State.ahead)

        /// - Returns: false if the sleep was cancelled before its start.
        func begin(_ continuation: CheckedContinuation<Void, any Error>) -> Bool {
            let isAsleep = state.withLock { state in
                guard case .ahead = state else { return false }
                state = .asleep(continuation)
                return true
            }
            if !isAsleep { continuation.resume(throwing: CancellationError()) }
            return isAsleep
        }

        func wake(_ error: (any Error)?) {
            let continuation = state.withLock { state -> CheckedContinuation<Void, any Error>? in
                defer { state = .awake }
                if case .asleep(let continuation) = state { return continuation }
                return nil
            }
            if let error { continuation?.resume(throwing: error) } else { continuation?.resume() }
        }
    }
}
