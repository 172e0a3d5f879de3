import CPostgreSQL
import Domain
import Foundation

/// Statements on one connection to PostgreSQL. A statement whose result nobody waits for travels
/// with the next one that is waited for. One thread at a time uses it.
final class PostgreSQLConnection: SQLConnection {
    private static let statementsAtOnce = 100

    let pipeline: PostgreSQLPipeline
    let address: PostgreSQLAddress
    private let limits: Limits
    /// How many of the statements on their way may each wait for a lock.
    private var locks = 0
    private var prepared: [String: PostgreSQLStatement] = [:]
    private var clock: () -> Date = { .distantPast }
    private var moment: Date?
    /// Found where nothing can be thrown: the next statement throws it.
    private var failure: (any Error)?

    /// How many statements were sent.
    var statements: Int { pipeline.statements }

    /// True after an error that leaves its state unknown.
    var isBroken: Bool { pipeline.isBroken }
    /// False if it is broken, or the server has ended it.
    var isAlive: Bool { pipeline.isAlive }
    /// True if the server did not answer in time. A late commit may wait for a replica alone.
    var isSilent: Bool { pipeline.isSilent && !hasLateCommit }
    /// True if it is broken because a commit took too long.
    private(set) var hasLateCommit = false

    /// Connects to the first host that takes writes. Throws `DatabaseError`.
    init(_ address: PostgreSQLAddress, limits: Limits) throws(DatabaseError) {
        self.address = address
        self.limits = limits
        // A later entry overrides an earlier one, so that the URL has the last word.
        pipeline = try PostgreSQLPipeline(
            [
                ("fallback_application_name", "lifesignal"),
                ("target_session_attrs", "read-write"),
                ("connect_timeout", "\(max(2, Int(limits.connect / .seconds(1))))"),
                ("keepalives_idle", "10"), ("keepalives_interval", "5"),
                ("keepalives_count", "3"), ("tcp_user_timeout", "15000"),
                ("dbname", address.url), ("client_encoding", "UTF8"),
            ], place: address.description)
        do {
            for setting in Self.settings { try execute(setting, []) }
            try execute(
                "SET idle_in_transaction_session_timeout TO \(limits.idle.milliseconds)", [])
            try execute("SET lock_timeout TO \(limits.lock.milliseconds)", [])
        } catch {
            throw error as? DatabaseError ?? .failed("\(error)")
        }
    }

    /// A role or a database may have defaults of its own. Version 17 has `transaction_timeout`.
    ///
    /// None of these may cancel a commit: a cancelled wait for a replica is reported as a success
    /// with a warning. So there is no `statement_timeout`; the client's deadline closes the
    /// connection, and the server notices that within a second. It does not while a commit waits
    /// for a replica (`SyncRepWaitForLSN` does not look), so that connection is kept until the
    /// commit has ended: see `isCommitting`.
    private static let settings = [
        "SET synchronous_commit TO on", "SET client_min_messages TO warning",
        "SET client_connection_check_interval TO 1000", "SET statement_timeout TO 0",
        "SET idle_session_timeout TO 0", "SET default_transaction_isolation TO 'read committed'",
        """
        SELECT set_config(name, '0', false) FROM pg_settings WHERE name = 'transaction_timeout'
        """,
    ]

    // MARK: Statements

    @discardableResult
    func execute(_ sql: String, _ values: [SQLValue]) throws -> Int {
        let result = try run(sql, values)
        defer { PQclear(result) }
        return Int(String(cString: PQcmdTuples(result))) ?? 0
    }

    func query<Value>(_ sql: String, _ values: [SQLValue], _ read: (SQLRow) throws -> Value)
        throws -> [Value]
    {
        let result = try run(sql, values)
        defer { PQclear(result) }
        let columns = prepared[sql]?.columns ?? PostgreSQLStatement.columns(of: result)
        let rows = PostgreSQLRows(result, columns: columns)
        return try (0..<PQntuples(result)).map { row in
            rows.row = row
            return try read(SQLRow(rows))
        }
    }

    /// The types of a statement's parameters.
    func parameterTypes(of sql: String) throws -> [Oid] { try statement(sql).parameters }

    /// Runs one statement for each list of values, in one round trip. Returns the first row of
    /// each; nil where there is none.
    func batch<Value>(
        _ sql: String, _ lists: [[SQLValue]], _ read: (SQLRow) throws -> Value
    ) throws -> [Value?] {
        var values: [Value?] = []
        // The server answers while it is sent more: neither side may fill the other's buffers.
        for start in stride(from: 0, to: lists.count, by: Self.statementsAtOnce) {
            let part = lists[start..<min(start + Self.statementsAtOnce, lists.count)]
            for list in part { try send(sql, list) }
            let results = try pipeline.receive(last: part.count, within: time(limits.statement))
            defer { for result in results { PQclear(result) } }
            let columns = prepared[sql]?.columns ?? [:]
            values += try results.map { result in
                guard PQntuples(result) > 0 else { return nil }
                return try read(SQLRow(PostgreSQLRows(result, columns: columns)))
            }
        }
        return values
    }

