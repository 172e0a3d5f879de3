import CSQLite  // Sets SQLite up as the program is loaded.
import Domain
import Foundation
import GRDB
import GRDBSQLite
import Synchronization

/// The database engine for one server on a SQLite file. Uses WAL mode with `synchronous = FULL`:
/// when a write returns, it has been flushed to the disk.
///
/// Writes that arrive during a commit share the next commit and its flush. Each has its own
/// savepoint, so a failed write never affects the others.
public final class SQLiteEngine: DatabaseEngine {
    /// False, because the file lock keeps other servers out.
    public var isShared: Bool { false }

    private static let groupLimit = 128
    /// The number of readers for ordinary reads. `urgentReaders` come on top.
    private static let ordinaryReaders = 4
    static let urgentReaders = 2

    public let now: @Sendable () -> Date
    let writer: any DatabaseWriter
    let path: String
    /// Keeps the database alive. The tests' pool reuses one to which only the pool refers.
    private let memory: InMemoryDatabase?
    private let lock: FileLock?
    /// nil in memory.
    private let files: OpenFiles?
    let queue = WriteQueue()
    private let checkpointer: Checkpointer?
    private let refusals = RefusedStatements()
    private let ordinaryReads = Turns(ordinaryReaders)
    private let report: @Sendable (CommitReport) -> Void
    private let runsOnCallersThread: Bool
    private let notesCopyChanges: Bool

    /// Opens, locks and migrates the database at `path`. Throws `DatabaseError` if another server
    /// has it open, it is damaged, or its schema is newer.
    /// - Parameters:
    ///   - mayCreate: false to throw `vanished` if the database doesn't exist.
    ///   - mayMigrate: false to throw `vanished` for a missing or empty database, and
    ///     `olderVersion` for an older schema.
    ///   - now: the server's clock, read when each transaction begins.
    ///   - runsOnCallersThread: blocks the caller until the work is done. For a single-threaded
    ///     simulation only; a server must not block the threads of its tasks.
    ///   - notesCopyChanges: true to note whose copy at Google is out of date.
    ///   - report: called on the writer's thread after each commit, before the callers resume. It
    ///     must be quick.
    public init(
        path: String, mayCreate: Bool = true, mayMigrate: Bool = true,
        now: @escaping @Sendable () -> Date, runsOnCallersThread: Bool = false,
        notesCopyChanges: Bool = false,
        report: @escaping @Sendable (CommitReport) -> Void = { _ in }
    ) throws(DatabaseError) {
        self.path = path
        self.notesCopyChanges = notesCopyChanges
        self.now = now
        self.report = report
        self.runsOnCallersThread = runsOnCallersThread
        memory = nil
        lock = try FileLock(for: path)
        do {
            try SQLiteFile.checkNoRestoreWasInterrupted(path)
            guard mayCreate && mayMigrate || !SQLiteFile.isMissing(path) else {
                throw DatabaseError.vanished(path: path)
            }
            try SQLiteFile.check(path)
            try SQLiteFile.checkSchema(path, mayMigrate: mayMigrate)
            DiskReserve.prepareLog(of: path)
            let pool = try DatabasePool(path: path, configuration: Self.configuration)
            // GRDB sets NORMAL when it opens WAL. Only FULL flushes each commit.
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
            files = OpenFiles(of: path)
            pool.writeWithoutTransaction { [checkpointer] in checkpointer?.begin(on: $0) }
        } catch {
            throw SQLiteFailure.translate(error, path: path)
        }
    }

