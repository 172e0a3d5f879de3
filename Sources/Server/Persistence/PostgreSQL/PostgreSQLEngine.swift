import Domain
import Foundation
import Synchronization

/// The database engine for several servers on one PostgreSQL database. A write runs at READ
/// COMMITTED, locks its people's rows, and returns after the commit, which waits for synchronous
/// replicas.
public final class PostgreSQLEngine: DatabaseEngine {
    /// Writers reserved for the server's own work, so that requests can't block it.
    private static let reservedWriters = 2
    private static let urgentReaders = 2
    private static let callerReaders = 2

    private let address: PostgreSQLAddress
    private let options: Options
    public let now: @Sendable () -> Date
    private let writers: PostgreSQLWorkers
    let readers: PostgreSQLWorkers
    private let urgentReads: PostgreSQLWorkers
    private let callerReads: PostgreSQLWorkers
    private let lastFailure = Mutex<DatabaseError?>(nil)
    private let isShortOfSpace = Mutex(false)
    private let commits = Mutex(Commits())
    private let refusals: RefusedStatements
    private let report: @Sendable (CommitReport) -> Void

    /// Connects and migrates. Throws `DatabaseError` if the database can't be reached, belongs to
    /// another program, or has a newer schema.
    /// - Parameter report: called on a connection's thread after each commit, before the caller
    ///   resumes. It must be quick.
    public init(
        _ address: PostgreSQLAddress, options: Options, now: @escaping @Sendable () -> Date,
        report: @escaping @Sendable (CommitReport) -> Void = { _ in }
    ) throws(DatabaseError) {
        self.address = address
        self.options = options
        self.now = now
        self.report = report
        let refusals = RefusedStatements()
        self.refusals = refusals
        let connect: PostgreSQLWorker.Connect = { () throws(DatabaseError) in
            try PostgreSQLConnection(address, limits: options.limits, refusals: refusals)
        }
        do {
            let first = try connect()
            first.startReading(by: now)
            try PostgreSQLSchema.prepare(first, address, mayMigrate: options.mayMigrate)
        } catch {
            throw error as? DatabaseError ?? .failed("\(error)")
        }
        let silences = PostgreSQLSilences()
        let start = { (name: String, count: Int, reserve: Int) in
            PostgreSQLWorkers(
                name, count: count, reserve: reserve, of: address, within: options.limits.waiting,
                pause: options.pause(after:)
            ) { PostgreSQLWorker(connect, silences) }
        }
        writers = start(
            "database writer", options.connections,
            min(Self.reservedWriters, options.connections / 4))
        readers = start("database reader", max(2, options.connections / 2), 0)
        urgentReads = start("urgent database reader", Self.urgentReaders, 0)
        callerReads = start("database reader for callers", Self.callerReaders, 0)
    }

    public var isShared: Bool { true }

    // MARK: Writes

    public func write<Value: Sendable>(
        about subjects: Subjects, _ body: @escaping @Sendable (Transaction) throws -> Value
    ) async throws -> Value {
        var demand = PostgreSQLWorkers.Demand(
            keys: subjects.keys, isOfServer: subjects.isOfServer)
        var attempt = 0
        var end: ContinuousClock.Instant?
        var unknown: DatabaseError?
        while true {
            let result: Result<Value, any Error>
            do {
                result = try await writers.run(
                    about: demand, patientUntil: end ?? .now + options.patience
                ) { [self, demand] connection in
                    Result { try write(about: subjects, demand, on: connection, body) }
                }
            } catch let error as DatabaseError {
                note(error, after: options.limits.waiting)
                if error == .conflict { reportFailure(error, after: .zero) }
                throw lasting(error, after: unknown)
            }
            do {
                return try result.get()
            } catch let error as BusySubjects {
                demand.keys.formUnion(error.keys)
            } catch let error as DatabaseError
                where error.isWorthAnotherTry(isRepeatable: subjects.isRepeatable)
                && (error != .uniqueViolation || attempt < 2)
            {
                if case .outcomeUnknown = error { unknown = error }
                attempt += 1
                let pause = options.pause(after: attempt)
                let last = end ?? .now + options.patience
                end = last
                guard ContinuousClock.now + pause < last else {
                    if error == .conflict { reportFailure(error, after: .zero) }
                    throw lasting(error, after: unknown)
                }
                await writers.wait(pause)
            } catch let error as DatabaseError {
                throw lasting(error, after: unknown)
            }
        }
    }

    /// Returns the error of a write that isn't retried. If an earlier commit may take effect, the
    /// failure of a retry doesn't mean that nothing was changed.
    /// - Parameter unknown: the error of an earlier commit of this write.
    private func lasting(
        _ error: DatabaseError, after unknown: DatabaseError?
    ) -> DatabaseError {
        guard error.isOfTheDisk else { return error }
        if let unknown { return unknown }
        // A late commit may hold the locks, and may be that of the same request.
        guard error == .conflict, commits.withLock({ $0.areLate }) else { return error }
        return .outcomeUnknown(path: address.description)
    }

