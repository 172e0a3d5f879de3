import Foundation

/// The database driver under the queries: SQLite or PostgreSQL, with the same SQL statements.
public protocol DatabaseEngine: Sendable {
    /// The server's clock. Each transaction takes its `now` from it.
    var now: @Sendable () -> Date { get }

    /// True if other servers write to the same database.
    var isShared: Bool { get }

    /// Runs `body` in a transaction and returns when the commit is on the disk. If `body` throws,
    /// its changes are rolled back. `body` must not have side effects outside the transaction,
    /// because the engine may run it several times.
    /// - Parameter subjects: the people and things to lock before `body` reads, if several servers
    ///   write to the database.
    func write<Value: Sendable>(
        about subjects: Subjects, _ body: @escaping @Sendable (Transaction) throws -> Value
    ) async throws -> Value

    /// Runs `body` on one consistent snapshot of the database.
    func read<Value: Sendable>(_ body: @escaping @Sendable (any SQLConnection) throws -> Value)
        async throws -> Value

    /// Like `read`, but never waits behind callers of `read`. Only for short reads of the deadline
    /// monitor, of deliveries, and before a check-in.
    func readUrgently<Value: Sendable>(
        _ body: @escaping @Sendable (any SQLConnection) throws -> Value
    ) async throws -> Value

    /// Like `read`, but for finding the caller by a token. It has its own queue: anyone can send a
    /// flood of made-up tokens, and the flood must not delay other reads.
    func readCaller<Value: Sendable>(
        _ body: @escaping @Sendable (any SQLConnection) throws -> Value
    ) async throws -> Value

    /// Writes a consistent backup while the database is in use.
    func backUp(to path: String) throws

    var health: DatabaseHealth { get }

    /// Writes a row without meaning, to find out whether a failed disk works again.
    func probe() async throws

    /// The last note that was left with `leave`, also by an earlier process; nil without one.
    var lifeNote: LifeNote? { get }

    /// Keeps a note for the next process, without a transaction and without a flush. Returns false
    /// if the note can't be kept.
    func leave(_ note: LifeNote) -> Bool

    /// Finishes the queued writes and closes the file.
    func close() throws
}

extension DatabaseEngine {
    public func readUrgently<Value: Sendable>(
        _ body: @escaping @Sendable (any SQLConnection) throws -> Value
    ) async throws -> Value {
        try await read(body)
    }

    public func readCaller<Value: Sendable>(
        _ body: @escaping @Sendable (any SQLConnection) throws -> Value
    ) async throws -> Value {
        try await readUrgently(body)
    }

    public var lifeNote: LifeNote? { nil }
    public func leave(_ note: LifeNote) -> Bool { false }

    /// Returns the last recorded time of the servers, from this state or from a later note; nil
    /// without a recorded time.
    public func clockMemory(_ state: ServerState) -> ClockMemory? {
        state.clock.map { lifeNote?.extending($0) ?? $0 }
    }
}

public struct DatabaseHealth: Sendable {
    /// The waiting time of the oldest queued write, or of the oldest running commit.
    public var oldestWaiting: Duration
    /// Why the last commit failed, or why the database can't be reached. A successful commit sets
    /// it to nil.
    public var lastFailure: DatabaseError?
    /// The reasons why the database currently refuses some statements.
    public var refusals: [String] = []
    public var refusedStatements = 0
    /// True from a write that the full disk refused until a probe finds room. Writes that need no
    /// new space succeed meanwhile.
    public var isShortOfSpace = false
    /// True after a commit timed out, until one that changed rows has ended. A replica that commits
    /// wait for may be gone.
    public var commitsAreLate = false
    /// The path of the lock file if it was moved or deleted while the database is open.
    public var lostLock: String?

    /// Text for the operator if a file of the database was moved, deleted or replaced.
    public var lostFile: String? {
        guard let lastFailure, case .fileLost = lastFailure else { return nil }
        return lastFailure.description
    }

    /// Text for the operator if the lock file was moved or deleted.
    public var lockWarning: String? {
        lostLock.map {
            """
            \($0) was moved or deleted while the server runs, so nothing keeps a second server or \
            a restore from this database. Restart the server.
            """
        }
    }
}

/// The effects of a commit, for metrics and listeners.
public struct CommitReport: Sendable {
    public var operations: Int
    public var duration: Duration
    public var outbox: Outbox
    public var failure: DatabaseError?
    /// The number of statements sent. It is 0 for SQLite, whose statements need no round trip.
    public var statements = 0
    /// False if no row changed.
    public var hasWritten = true
}
