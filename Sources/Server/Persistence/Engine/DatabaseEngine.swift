import Foundation

/// The database driver under the queries: SQLite or PostgreSQL, with the same SQL statements.
public protocol DatabaseEngine: Sendable {
    /// The server's clock. Each transaction takes its `now` from it.
    var now: @Sendable () -> Date { get }

    /// True if other servers write to the same database.
    var isShared: Bool { get }

    /// Runs `body` in a transaction and returns when the commit is on the disk. If `body` throws,
    /// only its own changes are rolled back. `body` may run several times before one run is
    /// committed, so side effects outside the transaction are not allowed.
    /// - Parameter subjects: the people and things to lock before `body` reads, if several servers
    ///   write to the database.
    func write<Value: Sendable>(
        about subjects: Subjects, _ body: @escaping @Sendable (Transaction) throws -> Value
    ) async throws -> Value

    /// Runs `body` on one consistent snapshot of the database.
    func read<Value: Sendable>(_ body: @escaping @Sendable (any SQLConnection) throws -> Value)
        async throws -> Value

    /// Like `read`, but never waits behind callers of `read`. It is for the deadline monitor,
    /// deliveries, and the reads before a check-in. Keep these reads short.
    func readUrgently<Value: Sendable>(
        _ body: @escaping @Sendable (any SQLConnection) throws -> Value
    ) async throws -> Value

    /// Like `read`, but for finding the caller by a token. Anyone can send made-up tokens. A flood
    /// of them must delay only reads of this kind.
    func readCaller<Value: Sendable>(
        _ body: @escaping @Sendable (any SQLConnection) throws -> Value
    ) async throws -> Value

    /// Writes a consistent backup while the database is in use.
    func backUp(to path: String) throws

    var health: DatabaseHealth { get }

    /// Writes a row that doesn't affect anything, to find out whether a failed disk works again.
    func probe() async throws

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
}

public struct DatabaseHealth: Sendable {
    /// How long the oldest queued write has been waiting.
    public var oldestWaiting: Duration
    /// Why the last commit failed fully or in part, or why the database can't be reached; nil after
    /// the next successful commit.
    public var lastFailure: DatabaseError?
    /// The reasons why the database currently refuses some statements; empty if all statements
    /// work.
    public var refusals: [String] = []
    /// The number of refused statements since the start.
    public var refusedStatements = 0
}

/// The effects of a commit, for metrics and listeners.
public struct CommitReport: Sendable {
    public var operations: Int
    public var duration: Duration
    public var outbox: Outbox
    public var failure: DatabaseError?
    /// The number of statements sent, if each may be a round trip; 0 for engines without round
    /// trips.
    public var statements = 0
}
