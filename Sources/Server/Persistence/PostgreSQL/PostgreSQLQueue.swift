import Foundation

/// The jobs that wait for a connection, and the threads that wait for a job.
struct PostgreSQLQueue {
    /// A job that needs a connection and runs at most once. `fail` is called instead of `run` if no
    /// connection is available.
    struct Job: Sendable {
        var waitingSince: ContinuousClock.Instant
        /// The time when the job fails if no thread has a connection.
        var isPatientUntil: ContinuousClock.Instant
        var demand: Demand
        var run: @Sendable (PostgreSQLConnection) -> Void
        var fail: @Sendable (DatabaseError) -> Void
    }

    /// The subjects of a job. Of two jobs with a common subject, the younger one waits in this
    /// queue instead of occupying a connection while it waits for a lock.
    struct Demand: Sendable {
        var keys: Set<Subjects.Key> = []
        /// True if the job may run on the threads reserved for the server itself.
        var isOfServer = true
    }

    /// The maximum number of threads that run jobs other than the server's own.
    var ordinaryThreads: Int
    var ordinary = 0
    var busy: Set<Subjects.Key> = []
    var waiting: [Job] = []
    /// Sleeping threads: `idle` ones have a connection, `spare` ones have none.
    var idle: [DispatchSemaphore] = []
    var spare: [DispatchSemaphore] = []
    var connected: Set<ObjectIdentifier> = []
    var connecting = 0
    /// The number of consecutive failed connection attempts. `failure` is the last error.
    var failures = 0
    var failure: DatabaseError?
    var nextTry = ContinuousClock.now
    var isClosed = false
    var isExpiryPlanned = false

    var isFinished: Bool { isClosed && waiting.isEmpty }

    var isAnyoneAsleep: Bool { !idle.isEmpty || !spare.isEmpty }

    /// Returns the sleeping thread that was busy most recently. The other threads stay unused, so
    /// that their connections can be closed.
    mutating func oneToWake() -> DispatchSemaphore? { idle.popLast() ?? spare.popLast() }

    mutating func wakeOne() { oneToWake()?.signal() }

    /// Wakes all threads with a connection, after one of them turned out to be dead. They test
    /// their connections at the same time, so that no job waits for one test after the other.
    mutating func wakeIdle() {
        for thread in idle { thread.signal() }
        idle = []
    }

    /// The index of the oldest job that no other job blocks. Jobs about the same subject keep their
    /// order.
    var unhindered: Int? {
        var taken = busy
        return waiting.firstIndex { job in
            let isFree = job.demand.keys.isDisjoint(with: taken)
            if !isFree { taken.formUnion(job.demand.keys) }
            return isFree
        }
    }

    /// The index of the job that a thread would take.
    var ready: Int? {
        hasOrdinaryThread ? unhindered : waiting.firstIndex(where: \.demand.isOfServer)
    }

    private var hasOrdinaryThread: Bool { ordinary < ordinaryThreads }

    /// Adds a job. Returns the thread to wake for it; nil if no thread may take it yet. In that
    /// case, a thread that finishes another job takes it.
    mutating func append(_ job: Job) -> DispatchSemaphore? {
        waiting.append(job)
        return job.demand.isOfServer || hasOrdinaryThread ? oneToWake() : nil
    }

    /// Returns the time when the oldest job will have waited for `limit` and fails; nil if its
    /// expiry is already planned.
    mutating func planExpiry(after limit: Duration) -> ContinuousClock.Instant? {
        guard !isExpiryPlanned, let first = waiting.first else { return nil }
        isExpiryPlanned = true
        return first.waitingSince + limit
    }

    mutating func take() -> Job? {
        guard let ready else { return nil }
        let job = waiting.remove(at: ready)
        busy.formUnion(job.demand.keys)
        if !job.demand.isOfServer { ordinary += 1 }
        return job
    }

    mutating func finish(_ demand: Demand) {
        busy.subtract(demand.keys)
        if !demand.isOfServer { ordinary -= 1 }
    }

    /// Removes jobs and returns them, for the caller to fail them.
    mutating func remove(where isLate: (Job) -> Bool) -> [Job] {
        let late = waiting.filter(isLate)
        waiting.removeAll(where: isLate)
        if isFinished { wakeOne() }
        return late
    }
}
