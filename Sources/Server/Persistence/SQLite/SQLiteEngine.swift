import Domain
import Foundation
import GRDB
import GRDBSQLite
import Synchronization

/// SQLite in WAL mode with `synchronous = FULL`: an answered write has been flushed to the disk.
///
/// Writes that arrive while a commit is under way wait and go together in the next one, each in a
/// savepoint of its own, so the price of one flush is shared and one write's failure never touches
/// its neighbour.
public final class SQLiteEngine: DatabaseEngine {
    /// The lock of the file keeps other servers out.
    public var isShared: Bool { false }

    private static let groupLimit = 128
    /// The pool's readers for ordinary reads; the rest is for urgent ones alone.
    static let ordinaryReaders = 4
    static let urgentReaders = 2

    public let now: @Sendable () -> Date
    let writer: any DatabaseWriter
    let path: String
    private let lock: FileLock?
    let queue = WriteQueue()
    private let checkpointer: Checkpointer?
    private let ordinaryReads = Turns(ordinaryReaders)
    private let report: @Sendable (CommitReport) -> Void
    private let runsOnCallersThread: Bool

    /// Opens, locks and migrates the database at `path`, creating it when there is none. Throws
    /// `DatabaseError` when another server has it, when it is damaged, or when it is of a newer
    /// version.
    /// - Parameters:
    ///   - now: the server's time; called as each transaction begins.
    ///   - runsOnCallersThread: blocks the caller until it is done, so that a simulation of
    ///     one thread never waits for another. A server must not block its tasks' threads.
    ///   - report: called on the writer's thread after each commit, before the answers go out; must
    ///     be quick.
    public init(
        path: String, now: @escaping @Sendable () -> Date, runsOnCallersThread: Bool = false,
        report: @escaping @Sendable (CommitReport) -> Void = { _ in }
    ) throws(DatabaseError) {
        self.path = path
        self.now = now
        self.report = report
        self.runsOnCallersThread = runsOnCallersThread
        lock = try FileLock(for: path)
        do {
            try SQLiteFile.checkNoRestoreWasInterrupted(path)
            try SQLiteFile.check(path)
            try SQLiteFile.checkSchema(path)
            let pool = try DatabasePool(path: path, configuration: Self.configuration)
            // GRDB sets NORMAL when it opens WAL; FULL is what makes an answer a promise.
            try pool.writeWithoutTransaction { database in
                try database.execute(sql: "PRAGMA synchronous = FULL")
                try database.execute(sql: "PRAGMA wal_autocheckpoint = 0")
                guard try Int.fetchOne(database, sql: "PRAGMA synchronous") == 2 else {
                    throw DatabaseError.failed("synchronous = FULL did not hold")
                }
            }
            writer = pool
            checkpointer = try Checkpointer(path: path)
            try Self.migrate(pool, path: path)
        } catch {
            throw SQLiteFailure.translate(error, path: path)
        }
    }

    /// A database that lives in memory, for tests: the same SQL, the same groups, no file.
    public init(
        inMemoryReporting report: @escaping @Sendable (CommitReport) -> Void = { _ in },
        now: @escaping @Sendable () -> Date
    ) throws(DatabaseError) {
        self.now = now
        path = ":memory:"
        runsOnCallersThread = false
        lock = nil
        checkpointer = nil
        self.report = report
        do {
            let queue = try DatabaseQueue(configuration: Self.configuration)
            writer = queue
            try Self.emptyInMemory.get().backup(to: queue)
        } catch {
            throw SQLiteFailure.translate(error, path: ":memory:")
        }
    }

