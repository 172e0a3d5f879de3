import Domain
import Foundation
import Synchronization

/// Threads that each own a connection and run one job after the other. libpq's calls block, so they
/// must not run on the threads of Swift's tasks.
///
/// Only a thread with a connection takes jobs, so no job waits while its thread connects.
final class PostgreSQLWorkers: Sendable {
    typealias Job = PostgreSQLQueue.Job
    typealias Demand = PostgreSQLQueue.Demand

    private let state: Mutex<PostgreSQLQueue>
    private let limit: Duration
    private let place: String
    private let pause: @Sendable (Int) -> Duration
    private let timer: DispatchQueue
    private let threads = DispatchGroup()

    /// - Parameters:
    ///   - count: the number of threads, and so of connections. Each thread connects when it is
    ///     first needed.
    ///   - reserve: the number of threads that only run the server's own jobs.
    ///   - limit: how long a job waits for a free connection.
    ///   - pause: returns the delay before the next connection attempt, given the number of
    ///     consecutive failures.
    init(
        _ name: String, count: Int, reserve: Int = 0, of address: PostgreSQLAddress,
        within limit: Duration,
        pause: @escaping @Sendable (Int) -> Duration,
        worker: @escaping @Sendable () -> PostgreSQLWorker
    ) {
        state = Mutex(PostgreSQLQueue(ordinaryThreads: count - reserve))
        self.limit = limit
        self.pause = pause
        place = address.description
        // A serial queue, because on Linux concurrent queues share threads with Swift's tasks.
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

    /// Runs `body` on one of the threads.
    /// - Parameter end: when no thread has a connection, the job fails after this time.
    func run<Value: Sendable>(
        about demand: Demand = Demand(), patientUntil end: ContinuousClock.Instant,
        _ body: @escaping @Sendable (PostgreSQLConnection) throws -> Value
    ) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            let job = Job(
                waitingSince: .now, isPatientUntil: end, demand: demand,
                run: { connection in continuation.resume(with: Result { try body(connection) }) },
                fail: { continuation.resume(throwing: $0) })
            let queued = state.withLock {
                state -> (thread: DispatchSemaphore?, expiry: ContinuousClock.Instant?)? in
                guard !state.isClosed else { return nil }
                return (state.append(job), state.planExpiry(after: limit))
            }
            guard let queued else { return job.fail(.closed) }
            // Signalled outside the lock, because the woken thread takes the lock at once.
            queued.thread?.signal()
            if let expiry = queued.expiry { expire(at: expiry) }
        }
    }

    /// Adds subjects to a running job. Returns false if another job is about one of them.
    func claim(_ keys: Set<Subjects.Key>) -> Bool {
        state.withLock { state in
            guard state.busy.isDisjoint(with: keys) else { return false }
            state.busy.formUnion(keys)
            return true
        }
    }

    func release(_ keys: Set<Subjects.Key>) { state.withLock { $0.busy.subtract(keys) } }

    /// Fails jobs that waited too long. A timer does this, because all threads may be blocked.
    private func expire(at deadline: ContinuousClock.Instant) {
        let wait = max(.zero, deadline - .now)
        timer.asyncAfter(deadline: .now() + .milliseconds(Int(wait.milliseconds) + 1)) { [self] in
            let now = ContinuousClock.now
            let (late, failure, busy, next) = state.withLock { state in
                state.isExpiryPlanned = false
                let late = state.remove { $0.waitingSince + limit <= now }
                let next = state.planExpiry(after: limit)
                let hasAnswered = state.lastAnswer.map { now - $0 < limit / 2 } ?? false
                let failure = state.failure ?? noConnection(hasAnswered: hasAnswered)
                return (late, failure, state.busy, next)
            }
            for job in late {
                job.fail(job.demand.keys.isDisjoint(with: busy) ? failure : .conflict)
            }
            if let next { expire(at: next) }
        }
    }

    /// - Parameter hasAnswered: whether other jobs have finished lately. More connections help only
    ///   then.
    private func noConnection(hasAnswered: Bool) -> DatabaseError {
        .unreachable(
            path: place,
            reason: hasAnswered
                ? "no connection became free in time: raise --database-connections"
                : "no connection answered in time: is it frozen, or cut off?")
    }

    /// The waiting time of the oldest job that could run if a connection were free.
    var oldest: Duration {
        state.withLock { state in
            state.unhindered.map { ContinuousClock.now - state.waiting[$0].waitingSince } ?? .zero
        }
    }

    /// The last connection error, if no thread has a connection.
    var whyNoConnection: DatabaseError? {
        state.withLock { $0.connected.isEmpty ? $0.failure : nil }
    }

    /// Finishes the queued jobs and ends the threads.
    func close() {
        state.withLock { state in
            state.isClosed = true
            state.wakeOne()
        }
        threads.wait()
    }

    /// Waits without blocking a thread. Cancelling the task doesn't end the wait.
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
        var done = Demand()
        while !isFinished(after: done) {
            done = Demand()
            if let connection = worker.usable {
                if let job = nextJob(for: thread) {
                    job.run(connection)
                    if !connection.isBroken { state.withLock { $0.lastAnswer = .now } }
                    done = job.demand
                } else {
                    thread.wait()
                }
            } else if let start = turnToConnect(worker, for: thread) {
                Thread.sleep(forTimeInterval: max(.zero, start - .now) / .seconds(1))
                connect(worker, for: thread)
            } else {
                thread.wait()
            }
        }
        state.withLock { $0.wakeOne() }
    }

    /// Marks a job as finished. Returns true if the queue is closed and empty.
    private func isFinished(after done: Demand) -> Bool {
        state.withLock { state in
            state.finish(done)
            return state.isFinished
        }
    }

    /// Returns a job for a thread with a connection; nil if the thread must sleep.
    private func nextJob(for thread: DispatchSemaphore) -> Job? {
        let (job, other) = state.withLock { state -> (Job?, DispatchSemaphore?) in
            state.connected.insert(ObjectIdentifier(thread))
            guard let job = state.take() else {
                state.idle.append(thread)
                return (nil, state.isFinished ? state.oneToWake() : nil)
            }
            return (job, state.isAnyoneAsleep && state.ready != nil ? state.oneToWake() : nil)
        }
        other?.signal()
        return job
    }

    /// Returns when a thread without a connection should connect; nil if the thread must sleep.
    /// After a failure, only one thread at a time tries to connect.
    private func turnToConnect(
        _ worker: PostgreSQLWorker, for thread: DispatchSemaphore
    ) -> ContinuousClock.Instant? {
        state.withLock { state in
            state.connected.remove(ObjectIdentifier(thread))
            if worker.didNotAnswer { state.wakeIdle() }
            let isOthers = state.failures > 0 && state.connecting > 0
            let isNeeded = state.ready != nil
            guard isNeeded, state.idle.isEmpty, !isOthers else {
                if isNeeded { state.idle.popLast()?.signal() }
                state.spare.append(thread)
                if state.isFinished { state.wakeOne() }
                return nil
            }
            state.connecting += 1
            return state.nextTry
        }
    }

    /// Connects. After a failure the thread sleeps, and another thread tries.
    private func connect(_ worker: PostgreSQLWorker, for thread: DispatchSemaphore) {
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
                state.spare.insert(thread, at: 0)
                state.wakeOne()
                guard state.connected.isEmpty, !worker.hasLateCommit else { return [] }
                let isClosed = state.isClosed
                return state.remove { isClosed || $0.isPatientUntil <= now }
            }
            for job in late { job.fail(error) }
            thread.wait()
        }
    }
}
