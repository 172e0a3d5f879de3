import Foundation

/// Jobs that wait for a connection, and threads that wait for a job.
struct PostgreSQLQueue {
    /// A job that needs a connection. Either `run` or `fail` is called, once.
    struct Job: Sendable {
        var waitingSince: ContinuousClock.Instant
        /// When no thread has a connection, the job fails after this time.
        var isPatientUntil: ContinuousClock.Instant
        var demand: Demand
        var run: @Sendable (PostgreSQLConnection) -> Void
        var fail: @Sendable (DatabaseError) -> Void
    }

    /// The subjects of a job. A job waits in this queue while an older job has a common subject. So
    /// no job occupies a connection while it waits for a lock.
    struct Demand: Sendable {
        var keys: Set<Subjects.Key> = []
        /// True if the job may use the threads reserved for the server's own work.
        var isOfServer = true
    }

    /// The maximum number of threads that run jobs other than the server's own.
    var ordinaryThreads: Int
    var ordinary = 0
    var busy: Set<Subjects.Key> = []
    var waiting: [Job] = []
    /// Sleeping threads: `idle` ones have a connection, `spare` ones don't.
    var idle: [DispatchSemaphore] = []
    var spare: [DispatchSemaphore] = []
    var connected: Set<ObjectIdentifier> = []
    var connecting = 0
    /// The number of consecutive failed connection attempts. `failure` is the last error.
    var failures = 0
    var failure: DatabaseError?
    var nextTry = ContinuousClock.now
    /// When a job last left its connection intact, so that the database had answered.
    var lastAnswer: ContinuousClock.Instant?
    var isClosed = false
    var isExpiryPlanned = false

    var isFinished: Bool { isClosed && waiting.isEmpty }

    var isAnyoneAsleep: Bool { !idle.isEmpty || !spare.isEmpty }

    /// Returns the sleeping thread that was busy most recently.
    mutating func oneToWake() -> DispatchSemaphore? { idle.popLast() ?? spare.popLast() }

    mutating func wakeOne() { oneToWake()?.signal() }

    /// Wakes all threads with a connection after one connection turned out to be dead. They probe
    /// their connections at the same time instead of one after the other.
    mutating func wakeIdle() {
        for thread in idle { thread.signal() }
        idle = []
    }

    /// The index of the oldest job that shares no subject with a running or older job.
    var unhindered: Int? {
        var taken = busy
        return waiting.firstIndex { job in
            let isFree = job.demand.keys.isDisjoint(with: taken)
            if !isFree { taken.formUnion(job.demand.keys) }
            return isFree
        }
    }

    var ready: Int? {
        hasOrdinaryThread ? unhindered : waiting.firstIndex(where: \.demand.isOfServer)
    }

    private var hasOrdinaryThread: Bool { ordinary < ordinaryThreads }

    /// Adds a job. Returns the thread to wake for it; nil if a busy thread has to finish first.
    mutating func append(_ job: Job) -> DispatchSemaphore? {
        waiting.append(job)
        return job.demand.isOfServer || hasOrdinaryThread ? oneToWake() : nil
    }

    /// Returns when the oldest job exceeds `limit` and fails; nil if its expiry is already planned.
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

    /// Removes jobs and returns them, so that the caller can fail them.
    mutating func remove(where isLate: (Job) -> Bool) -> [Job] {
        let late = waiting.filter(isLate)
        waiting.removeAll(where: isLate)
        if isFinished { wakeOne() }
        return late
    }
}
