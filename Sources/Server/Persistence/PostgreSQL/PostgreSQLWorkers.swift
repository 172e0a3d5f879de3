import Domain
import Foundation
import Synchronization

/// Threads that each own a connection and do one job after the other. libpq's calls block, and must
/// not hold the threads of Swift's tasks.
///
/// A thread takes a job when it has a connection, so that jobs wait for those that have one, and
/// none for a thread that can't get one.
final class PostgreSQLWorkers: Sendable {
    /// Something to be done on a connection, at most once. `fail` is called instead of `run` when
    /// there is no connection.
    struct Job: Sendable {
        var waitingSince: ContinuousClock.Instant
        /// It fails after this moment, if no thread has or gets a connection.
        var isPatientUntil: ContinuousClock.Instant
        var run: @Sendable (PostgreSQLConnection) -> Void
        var fail: @Sendable (DatabaseError) -> Void
    }

    private struct State {
        var waiting: [Job] = []
        /// Threads that sleep, with a connection and without one.
        var idle: [DispatchSemaphore] = []
        var spare: [DispatchSemaphore] = []
        var connected: Set<ObjectIdentifier> = []
        var connecting = 0
        /// How many tries to connect have failed in a row, and why.
        var failures = 0
        var failure: DatabaseError?
        var nextTry = ContinuousClock.now
        var isClosed = false
        var isExpiryPlanned = false

        var isFinished: Bool { isClosed && waiting.isEmpty }

        /// Wakes the thread that was busy last: the connections of the others may end.
        mutating func wakeOne() { (idle.popLast() ?? spare.popLast())?.signal() }

        /// Removes jobs, which are to fail.
        mutating func remove(where isLate: (Job) -> Bool) -> [Job] {
            let late = waiting.filter(isLate)
            waiting.removeAll(where: isLate)
            if isFinished { wakeOne() }
            return late
        }
    }

    private let state = Mutex(State())
    private let limit: Duration
    private let place: String
    private let pause: @Sendable (Int) -> Duration
    private let timer: DispatchQueue
    private let threads = DispatchGroup()

    /// - Parameters:
    ///   - count: how many threads, and connections at most. Each opens its connection when it is
    ///     needed.
    ///   - limit: how long a job waits for a free connection.
    ///   - pause: before another try to connect, after so many failures in a row.
    init(
        _ name: String, count: Int, of address: PostgreSQLAddress, within limit: Duration,
        pause: @escaping @Sendable (Int) -> Duration,
        worker: @escaping @Sendable () -> PostgreSQLWorker
    ) {
        self.limit = limit
        self.pause = pause
        place = address.description
        // A serial queue, because on Linux concurrent ones share the threads of Swift's tasks.
        timer = DispatchQueue(label: "\(name) expiry")
        for index in 0..<count {
            threads.enter()
            let thread = Thread { [self] in
                work(worker())
                threads.leave()
            }
            thread.name = "\(name) \(index)"
            thread.stackSize = 1 << 20
            thread.start()
        }
    }

    /// Does `body` on one of the threads.
    /// - Parameter end: it fails after this moment, if no thread has or gets a connection.
    func run<Value: Sendable>(
        patientUntil end: ContinuousClock.Instant,
        _ body: @escaping @Sendable (PostgreSQLConnection) throws -> Value
    ) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            let job = Job(
                waitingSince: .now, isPatientUntil: end,
                run: { connection in continuation.resume(with: Result { try body(connection) }) },
                fail: { continuation.resume(throwing: $0) })
            let isOpen = state.withLock { state in
                guard !state.isClosed else { return false }
                state.waiting.append(job)
                state.wakeOne()
                return true
            }
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
        let wait = max(.zero, deadline - .now)
        timer.asyncAfter(deadline: .now() + .milliseconds(Int(wait.milliseconds) + 1)) { [self] in
            let now = ContinuousClock.now
            let (late, failure) = state.withLock { state in
                state.isExpiryPlanned = false
                return (state.remove { $0.waitingSince + limit <= now }, state.failure)
            }
            for job in late { job.fail(failure ?? noFreeConnection) }
            planExpiry()
        }
    }

    private var noFreeConnection: DatabaseError {
        .unreachable(
            path: place, reason: "no connection became free in time: raise --database-connections")
    }

    /// How long the oldest job has been waiting.
    var oldest: Duration {
        state.withLock { state in
            state.waiting.first.map { ContinuousClock.now - $0.waitingSince } ?? .zero
        }
    }

    /// Finishes what waits, and ends the threads.
    func close() {
        state.withLock { state in
            state.isClosed = true
            state.wakeOne()
        }
        threads.wait()
    }

    /// Waits without holding a thread, also in a task that was cancelled.
    func wait(_ pause: Duration) async {
        await withCheckedContinuation { continuation in
            timer.asyncAfter(deadline: .now() + .microseconds(Int(pause / .microseconds(1)))) {
                continuation.resume()
            }
        }
    }

    // MARK: Threads

    private func work(_ worker: PostgreSQLWorker) {
        let thread = DispatchSemaphore(value: 0)
        while !state.withLock({ $0.isFinished }) {
            if let connection = worker.usable {
                if let job = nextJob(for: thread) { job.run(connection) } else { thread.wait() }
            } else if let start = turnToConnect(for: thread) {
                Thread.sleep(forTimeInterval: max(.zero, start - .now) / .seconds(1))
                connect(worker)
            } else {
                thread.wait()
            }
        }
        state.withLock { $0.wakeOne() }
    }

    /// A job for a thread with a connection; nil if it has to sleep until it is woken.
    private func nextJob(for thread: DispatchSemaphore) -> Job? {
        state.withLock { state in
            state.connected.insert(ObjectIdentifier(thread))
            guard !state.waiting.isEmpty else {
                state.idle.append(thread)
                if state.isClosed { state.wakeOne() }
                return nil
            }
            let job = state.waiting.removeFirst()
            if !state.waiting.isEmpty { state.wakeOne() }
            return job
        }
    }

    /// The moment at which a thread without a connection opens one; nil if it has to sleep until it
    /// is woken. After a failure one thread tries for all.
    private func turnToConnect(for thread: DispatchSemaphore) -> ContinuousClock.Instant? {
        state.withLock { state in
            state.connected.remove(ObjectIdentifier(thread))
            let isOthers = state.failures > 0 && state.connecting > 0
            guard !state.waiting.isEmpty, state.idle.isEmpty, !isOthers else {
                if !state.waiting.isEmpty { state.idle.popLast()?.signal() }
                state.spare.append(thread)
                if state.isFinished { state.wakeOne() }
                return nil
            }
            state.connecting += 1
            return state.nextTry
        }
    }

    private func connect(_ worker: PostgreSQLWorker) {
        do throws(DatabaseError) {
            try worker.reconnect()
            state.withLock { state in
                state.connecting -= 1
                state.failures = 0
                state.failure = nil
                state.nextTry = .now
            }
        } catch {
            let now = ContinuousClock.now
            let late = state.withLock { state -> [Job] in
                state.connecting -= 1
                state.failures += 1
                state.failure = error
                state.nextTry = now + pause(state.failures)
                guard state.connected.isEmpty else { return [] }
                let isClosed = state.isClosed
                return state.remove { isClosed || $0.isPatientUntil <= now }
            }
            for job in late { job.fail(error) }
        }
    }
}
