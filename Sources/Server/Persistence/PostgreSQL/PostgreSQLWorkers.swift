import Domain
import Foundation
import Synchronization

/// Threads that each own a connection and do one job after the other. libpq's calls block, and must
/// not hold the threads of Swift's tasks.
final class PostgreSQLWorkers: Sendable {
    /// Something to be done on a connection, at most once. `fail` is called instead of `run` when
    /// there is no connection.
    struct Job: Sendable {
        var waitingSince: ContinuousClock.Instant
        var run: @Sendable (PostgreSQLWorker) -> Void
        var fail: @Sendable (DatabaseError) -> Void
    }

    private struct State {
        var waiting: [Job] = []
        var running: [ObjectIdentifier: ContinuousClock.Instant] = [:]
        var isClosed = false
        var living = 0
        var isExpiryPlanned = false
    }

    // Only Foundation's condition lets a thread wait. It guards `state`, whose own lock is never
    // held while waiting.
    private let condition = NSCondition()
    private let state = Mutex(State())
    private let name: String
    private let limit: Duration
    private let place: String
    private let expiry: DispatchQueue

    /// - Parameters:
    ///   - count: how many threads, and connections at most. Each opens its connection when its
    ///     first job comes.
    ///   - limit: how long a job waits for a free connection.
    init(
        _ name: String, count: Int, of address: PostgreSQLAddress, within limit: Duration,
        worker: @escaping @Sendable () -> PostgreSQLWorker
    ) {
        self.name = name
        self.limit = limit
        place = address.description
        // A serial queue, because on Linux concurrent ones share the threads of Swift's tasks.
        expiry = DispatchQueue(label: "\(name) expiry")
        state.withLock { $0.living = count }
        for index in 0..<count {
            let thread = Thread { [self] in
                work(worker())
                condition.lock()
                state.withLock { $0.living -= 1 }
                condition.broadcast()
                condition.unlock()
            }
            thread.name = "\(name) \(index)"
            thread.stackSize = 1 << 20
            thread.start()
        }
    }

    /// Does `body` on one of the threads.
    func run<Value: Sendable>(
        _ body: @escaping @Sendable (PostgreSQLWorker) throws -> Value
    ) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            let job = Job(
                waitingSince: .now,
                run: { worker in continuation.resume(with: Result { try body(worker) }) },
                fail: { continuation.resume(throwing: $0) })
            condition.lock()
            let isOpen = state.withLock { state in
                if !state.isClosed { state.waiting.append(job) }
                return !state.isClosed
            }
            condition.signal()
            condition.unlock()
            if isOpen { planExpiry() } else { job.fail(.closed) }
        }
    }

    /// Fails jobs that no connection has become free for in time: all threads may hang in calls of
    /// their own, so that none of them can.
    private func planExpiry() {
        let deadline = state.withLock { state -> ContinuousClock.Instant? in
            guard !state.isExpiryPlanned, let first = state.waiting.first else { return nil }
            state.isExpiryPlanned = true
            return first.waitingSince + limit
        }
        guard let deadline else { return }
        let pause = max(.zero, deadline - .now)
        expiry.asyncAfter(deadline: .now() + .milliseconds(Int(pause.milliseconds) + 1)) { [self] in
            let now = ContinuousClock.now
            let late = state.withLock { state -> ArraySlice<Job> in
                state.isExpiryPlanned = false
                let late = state.waiting.prefix { $0.waitingSince + limit <= now }
                state.waiting.removeFirst(late.count)
                return late
            }
            for job in late { job.fail(noFreeConnection) }
            planExpiry()
        }
    }

    private var noFreeConnection: DatabaseError {
        .unreachable(
            path: place, reason: "no connection became free in time: raise --database-connections")
    }

    /// How long the oldest job has been waiting or running.
    var oldest: Duration {
        state.withLock { state in
            let since =
                [state.waiting.first?.waitingSince].compactMap(\.self) + state.running.values
            return since.min().map { ContinuousClock.now - $0 } ?? .zero
        }
    }

    /// Finishes what waits, and ends the threads.
    func close() {
        condition.lock()
        defer { condition.unlock() }
        state.withLock { $0.isClosed = true }
        condition.broadcast()
        while state.withLock({ $0.living > 0 }) { condition.wait() }
    }

    private func work(_ worker: PostgreSQLWorker) {
        let id = ObjectIdentifier(worker)
        while let job = next(id) {
            if ContinuousClock.now - job.waitingSince > limit {
                job.fail(noFreeConnection)
            } else {
                job.run(worker)
            }
            state.withLock { _ = $0.running.removeValue(forKey: id) }
        }
    }

    private func next(_ id: ObjectIdentifier) -> Job? {
        condition.lock()
        defer { condition.unlock() }
        while true {
            let (job, isClosed) = state.withLock { state -> (Job?, Bool) in
                guard !state.waiting.isEmpty else { return (nil, state.isClosed) }
                let job = state.waiting.removeFirst()
                state.running[id] = job.waitingSince
                return (job, false)
            }
            if let job { return job }
            if isClosed { return nil }
            condition.wait()
        }
    }
}