    /// Sends a statement that may wait for a lock as long as the limit for locks says, and so gets
    /// that much more time.
    func sendLock(_ sql: String, _ values: [SQLValue]) throws {
        try send(sql, values)
        locks += 1
    }

    /// How long the results of everything sent may take.
    private func time(_ limit: Duration) -> Duration {
        defer { locks = 0 }
        return limit + limits.lock * locks
    }

    /// Sends a statement without waiting for its result. Its error is that of the next statement
    /// which is waited for.
    func send(_ sql: String, _ values: [SQLValue]) throws {
        if let failure { throw failure }
        guard Self.isWorthPreparing(sql) else { return try pipeline.send(sql) }
        let statement = try statement(sql)
        try pipeline.send(
            prepared: statement.name,
            PostgreSQLParameters(values, types: statement.parameters))
    }

    func tryLock(_ people: [UserID]) throws -> Set<UserID> {
        Set(
            try batch(
                "SELECT id FROM users WHERE id = $1 FOR NO KEY UPDATE SKIP LOCKED",
                people.map { [.id($0)] }
            ) { try $0["id"] as UserID }
            .compactMap(\.self))
    }

    /// The payloads of the notifications that have come; waits for one as long as `limit`.
    func notifications(within limit: Duration) throws -> [String] {
        try pipeline.notifications(within: limit)
    }

    /// True if the server answers soon. Only between transactions.
    func answers() -> Bool {
        do {
            try pipeline.send("SELECT 1")
            for result in try pipeline.receive(last: 1, within: limits.answer) { PQclear(result) }
            return true
        } catch {
            pipeline.markBroken()
            return false
        }
    }

    private func run(
        _ sql: String, _ values: [SQLValue], within limit: Duration? = nil
    ) throws -> OpaquePointer {
        try send(sql, values)
        return try pipeline.receive(last: 1, within: time(limit ?? limits.statement))[0]
    }

    /// Control of transactions and changes of the schema gain nothing from being prepared.
    private static func isWorthPreparing(_ sql: String) -> Bool {
        ["SELECT", "INSERT", "UPDATE", "DELETE", "WITH"].contains { sql.hasPrefix($0) }
    }

    private func statement(_ sql: String) throws -> PostgreSQLStatement {
        if let known = prepared[sql] { return known }
        let name = "s\(prepared.count)"
        try pipeline.prepare(sql, as: name)
        let results = try pipeline.receive(last: 1, within: time(limits.statement))
        defer { for result in results { PQclear(result) } }
        let statement = PostgreSQLStatement(name: name, description: results[0])
        prepared[sql] = statement
        return statement
    }

    // MARK: Transactions

    /// Taken when it is first asked for, and after the locks: of two transactions about a person
    /// the one that had to wait is the later one.
    var now: Date {
        if let moment { return moment }
        do { try pipeline.settle(within: time(limits.statement)) } catch { failure = error }
        let now = clock()
        moment = now
        return now
    }

    /// Sets the time for statements outside of a transaction.
    func startReading(by clock: @escaping () -> Date) {
        self.clock = clock
        moment = nil
        failure = nil
    }

    /// Begins a transaction with the next statement that is waited for.
    func begin(_ sql: String = "BEGIN", by clock: @escaping () -> Date) throws {
        startReading(by: clock)
        try send(sql, [])
    }

    /// Ends a transaction that has only read, without a round trip of its own.
    func sendCommitOfReads() throws {
        try send("COMMIT", [])
        try pipeline.push(within: limits.statement)
    }

    /// Commits. Throws `DatabaseError.outcomeUnknown` if the commit may or may not be in force: the
    /// connection was lost, or PostgreSQL warned that it did not wait for its replica.
    func commit() throws {
        let before = pipeline.warnings
        do {
            let result = try run("COMMIT", [], within: limits.commit)
            defer { PQclear(result) }
            guard String(cString: PQcmdStatus(result)) == "COMMIT" else {
                throw DatabaseError.failed("the transaction was rolled back")
            }
        } catch {
            guard isBroken else { throw error }
            hasLateCommit = pipeline.isSilent
            throw DatabaseError.outcomeUnknown(path: address.description)
        }
        guard pipeline.warnings == before else {
            pipeline.markBroken()
            throw DatabaseError.outcomeUnknown(path: address.description)
        }
    }

    /// Undoes the transaction. A connection that can't is broken.
    func rollBack() {
        guard !isBroken else { return }
        failure = nil
        do { try execute("ROLLBACK", []) } catch { pipeline.markBroken() }
    }
}
