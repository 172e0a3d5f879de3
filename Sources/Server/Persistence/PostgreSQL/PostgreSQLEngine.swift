import Domain
import Foundation
import Synchronization

/// PostgreSQL over libpq, for several servers on one database. A write runs at READ COMMITTED with
/// the rows of its people locked, and answers after the commit, which waits for the synchronous
/// replicas if there are any.
public final class PostgreSQLEngine: DatabaseEngine {
    public struct Options: Sendable {
        /// Connections for writes, and half as many for reads.
        public var connections = 16
        /// How long a write is tried again when others are in the way or the connection is lost.
        public var patience: Duration = .seconds(8)
        /// A number from 0 up to 1.
        public var random: @Sendable () -> Double
        var limits = PostgreSQLConnection.Limits()

        public init(
            random: @escaping @Sendable () -> Double = { Double.random(in: 0..<1) }
        ) {
            self.random = random
        }
    }

    private static let urgentReaders = 2

    private let address: PostgreSQLAddress
    private let options: Options
    public let now: @Sendable () -> Date
    private let writers: PostgreSQLWorkers
    private let readers: PostgreSQLWorkers
    private let urgentReads: PostgreSQLWorkers
    private let lastFailure = Mutex<DatabaseError?>(nil)
    private let report: @Sendable (CommitReport) -> Void

    /// Connects and migrates. Throws `DatabaseError` when the database can't be reached, belongs to
    /// another program, or is of a newer version.
    /// - Parameter report: called on a connection's thread after each commit, before the answer
    ///   goes out; must be quick.
    public init(
        _ address: PostgreSQLAddress, options: Options, now: @escaping @Sendable () -> Date,
        report: @escaping @Sendable (CommitReport) -> Void = { _ in }
    ) throws(DatabaseError) {
        self.address = address
        self.options = options
        self.now = now
        self.report = report
        let connect: PostgreSQLWorker.Connect = { () throws(DatabaseError) in
            try PostgreSQLConnection(address, limits: options.limits)
        }
        do {
            let first = try connect()
            first.startReading(by: now)
            try PostgreSQLSchema.prepare(first, address)
        } catch {
            throw error as? DatabaseError ?? .failed("\(error)")
        }
        let silences = PostgreSQLSilences()
        let start = { (name: String, count: Int) in
            PostgreSQLWorkers(name, count: count, of: address, within: options.limits.waiting) {
                PostgreSQLWorker(connect, silences)
            }
        }
        writers = start("database writer", options.connections)
        readers = start("database reader", max(2, options.connections / 2))
        urgentReads = start("urgent database reader", Self.urgentReaders)
    }

    public var isShared: Bool { true }

    // MARK: Writes

    public func write<Value: Sendable>(
        about subjects: Subjects, _ body: @escaping @Sendable (Transaction) throws -> Value
    ) async throws -> Value {
        try await writers.run { [self] worker in
            let deadline = ContinuousClock.now + options.patience
            var attempt = 0
            while true {
                do {
                    return try write(about: subjects, on: worker, body)
                } catch let error as DatabaseError
                    where error.isWorthAnotherTry(isRepeatable: subjects.isRepeatable)
                    && (error != .uniqueViolation || attempt < 2)
                {
                    attempt += 1
                    // 10 ms, 20 ms, 40 ms, … at most 0.6 s, each with jitter.
                    let pause = 0.01 * Double(1 << min(attempt, 6)) * (0.5 + options.random() / 2)
                    guard ContinuousClock.now + .seconds(pause) < deadline else {
                        if error == .conflict { reportFailure(error, after: .zero) }
                        throw error
                    }
                    Thread.sleep(forTimeInterval: pause)
                }
            }
        }
    }