    private func write<Value>(
        about subjects: Subjects, _ demand: PostgreSQLWorkers.Demand,
        on connection: PostgreSQLConnection,
        _ body: (Transaction) throws -> Value
    ) throws -> Value {
        let started = ContinuousClock.now
        do {
            let before = connection.statements
            try connection.begin(by: now)
            let people = Set(subjects.people + (try subjects.search?(connection) ?? []))
            let found = Set(people.map(Subjects.Key.person)).subtracting(demand.keys)
            guard writers.claim(found) else { throw BusySubjects(keys: found) }
            defer { writers.release(found) }
            try lock(subjects, people, on: connection)
            let transaction = Transaction(
                connection, notesCopyChanges: options.notesCopyChanges)
            let value = try body(transaction)
            try transaction.finish()
            try commit(connection)
            // An empty transaction doesn't wait for replicas.
            if !transaction.outbox.events.isEmpty { noteCommitsEnd() }
            lastFailure.withLock { $0 = nil }
            report(
                CommitReport(
                    operations: 1, duration: ContinuousClock.now - started,
                    outbox: transaction.outbox, failure: nil,
                    statements: connection.statements - before))
            hurryCalls(about: transaction.missedCalls)
            return value
        } catch {
            if connection.hasLateCommit { commits.withLock { $0.areLate = true } }
            connection.rollBack()
            if let error = error as? DatabaseError {
                note(error, after: ContinuousClock.now - started)
            }
            throw error
        }
    }

    private func commit(_ connection: PostgreSQLConnection) throws {
        let id = ObjectIdentifier(connection)
        commits.withLock { $0.running[id] = .now }
        defer { commits.withLock { $0.running[id] = nil } }
        try connection.commit()
    }

    private func noteCommitsEnd() { commits.withLock { $0.areLate = false } }

    /// Brings calls forward once the alerts' owners are free. The write that missed them doesn't
    /// wait.
    private func hurryCalls(about alerts: Set<AlertKey>) {
        guard !alerts.isEmpty else { return }
        Task { [self] in
            // If this write fails, the calls come at their planned time, `alerts.next_call_at`.
            try? await write(about: Subjects(alerts.map(\.owner), isRepeatable: true)) {
                for alert in alerts { try $0.hurryCalls(aboutLocked: alert) }
            }
        }
    }

    private func note(_ error: DatabaseError, after duration: Duration) {
        guard error.isOfTheDisk, error != .conflict else { return }
        if error.isOfFullDisk { isShortOfSpace.withLock { $0 = true } }
        lastFailure.withLock { $0 = error }
        reportFailure(error, after: duration)
    }

    private func reportFailure(_ error: DatabaseError, after duration: Duration) {
        report(
            CommitReport(operations: 1, duration: duration, outbox: Outbox(), failure: error))
    }

    /// Locks rows in the order of their keys, so two writes about the same people can't deadlock.
    private func lock(
        _ subjects: Subjects, _ people: Set<UserID>, on connection: PostgreSQLConnection
    ) throws {
        for slot in subjects.slots {
            try connection.sendLock(
                "SELECT 1 FROM lock_slots WHERE slot = $1 FOR UPDATE", [.int(slot)])
        }
        // `NO KEY` lets other transactions insert rows that refer to the person.
        for person in people.sorted(by: { $0.uuid < $1.uuid }) {
            try connection.sendLock(
                "SELECT 1 FROM users WHERE id = $1 FOR NO KEY UPDATE", [.id(person)])
        }
        // The search may find people who aren't locked. Then the write starts over.
        if let search = subjects.search, !people.isSuperset(of: try search(connection)) {
            throw DatabaseError.conflict
        }
    }

    // MARK: The engine itself

    public func backUp(to path: String) throws {
        throw DatabaseError.failed(
            """
            PostgreSQL has tools of its own for backups: pgBackRest, or pg_basebackup with \
            archived WAL. Keep the server's key with the backup.
            """)
    }

    public var health: DatabaseHealth {
        let commits = commits.withLock { $0 }
        return DatabaseHealth(
            oldestWaiting: max(writers.oldest, commits.oldest),
            lastFailure: lastFailure.withLock { $0 } ?? writers.whyNoConnection,
            refusals: refusals.reasons, refusedStatements: refusals.count,
            isShortOfSpace: isShortOfSpace.withLock { $0 }, commitsAreLate: commits.areLate)
    }

    public func probe() async throws {
        if isShortOfSpace.withLock({ $0 }) { await probeSpace() }
        try await write(about: .none) { transaction in
            _ = try transaction.execute(
                """
                INSERT INTO probes (id, data) VALUES (1, $1)
                ON CONFLICT (id) DO UPDATE SET data = EXCLUDED.data
                """, [.blob(Data(count: 1))])
        }
        noteCommitsEnd()
    }

