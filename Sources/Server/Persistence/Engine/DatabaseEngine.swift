import Foundation

/// The driver under the queries: SQLite or PostgreSQL, with the same statements.
public protocol DatabaseEngine: Sendable {
    /// The server's time. It gives every transaction its `now`.
    var now: @Sendable () -> Date { get }

    /// True if other servers write to the same database.
    var isShared: Bool { get }

    /// Runs `body` in a transaction and returns after it is on disk. A thrown error undoes all of
    /// `body` and nothing else. `body` may run several times before one run is kept, so it has no
    /// effect outside of the transaction.
    /// - Parameter subjects: locked before `body` reads, where several servers write.
    func write<Value: Sendable>(
        about subjects: Subjects, _ body: @escaping @Sendable (Transaction) throws -> Value
    ) async throws -> Value

    /// Runs `body` on one consistent state of the database.
    func read<Value: Sendable>(_ body: @escaping @Sendable (any SQLConnection) throws -> Value)
        async throws -> Value

    /// The same, without ever waiting for callers of `read`: for the deadline monitor, for
    /// deliveries, and for what precedes a check-in. Short reads only.
    func readUrgently<Value: Sendable>(
        _ body: @escaping @Sendable (any SQLConnection) throws -> Value
    ) async throws -> Value

    /// The same for finding the caller by a token. Anybody can send made-up tokens, so these reads
    /// wait only for each other.
    func readCaller<Value: Sendable>(
        _ body: @escaping @Sendable (any SQLConnection) throws -> Value
    ) async throws -> Value

    /// Writes a consistent copy while the database is in use.
    func backUp(to path: String) throws

    var health: DatabaseHealth { get }

    /// Writes something without changing anything, to see whether a disk that failed works again.
    func probe() async throws

    /// Finishes what is waiting and lets go of the file.
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
    /// How long the oldest waiting write has been waiting.
    public var oldestWaiting: Duration
    /// Why the disk did not take the last commit, or a part of it; nil since one has succeeded.
    public var lastFailure: DatabaseError?
}

/// The effects of a commit, for metrics and for listeners.
public struct CommitReport: Sendable {
    public var operations: Int
    public var duration: Duration
    public var outbox: Outbox
    public var failure: DatabaseError?
    /// How many statements were sent for it, where each may be a round trip; 0 elsewhere.
    public var statements = 0
}
