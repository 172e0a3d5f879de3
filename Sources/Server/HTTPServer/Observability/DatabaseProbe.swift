import Persistence
import Synchronization

/// Checks whether the database accepts writes. Answers in time even if the database hangs.
public final class DatabaseProbe: Sendable {
    private static let stuckWrite: Duration = .seconds(5)
    /// The maximum wait for a probe. `/health/ready` must answer within a second.
    private static let patience: Duration = .milliseconds(500)
    private static let lateCommits = "commits to the database do not end: is a replica gone?"
    private static let shortOfSpace = "the disk of the database is full: it refuses some writes"

    private let database: any DatabaseEngine
    /// The probe in progress, which all callers share. Each probe is a write, so one per caller
    /// could overload the queue of writes.
    private let running = Mutex<Task<Void, Never>?>(nil)

    public init(_ database: any DatabaseEngine) { self.database = database }

    /// Returns the reasons why no check-in can be stored, as texts for the operator.
    public func problems() async -> [String] {
        let health = database.health
        let waiting = health.oldestWaiting
        // A probe would wait behind the other writes.
        guard waiting <= Self.stuckWrite else {
            let cause = health.lastFailure.map { "; the last error: \($0)" } ?? ""
            return ["the database is stuck: a write waits for \(waiting)\(cause)"]
                + (health.commitsAreLate ? [Self.lateCommits] : [])
        }
        if health.lastFailure != nil || health.isShortOfSpace || health.commitsAreLate {
            await probe()
        }
        let found = database.health
        if found.commitsAreLate { return [Self.lateCommits] }
        if let lostFile = found.lostFile { return [lostFile] }
        switch found.lastFailure {
        case nil: return []
        case .some(let failure) where failure.isOfFullDisk:
            return ["the database can't be written: its disk is full"]
        case .some: return ["the database can't be written"]
        }
    }

    /// Returns why the heartbeat must stop: no check-in can be stored, some alerts can't, or the
    /// lock file is lost.
    public func alarms() async -> [String] {
        let health = database.health
        return await problems() + (health.isShortOfSpace ? [Self.shortOfSpace] : [])
            + [health.lockWarning].compactMap(\.self)
    }

    /// Statements that fail permanently, a disk without room for some writes, and a lost lock file.
    /// They are warnings because another server couldn't do more, or because check-ins are stored.
    public var warnings: [String] {
        let health = database.health
        return health.refusals.map { "statements fail: \($0)" }
            + (health.isShortOfSpace ? [Self.shortOfSpace] : [])
            + [health.lockWarning].compactMap(\.self)
    }

    /// Waits for the probe, but at most `patience`.
    private func probe() async {
        let probe = running.withLock { running in
            if let running { return running }
            let new = Task {
                try? await database.probe()
                self.running.withLock { $0 = nil }
            }
            running = new
            return new
        }
        let (ends, continuation) = AsyncStream.makeStream(of: Void.self)
        let waiting = Task {
            await probe.value
            continuation.yield()
        }
        let timer = Task {
            try? await Task.sleep(for: Self.patience)
            continuation.yield()
        }
        for await _ in ends { break }
        waiting.cancel()
        timer.cancel()
    }
}
