import ClientsLive
import Foundation
import Synchronization

/// A clock that a test advances. The test can wait until tasks are sleeping.
final class ManualClock: Clock {
    struct Instant: InstantProtocol {
        var offset: Duration
        func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
        func duration(to other: Instant) -> Duration { other.offset - offset }
        static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }
    }

    private struct Sleeper {
        var deadline: Instant
        var continuation: CheckedContinuation<Void, any Error>
    }

    private struct State {
        var now = Instant(offset: .zero)
        var sleepers: [Int: Sleeper] = [:]
        var cancelled: Set<Int> = []
        var next = 0
        var watchers: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []

        mutating func satisfied() -> [CheckedContinuation<Void, Never>] {
            let count = sleepers.count
            let satisfied = watchers.filter { $0.count <= count }
            watchers.removeAll { $0.count <= count }
            return satisfied.map(\.continuation)
        }
    }

    private let state = Mutex(State())

    var now: Instant { state.withLock { $0.now } }
    var minimumResolution: Duration { .nanoseconds(1) }
    var client: ClientClock { ClientClock(self) }

    /// How long each sleeper still has to sleep, shortest first.
    var waits: [Duration] {
        state.withLock { state in
            state.sleepers.values.map { $0.deadline.offset - state.now.offset }.sorted()
        }
    }

    func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        let id = state.withLock { state in
            state.next += 1
            return state.next
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation {
                (continuation: CheckedContinuation<Void, any Error>) in
                let (result, watchers) = state.withLock {
                    state -> (Result<Void, any Error>?, [CheckedContinuation<Void, Never>]) in
                    if state.cancelled.remove(id) != nil {
                        return (.failure(CancellationError()), [])
                    }
                    if deadline <= state.now { return (.success(()), []) }
                    state.sleepers[id] = Sleeper(deadline: deadline, continuation: continuation)
                    return (nil, state.satisfied())
                }
                if let result { continuation.resume(with: result) }
                for watcher in watchers { watcher.resume() }
            }
        } onCancel: {
            let sleeper = state.withLock { state in
                let sleeper = state.sleepers.removeValue(forKey: id)
                if sleeper == nil { state.cancelled.insert(id) }
                return sleeper
            }
            sleeper?.continuation.resume(throwing: CancellationError())
        }
    }

    /// Returns once at least this many tasks are sleeping.
    func sleepers(_ count: Int = 1) async {
        await withCheckedContinuation { continuation in
            let watchers = state.withLock { state in
                state.watchers.append((count, continuation))
                return state.satisfied()
            }
            for watcher in watchers { watcher.resume() }
        }
    }

    func advance(by duration: Duration) {
        let due = state.withLock { state in
            state.now = state.now.advanced(by: duration)
            let due = state.sleepers.filter { $0.value.deadline <= state.now }
            for id in due.keys { state.sleepers[id] = nil }
            return due.values.sorted { $0.deadline < $1.deadline }
        }
        for sleeper in due { sleeper.continuation.resume() }
    }
}

extension ManualClock {
    /// Waits until a task sleeps, then advances the clock to the end of the shortest sleep. Returns
    /// the length of that sleep.
    @discardableResult
    func pass() async -> Duration {
        await sleepers()
        let wait = waits.first ?? .zero
        advance(by: wait)
        return wait
    }
}