    /// Opens an in-memory database for tests. No other engine may use it at the same time.
    public init(
        _ database: InMemoryDatabase, now: @escaping @Sendable () -> Date,
        notesCopyChanges: Bool = false,
        report: @escaping @Sendable (CommitReport) -> Void = { _ in }
    ) {
        self.now = now
        path = InMemoryDatabase.path
        writer = database.queue
        memory = database
        runsOnCallersThread = false
        self.notesCopyChanges = notesCopyChanges
        lock = nil
        files = nil
        checkpointer = nil
        self.report = report
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
            let run: @Sendable (GRDB.Database) throws -> Value = { [self] database in
                try body(connection(to: database, isReadOnly: memory != nil))
            }
            if runsOnCallersThread { return try readNow(run) }
            // For a read on its only connection, GRDB would switch that connection to read-only and
            // back. SQLite then compiles all statements again.
            return try await memory == nil
                ? writer.read(run) : writer.writeWithoutTransaction(run)
        } catch let error as GRDB.DatabaseError {
            throw SQLiteFailure.translate(error, path: path)
        }
    }

    /// Reads on the writer, so that no write runs at the same time.
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

    /// Returns the failure of the whole group; nil if writes were answered.
    /// - Parameters:
    ///   - makesRoom: false if a checkpoint has just freed no space.
    ///   - known: a failure that a success doesn't disprove.
    @discardableResult
    private func commit(
        _ group: [PendingWrite], on database: GRDB.Database, makesRoom: Bool = true,
        after known: DatabaseError? = nil
    ) -> DatabaseError? {
        let started = ContinuousClock.now
        var result = attempt(group, on: database)
        // A checkpoint may free space in the log.
        if makesRoom, case .failed(.diskFull) = result,
            checkpointer?.makeRoom(on: database) == true
        {
            result = attempt(group, on: database)
        }
        if case .failed(.diskFull) = result, group.count > 1 {
            commitEach(of: group, on: database)
            return nil
        }
        let duration = ContinuousClock.now - started
        switch result {
        case .failed(let failure):
            queue.record(failure)
            report(
                CommitReport(
                    operations: group.count, duration: duration, outbox: Outbox(), failure: failure)
            )
            for write in group { write.fail(failure) }
            return failure
        case .committed(let outbox, let hasWritten, let diskFailure):
            // A commit without changes doesn't write, so it doesn't prove that the disk works.
            // Neither does a commit without the writes that the disk refused.
            if let diskFailure {
                queue.record(diskFailure)
            } else if hasWritten, known == nil {
                queue.record(nil)
            }
            report(
                CommitReport(
                    operations: group.count, duration: duration, outbox: outbox, failure: nil,
                    hasWritten: hasWritten))
            for write in group { write.answer() }
            if case .diskFull = diskFailure { _ = checkpointer?.makeRoom(on: database) }
            checkpointer?.checkpointIfLarge(finishingOn: writer)
            return nil
        }
    }

    /// Commits each write alone. SQLite undid all of them, because one didn't fit on the disk.
    private func commitEach(of group: [PendingWrite], on database: GRDB.Database) {
        var known: DatabaseError?
        for write in group {
            known = commit([write], on: database, makesRoom: false, after: known) ?? known
        }
    }

    private enum GroupResult {
        /// - Parameter diskFailure: the error of the group's writes that the disk refused.
        case committed(Outbox, hasWritten: Bool, diskFailure: DatabaseError?)
        case failed(DatabaseError)
    }

    private func attempt(_ group: [PendingWrite], on database: GRDB.Database) -> GroupResult {
        var outbox = Outbox()
        var diskFailure: DatabaseError?
        do {
            if let path = files?.lost { throw DatabaseError.fileLost(path: path) }
            let connection = connection(to: database)
            let changesBefore = sqlite3_total_changes(database.sqliteConnection)
            try connection.execute("BEGIN IMMEDIATE", [])
            do {
                for write in group {
                    try run(write, on: connection, in: database, &outbox)
                    if let failure = write.thrown as? DatabaseError, failure.isOfTheDisk {
                        diskFailure = failure
                    }
                }
                try connection.execute("COMMIT", [])
                let changes = sqlite3_total_changes(database.sqliteConnection)
                return .committed(
                    outbox, hasWritten: changes != changesBefore, diskFailure: diskFailure)
            } catch {
                if sqlite3_get_autocommit(database.sqliteConnection) == 0 {
                    _ = try? connection.execute("ROLLBACK", [])
                }
                throw error
            }
        } catch {
            return .failed(SQLiteFailure.translate(error, path: path))
        }
    }

    private func connection(
        to database: GRDB.Database, isReadOnly: Bool = false
    ) -> SQLiteConnection {
        SQLiteConnection(
            database: database, path: path, now: now(), refusals: refusals, isReadOnly: isReadOnly)
    }

    private func run(
        _ write: PendingWrite, on connection: SQLiteConnection, in database: GRDB.Database,
        _ outbox: inout Outbox
    ) throws {
        try connection.execute("SAVEPOINT operation", [])
        let transaction = Transaction(
            connection, now: now(), notesCopyChanges: notesCopyChanges)
        write.run(in: transaction)
        if let error = write.thrown {
            // A full disk can roll back the whole transaction, with every write of the group.
            if sqlite3_get_autocommit(database.sqliteConnection) != 0 { throw error }
            try connection.execute("ROLLBACK TO operation", [])
        } else {
            outbox.merge(transaction.outbox)
        }
        try connection.execute("RELEASE operation", [])
    }

    public var health: DatabaseHealth {
        var health = queue.health
        health.refusals = refusals.reasons
        health.refusedStatements = refusals.count
        if let path = files?.lost { health.lastFailure = .fileLost(path: path) }
        health.lostLock = lock?.lostPath
        return health
    }

    public var lifeNote: LifeNote? { lock?.note }

    public func leave(_ note: LifeNote) -> Bool { lock?.leave(note) ?? false }

    /// If the database's file was moved, deleted or replaced, writes a copy beside its path, and
    /// throws `DatabaseError` with the copy's name.
    public func close() throws {
        guard queue.close() else { return }
        // A barrier waits for the current group only. The next group may be queued behind it.
        repeat { try writer.barrierWriteWithoutTransaction { _ in } } while queue.isBusy
        // Without a lost file of the log, the checkpoint below completes the database.
        let loss = files?.lost == path ? saveCopy() : nil
        do {
            try checkpointer?.finish(on: writer)
            try writer.close()
        } catch {
            // The operator must read where the copy is.
            if loss == nil { throw error }
        }
        checkpointer?.releaseFile()
        // Reserves disk space for the next start. Another file at the path isn't this database.
        if loss == nil { DiskReserve.prepareLog(of: path) }
        lock?.release()
        if let loss { throw loss }
    }

    /// Saves what the open files hold. Returns what to tell the operator.
    private func saveCopy() -> DatabaseError {
        let copy = "\(path).saved-\(UUID.random().uuidString.lowercased())"
        do {
            try SQLiteFile.copy(from: writer, to: copy) { [writer] target in
                // A reader would open the file that is now at the path.
                try writer.writeWithoutTransaction { try $0.backup(to: target) }
            }
            try SQLiteFile.synchronize(copy)
            return .saved(path: path, copy: copy)
        } catch {
            let reason = SQLiteFailure.translate(error, path: copy)
            return .notSaved(path: path, reason: "\(reason)")
        }
    }
}