    /// Takes some 300 kB of the disk for a moment, because the small row of `probe` needs no new
    /// space. The table is unlogged, because its WAL could fill the disk of the WAL.
    private func probeSpace() async {
        do {
            try await writers.run(patientUntil: .now) { [now] connection in
                defer { connection.rollBack() }
                try connection.begin(by: now)
                try connection.execute(
                    """
                    CREATE UNLOGGED TABLE space_probe AS
                    SELECT repeat('x', 1000) AS filler FROM generate_series(1, 256)
                    """, [])
            }
        } catch let error as DatabaseError where error.isRefusal {
            // A role without the right to create tables can't probe. Counts as room; the next
            // refused write sets the mark again.
        } catch {
            return
        }
        isShortOfSpace.withLock { $0 = false }
    }

    public func close() throws {
        for workers in [writers, readers, urgentReads, callerReads] { workers.close() }
    }
}

/// The running commits, which may wait for a replica.
private struct Commits {
    /// When each connection's commit began.
    var running: [ObjectIdentifier: ContinuousClock.Instant] = [:]
    /// True after a commit timed out, until one that changed rows has ended.
    var areLate = false

    var oldest: Duration { running.values.min().map { ContinuousClock.now - $0 } ?? .zero }
}

/// Thrown if another write of this server works on people found by the search. The write then gives
/// back its connection and waits.
private struct BusySubjects: Error {
    var keys: Set<Subjects.Key>
}

extension DatabaseError {
    /// True if a retry is safe: nothing was changed, or the write is idempotent.
    fileprivate func isWorthAnotherTry(isRepeatable: Bool) -> Bool {
        switch self {
        // After a unique violation, the retry finds the row that another server inserted.
        case .conflict, .unreachable, .readOnly, .uniqueViolation: true
        case .outcomeUnknown: isRepeatable
        default: false
        }
    }
}

extension PostgreSQLEngine {
    public struct Options: Sendable {
        /// The number of connections for writes; reads get half as many.
        public var connections = 16
        /// How long a write is retried after conflicts and lost connections.
        public var patience: Duration = .seconds(8)
        /// Returns a random number from 0 up to 1.
        public var random: @Sendable () -> Double
        /// True to note whose copy at Google is out of date.
        public var notesCopyChanges = false
        /// False to throw `noTables` for an empty database, and `olderVersion` for an older schema.
        public var mayMigrate = true
        var limits = PostgreSQLConnection.Limits()

        public init(
            random: @escaping @Sendable () -> Double = { Double.random(in: 0..<1) }
        ) {
            self.random = random
        }

        /// Returns the retry delay. It doubles with each attempt up to 0.64 s, and has jitter.
        @Sendable func pause(after attempts: Int) -> Duration {
            .milliseconds(10) * (Double(1 << min(attempts, 6)) * (0.5 + random() / 2))
        }
    }
}

extension PostgreSQLEngine {
    public func read<Value: Sendable>(
        _ body: @escaping @Sendable (any SQLConnection) throws -> Value
    ) async throws -> Value {
        try await read(on: readers, body)
    }

    public func readUrgently<Value: Sendable>(
        _ body: @escaping @Sendable (any SQLConnection) throws -> Value
    ) async throws -> Value {
        try await read(on: urgentReads, body)
    }

    public func readCaller<Value: Sendable>(
        _ body: @escaping @Sendable (any SQLConnection) throws -> Value
    ) async throws -> Value {
        try await read(on: callerReads, body)
    }

    /// Retries once if the connection was lost, because reads can be repeated safely.
    private func read<Value: Sendable>(
        on workers: PostgreSQLWorkers, tries: Int = 2,
        _ body: @escaping @Sendable (any SQLConnection) throws -> Value
    ) async throws -> Value {
        let result = try await workers.run(patientUntil: .now) { [now] connection in
            Result {
                do {
                    try connection.begin(
                        "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY", by: now)
                    let value = try body(connection)
                    try connection.sendCommitOfReads()
                    return value
                } catch {
                    connection.rollBack()
                    throw error
                }
            }
        }
        do {
            return try result.get()
        } catch let error as DatabaseError where error.isOfTheConnection && tries > 1 {
            return try await read(on: workers, tries: tries - 1, body)
        }
    }

    /// Returns the sequence numbers of people's newest events. People without events are omitted.
    public func newestEvents(of people: [UserID]) async throws -> [UserID: Int64] {
        guard !people.isEmpty else { return [:] }
        return try await readUrgently { connection in
            let rows = try connection.query(
                about: people,
                { "SELECT user_id, newest FROM event_numbers WHERE user_id \($0)" }
            ) { (try $0["user_id"] as UserID, try $0["newest"] as Int64) }
            return Dictionary(rows, uniquingKeysWith: max)
        }
    }
}
