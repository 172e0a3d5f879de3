import Foundation

/// The jobs that wait for a connection, and the threads that wait for a job.
struct PostgreSQLQueue {
    /// Something to be done on a connection, at most once. `fail` is called instead of `run` when
    /// there is no connection.
    struct Job: Sendable {
        var waitingSince: ContinuousClock.Instant
        /// It fails after this moment, if no thread has or gets a connection.
        var isPatientUntil: ContinuousClock.Instant
        var demand: Demand
        var run: @Sendable (PostgreSQLConnection) -> Void
        var fail: @Sendable (DatabaseError) -> Void
    }

    /// The subjects of a job. Of two jobs about the same one the younger waits here, not with a
    /// connection for a lock of the other.
    struct Demand: Sendable {
        var keys: Set<Subjects.Key> = []
        /// It may run on the threads that are kept for the server itself.
        var isOfServer = true
    }

    /// How many threads run jobs that are not the server's own, at most.
    var ordinaryThreads: Int
    var ordinary = 0
    var busy: Set<Subjects.Key> = []
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

    var isAnyoneAsleep: Bool { !idle.isEmpty || !spare.isEmpty }

    /// The sleeping thread that was busy last: the connections of the others may end.
    mutating func oneToWake() -> DispatchSemaphore? { idle.popLast() ?? spare.popLast() }

    mutating func wakeOne() { oneToWake()?.signal() }

    /// Wakes all threads that have a connection, which may be as dead as another was: they ask at
    /// the same time, and no job waits for one after the other.
    mutating func wakeIdle() {
        for thread in idle { thread.signal() }
        idle = []
    }

    /// The oldest job that no other one is in the way of. Jobs keep their order for each
    /// subject.
    var unhindered: Int? {
        var taken = busy
        return waiting.firstIndex { job in
            let isFree = job.demand.keys.isDisjoint(with: taken)
            if !isFree { taken.formUnion(job.demand.keys) }
            return isFree
        }
    }

    /// The job that a thread would take.
    var ready: Int? {
        hasOrdinaryThread ? unhindered : waiting.firstIndex(where: \.demand.isOfServer)
    }

    private var hasOrdinaryThread: Bool { ordinary < ordinaryThreads }

    /// Returns the thread to wake for it. While no thread may take it, those that end a job look
    /// for the next one themselves.
    mutating func append(_ job: Job) -> DispatchSemaphore? {
        waiting.append(job)
        return job.demand.isOfServer || hasOrdinaryThread ? oneToWake() : nil
    }

    /// When the oldest job fails that waits longer than `limit`; nil where that is planned.
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

    /// Removes jobs, which are to fail.
    mutating func remove(where isLate: (Job) -> Bool) -> [Job] {
        let late = waiting.filter(isLate)
        waiting.removeAll(where: isLate)
        if isFinished { wakeOne() }
        return late
    }
}