    public func write<Value: Sendable>(
        about subjects: Subjects, _ body: @escaping @Sendable (Transaction) throws -> Value
    ) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            let write = TypedWrite(body, continuation)
            switch queue.enter(write) {
            case .wait: break
            case .schedule: schedule()
            case .closed: write.fail(DatabaseError.closed)
            }
        }
    }

    public func read<Value: Sendable>(
        _ body: @escaping @Sendable (any SQLConnection) throws -> Value
    ) async throws -> Value {
        try await ordinaryReads.run { try await readUrgently(body) }
    }

    public func readUrgently<Value: Sendable>(
        _ body: @escaping @Sendable (any SQLConnection) throws -> Value
    ) async throws -> Value {
        guard !queue.isClosed else { throw DatabaseError.closed }
        do {
            let run: @Sendable (GRDB.Database) throws -> Value = { [path, now] database in
                try body(SQLiteConnection(database: database, path: path, now: now()))
            }
            return try runsOnCallersThread ? readNow(run) : await writer.read(run)
        } catch let error as GRDB.DatabaseError {
            throw SQLiteFailure.translate(error, path: path)
        }
    }

    /// Reads on the writer, whose state nobody changes meanwhile.
    private func readNow<Value>(_ body: (GRDB.Database) throws -> Value) throws -> Value {
        try writer.writeWithoutTransaction(body)
    }

    private func schedule() {
        guard !runsOnCallersThread else {
            return writer.writeWithoutTransaction { database in
                while case let group = queue.next(upTo: Self.groupLimit), !group.isEmpty {
                    commit(group, on: database)
                }
            }
        }
        writer.asyncWriteWithoutTransaction { [self] database in
            let group = queue.next(upTo: Self.groupLimit)
            guard !group.isEmpty else { return }
            commit(group, on: database)
            schedule()
        }
    }

    private func commit(_ group: [PendingWrite], on database: GRDB.Database) {
        let started = ContinuousClock.now
        var outbox = Outbox()
        var changesBefore: Int32 = 0
        var diskFailure: DatabaseError?
        do {
            let connection = SQLiteConnection(database: database, path: path, now: now())
            changesBefore = sqlite3_total_changes(database.sqliteConnection)
            try connection.execute("BEGIN IMMEDIATE", [])
            do {
                for write in group {
                    try run(write, on: connection, in: database, &outbox)
                    if let failure = write.thrown as? DatabaseError, failure.isOfTheDisk {
                        diskFailure = failure
                    }
                }
                try connection.execute("COMMIT", [])
            } catch {
                if sqlite3_get_autocommit(database.sqliteConnection) == 0 {
                    _ = try? connection.execute("ROLLBACK", [])
                }
                throw error
            }
        } catch {
            let failure = SQLiteFailure.translate(error, path: path)
            queue.record(failure)
            report(
                CommitReport(
                    operations: group.count, duration: ContinuousClock.now - started,
                    outbox: Outbox(), failure: failure))
            for write in group { write.fail(failure) }
            return
        }
        // A transaction that changed nothing has written nothing, and says nothing about the disk.
        // Neither does one that left out what the disk did not take.
        if let diskFailure {
            queue.record(diskFailure)
        } else if sqlite3_total_changes(database.sqliteConnection) != changesBefore {
            queue.record(nil)
        }
        report(
            CommitReport(
                operations: group.count, duration: ContinuousClock.now - started, outbox: outbox,
                failure: nil))
        for write in group { write.answer() }
        checkpointer?.checkpointIfLarge(finishingOn: writer)
    }

    private func run(
        _ write: PendingWrite, on connection: SQLiteConnection, in database: GRDB.Database,
        _ outbox: inout Outbox
    ) throws {
        try connection.execute("SAVEPOINT operation", [])
        let transaction = Transaction(connection, now: now())
        write.run(in: transaction)
        if let error = write.thrown {
            // A full disk can end the whole transaction; then nobody in the group has anything.
            if sqlite3_get_autocommit(database.sqliteConnection) != 0 { throw error }
            try connection.execute("ROLLBACK TO operation", [])
        } else {
            outbox.merge(transaction.outbox)
        }
        try connection.execute("RELEASE operation", [])
    }

    public func close() throws {
        guard queue.close() else { return }
        // A barrier returns when the group that was queued before it has been answered; the next
        // group may be behind it.
        repeat { try writer.barrierWriteWithoutTransaction { _ in } } while queue.isBusy
        try checkpointer?.finish(on: writer)
        try writer.close()
        lock?.release()
    }
}