    private func write<Value>(
        about subjects: Subjects, on worker: PostgreSQLWorker,
        _ body: (Transaction) throws -> Value
    ) throws -> Value {
        let started = ContinuousClock.now
        do {
            let connection = try worker.connected()
            do {
                let before = connection.statements
                try connection.begin(by: now)
                try lock(subjects, on: connection)
                let transaction = Transaction(connection)
                let value = try body(transaction)
                try transaction.finish()
                try connection.commit()
                lastFailure.withLock { $0 = nil }
                report(
                    CommitReport(
                        operations: 1, duration: ContinuousClock.now - started,
                        outbox: transaction.outbox, failure: nil,
                        statements: connection.statements - before))
                return value
            } catch {
                worker.undo(connection)
                throw error
            }
        } catch let error as DatabaseError where error.isOfTheDisk && error != .conflict {
            lastFailure.withLock { $0 = error }
            reportFailure(error, after: ContinuousClock.now - started)
            throw error
        }
    }

    private func reportFailure(_ error: DatabaseError, after duration: Duration) {
        report(
            CommitReport(operations: 1, duration: duration, outbox: Outbox(), failure: error))
    }

    /// In the order of their keys, so that two writes about the same people don't wait for each
    /// other.
    private func lock(_ subjects: Subjects, on connection: PostgreSQLConnection) throws {
        let people = Set(subjects.people + (try subjects.search?(connection) ?? []))
        for slot in subjects.slots {
            try connection.send("SELECT 1 FROM lock_slots WHERE slot = $1 FOR UPDATE", [.int(slot)])
        }
        // `NO KEY`: adding a row that refers to the person does not wait.
        for person in people.sorted(by: { $0.uuid < $1.uuid }) {
            try connection.send(
                "SELECT 1 FROM users WHERE id = $1 FOR NO KEY UPDATE", [.id(person)])
        }
        // Somebody may have been added before the locks were had: then it begins anew.
        if let search = subjects.search, !people.isSuperset(of: try search(connection)) {
            throw DatabaseError.conflict
        }
    }

    // MARK: Reads

    public func read<Value: Sendable>(
        _ body: @escaping @Sendable (any SQLConnection) throws -> Value
    ) async throws -> Value {
        try await readers.run { [self] in try read(on: $0, body) }
    }

    public func readUrgently<Value: Sendable>(
        _ body: @escaping @Sendable (any SQLConnection) throws -> Value
    ) async throws -> Value {
        try await urgentReads.run { [self] in try read(on: $0, body) }
    }

    /// Reads may run again: once more on a new connection, if the first one was lost.
    private func read<Value>(
        on worker: PostgreSQLWorker, _ body: (any SQLConnection) throws -> Value
    ) throws -> Value {
        do {
            return try readOnce(on: worker, body)
        } catch let error as DatabaseError where error.isOfTheConnection {
            return try readOnce(on: worker, body)
        }
    }

    private func readOnce<Value>(
        on worker: PostgreSQLWorker, _ body: (any SQLConnection) throws -> Value
    ) throws -> Value {
        let connection = try worker.connected()
        do {
            try connection.begin("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY", by: now)
            let value = try body(connection)
            try connection.sendCommitOfReads()
            return value
        } catch {
            worker.undo(connection)
            throw error
        }
    }

    /// The numbers of people's newest events; people without events are left out.
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

    // MARK: The engine itself

    public func backUp(to path: String) throws {
        throw DatabaseError.failed(
            """
            PostgreSQL has tools of its own for backups: pgBackRest, or pg_basebackup with \
            archived WAL. Keep the server's key with the backup.
            """)
    }

    public var health: DatabaseHealth {
        DatabaseHealth(
            oldestWaiting: writers.oldest, lastFailure: lastFailure.withLock { $0 })
    }

    public func probe() async throws {
        try await write(about: .none) { transaction in
            _ = try transaction.execute(
                """
                INSERT INTO probes (id, data) VALUES (1, $1)
                ON CONFLICT (id) DO UPDATE SET data = EXCLUDED.data
                """, [.blob(Data(count: 1))])
        }
    }

    public func close() throws {
        for workers in [writers, readers, urgentReads] { workers.close() }
    }
}

extension DatabaseError {
    /// Nothing was changed, or a repeat changes nothing more.
    fileprivate func isWorthAnotherTry(isRepeatable: Bool) -> Bool {
        switch self {
        // Another server was first: the next run finds its row.
        case .conflict, .unreachable, .readOnly, .uniqueViolation: true
        case .outcomeUnknown: isRepeatable
        default: false
        }
    }
}