extension SQLiteEngine {
    static var configuration: Configuration {
        var configuration = Configuration()
        configuration.busyMode = .timeout(5)
        configuration.maximumReaderCount = ordinaryReaders + urgentReaders
        configuration.prepareDatabase { database in
            try database.execute(sql: "PRAGMA temp_store = MEMORY")
            // The page size only affects a new file. Small pages mean fewer bytes to flush: a
            // check-in changes a few distant rows, and each writes a page to the log.
            if !database.configuration.readonly {
                try database.execute(sql: "PRAGMA page_size = 2048")
                DiskReserve.prepare(database)
            }
            // A negative size is in KiB. The writer's cache holds the inner pages of every index. A
            // reader needs little.
            try database.execute(
                sql: "PRAGMA cache_size = \(database.configuration.readonly ? -8_000 : -96_000)")
        }
        return configuration
    }

    static func migrate(_ writer: any DatabaseWriter, path: String) throws {
        try writer.writeWithoutTransaction { database in
            // The machine's clock, because the server's clock first needs rows of the database.
            try Migrator.migrate(
                SQLiteConnection(database: database, path: path, now: Date()), dialect: .sqlite)
        }
    }
}

extension SQLiteEngine {
    public func backUp(to destination: String) throws {
        do {
            try SQLiteFile.copy(from: writer, to: destination)
        } catch {
            throw SQLiteFailure.translate(error, path: destination)
        }
    }

    public func probe() async throws {
        // Writes as much as a busy commit, because a small row may still fit on a nearly full disk.
        let data = Data(repeating: 1, count: 64 * 1024)
        try await write(about: .none) { transaction in
            _ = try transaction.execute(
                """
                INSERT INTO probes (id, data) VALUES (1, $1) ON CONFLICT (id) DO UPDATE
                SET data = excluded.data
                """,
                [.blob(data)])
        }
    }
}
