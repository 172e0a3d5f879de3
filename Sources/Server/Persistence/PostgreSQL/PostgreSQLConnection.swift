import CPostgreSQL
import Domain
import Foundation

/// One connection to PostgreSQL. A statement sent without awaiting its result travels with the next
/// awaited statement. Only one thread may use a connection at a time.
final class PostgreSQLConnection: SQLConnection {
    private static let statementsAtOnce = 100
    /// The timeout for applying the settings of a new connection. `limits.statement` may be much
    /// longer, for migrations.
    private static let setUp: Duration = .seconds(10)

    let pipeline: PostgreSQLPipeline
    let address: PostgreSQLAddress
    private let limits: Limits
    /// The number of sent, unawaited statements that may each wait for a lock.
    private var locks = 0
    private var prepared: [String: PostgreSQLStatement] = [:]
    private var clock: () -> Date = { .distantPast }
    private var moment: Date?
    /// An error found where throwing is impossible. The next statement throws it.
    private var failure: (any Error)?

    var statements: Int { pipeline.statements }

    /// True after an error that leaves the connection's state unknown.
    var isBroken: Bool { pipeline.isBroken }
    /// False if the connection is broken or the server has closed it.
    var isAlive: Bool { pipeline.isAlive }
    /// True if the server didn't respond in time. False for a late commit, which may be waiting for
    /// a replica.
    var isSilent: Bool { pipeline.isSilent && !hasLateCommit }
    /// True if the connection is broken because a commit timed out.
    private(set) var hasLateCommit = false

    /// Connects to the first host that accepts writes. Throws `DatabaseError`.
    /// - Parameter refusals: records which statements are refused and which work.
    init(
        _ address: PostgreSQLAddress, limits: Limits, refusals: RefusedStatements? = nil
    ) throws(DatabaseError) {
        self.address = address
        self.limits = limits
        // A later entry overrides an earlier one, so the URL overrides the ones before it.
        pipeline = try PostgreSQLPipeline(
            [
                ("fallback_application_name", "lifesignal"),
                ("target_session_attrs", "read-write"),
                ("connect_timeout", "\(max(2, Int(limits.connect / .seconds(1))))"),
                ("keepalives_idle", "10"), ("keepalives_interval", "5"),
                ("keepalives_count", "3"), ("tcp_user_timeout", "15000"),
                ("dbname", address.url), ("client_encoding", "UTF8"),
            ], place: address.description, refusals: refusals)
        do {
            for setting in Self.settings { try pipeline.send(setting) }
            try pipeline.send(
                "SET idle_in_transaction_session_timeout TO \(limits.idle.milliseconds)")
            try pipeline.send("SET lock_timeout TO \(limits.lock.milliseconds)")
            try pipeline.settle(within: min(limits.statement, Self.setUp))
        } catch {
            throw error as? DatabaseError ?? .failed("\(error)")
        }
    }

    /// Settings that override the defaults of the role and the database. `transaction_timeout`
    /// exists since version 17.
    ///
    /// A commit must never be cancelled: PostgreSQL reports a cancelled wait for a replica as a
    /// success with a warning. So `statement_timeout` is off. Instead, the client closes the
    /// connection at its own deadline, and the server notices within a second. It doesn't notice
    /// while a commit waits for a replica (in `SyncRepWaitForLSN`): see `isCommitting`.
    ///
    /// If the network is cut, the server doesn't see the connection close.
    /// `idle_in_transaction_session_timeout` then ends an idle transaction. The server's keepalive
    /// probes (`tcp_…`) end a running statement.
    private static let settings = [
        "SET synchronous_commit TO on", "SET client_min_messages TO warning",
        "SET client_connection_check_interval TO 1000", "SET statement_timeout TO 0",
        "SET tcp_keepalives_idle TO 5", "SET tcp_keepalives_interval TO 2",
        "SET tcp_keepalives_count TO 3", "SET tcp_user_timeout TO 10000",
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

    private func parameterTypes(of sql: String) throws -> [Oid] { try statement(sql).parameters }

    /// Runs a statement once for each list of values, in one round trip. Returns the first row of
    /// each run, or nil for a run without rows.
    func batch<Value>(
        _ sql: String, _ lists: [[SQLValue]], _ read: (SQLRow) throws -> Value
    ) throws -> [Value?] {
        var values: [Value?] = []
        // The server responds while statements are still being sent. Small parts keep the buffers
        // of both sides from filling up.
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

    /// Sends a statement that may wait for a lock, and extends the timeout for its result.
    func sendLock(_ sql: String, _ values: [SQLValue]) throws {
        try send(sql, values)
        locks += 1
    }

    /// Returns the timeout for the results of all statements sent so far.
    private func time(_ limit: Duration) -> Duration {
        defer { locks = 0 }
        return limit + limits.lock * locks
    }

    /// Sends a statement without awaiting its result. The next awaited statement throws its error.
    func send(_ sql: String, _ values: [SQLValue]) throws {
        if let failure { throw failure }
        guard Self.isWorthPreparing(sql) else { return try pipeline.send(sql) }
        let statement = try statement(sql)
        try pipeline.send(
            prepared: statement.name, of: sql,
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

    func notifications(within limit: Duration) throws -> [String] {
        try pipeline.notifications(within: limit)
    }

    /// Returns true if the server responds within `limits.answer`. Must not be called inside a
    /// transaction.
    func answers() -> Bool {
        do {
            try pipeline.send("SELECT 1")
            for result in try pipeline.receive(last: 1, within: limits.answer) { PQclear(result) }
            return true
        } catch {
            pipeline.disconnect()
            return false
        }
    }

    private func run(
        _ sql: String, _ values: [SQLValue], within limit: Duration? = nil
    ) throws -> OpaquePointer {
        try send(sql, values)
        return try pipeline.receive(last: 1, within: time(limit ?? limits.statement))[0]
    }

    /// Returns false for transaction control and schema changes, where preparing gains nothing.
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

    /// The transaction's time: the clock at the first read of this property. The locks are taken
    /// before, so a transaction that waited for a lock has the later time.
    var now: Date {
        if let moment { return moment }
        do { try pipeline.settle(within: time(limits.statement)) } catch { failure = error }
        let now = clock()
        moment = now
        return now
    }

    /// Sets the clock, for statements outside a transaction.
    func startReading(by clock: @escaping () -> Date) {
        self.clock = clock
        moment = nil
        failure = nil
    }

    /// Begins a transaction. The statement is sent together with the next awaited one.
    func begin(_ sql: String = "BEGIN", by clock: @escaping () -> Date) throws {
        startReading(by: clock)
        try send(sql, [])
    }

    /// Ends a read-only transaction without a separate round trip.
    func sendCommitOfReads() throws {
        try send("COMMIT", [])
        try pipeline.push(within: limits.statement)
    }

    /// Commits. Throws `DatabaseError.outcomeUnknown` if the connection was lost, or if PostgreSQL
    /// warned that it didn't wait for its replica.
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

    /// Rolls back. If that fails, closes the connection so that the server releases its row locks.
    /// A connection with a late commit stays open: see `isCommitting`.
    func rollBack() {
        if !isBroken {
            failure = nil
            do { try execute("ROLLBACK", []) } catch { pipeline.markBroken() }
        }
        if isBroken, !hasLateCommit { pipeline.disconnect() }
    }
}

extension PostgreSQLConnection {
    struct Limits: Sendable {
        /// The time to connect to each host; libpq takes whole seconds, at least two.
        var connect: Duration = .seconds(5)
        var statement: Duration = .seconds(10)
        /// Longer than `statement`, because a commit may wait for a replica.
        var commit: Duration = .seconds(20)
        /// How long a statement waits for rows that another transaction has locked.
        var lock: Duration = .seconds(5)
        /// How long a transaction may be idle between two statements. Equal to `statement` by
        /// default, so the server releases the locks when the client gives up.
        var idle: Duration = .seconds(10)
        /// The time limit for answering a probe.
        var answer: Duration = .seconds(1)
        /// How long a job waits for a free connection.
        var waiting: Duration = .seconds(10)
    }
}

extension PostgreSQLConnection {
    /// Returns true while the server still works on a commit that timed out here. Until the commit
    /// ends, the server keeps its locks and its connection slot, even if the client disconnects.
    /// - Parameter other: a new connection. After a failover, it may lead to another server.
    func isCommitting(seenFrom other: PostgreSQLConnection) -> Bool {
        guard hasLateCommit, !pipeline.hasInput else { return false }
        let isAtWork = try? other.hasRow(
            """
            SELECT 1 FROM pg_stat_activity
            WHERE pid = $1::bigint AND state = 'active' AND query = 'COMMIT'
            """, [.int(pipeline.backend)])
        return isAtWork ?? true
    }

    var commitsAreLate: DatabaseError {
        .unreachable(
            path: address.description,
            reason: "commits do not finish there: check its replicas and its disk")
    }
}

extension PostgreSQLConnection {
    var takesLists: Bool { true }

    /// Sends the rows without awaiting the result. The next statement throws any error.
    func insert(into table: String, _ columns: [String], _ rows: [[SQLValue]]) throws {
        guard rows.count > 1 else {
            for row in rows { try send(Self.insertion(into: table, columns), row) }
            return
        }
        let types = try parameterTypes(of: Self.insertion(into: table, columns))
        let lists = types.enumerated().map { "$\($0 + 1)::\(PostgreSQLStatement.name(of: $1))[]" }
        try send(
            """
            INSERT INTO \(table) (\(columns.joined(separator: ", ")))
            SELECT * FROM unnest(\(lists.joined(separator: ", ")))
            """, columns.indices.map { column in .list(rows.map { $0[column] }) })
    }

    /// Takes the sequence numbers from one counter row per user. The rows are locked in the order
    /// of the users, so two transactions can't deadlock.
    func append(
        _ events: [(user: UserID, event: EncodedEvent)], at time: Date
    ) throws -> [Int64] {
        let counts = Dictionary(events.map { ($0.user, 1) }, uniquingKeysWith: +)
        let users = counts.keys.sorted { $0.uuid < $1.uuid }
        let newest = try query(
            """
            INSERT INTO event_numbers (user_id, newest)
            SELECT * FROM unnest($1::bytea[], $2::bigint[])
            ON CONFLICT (user_id) DO UPDATE SET newest = event_numbers.newest + EXCLUDED.newest
            RETURNING user_id, newest
            """,
            [.list(users.map { .id($0) }), .list(users.map { .int(counts[$0] ?? 0) })]
        ) { (try $0["user_id"] as UserID, try $0["newest"] as Int64) }
        var next = Dictionary(newest, uniquingKeysWith: max)
        for (user, count) in counts { next[user, default: 0] -= Int64(count) }
        let numbers = events.map { user, _ in
            next[user, default: 0] += 1
            return next[user] ?? 0
        }
        try insert(
            into: "events", ["user_id", "sequence", "kind", "happened_at", "data"],
            zip(events, numbers).map { event, number in
                [
                    .id(event.user), .integer(number), .text(event.event.kind.rawValue),
                    .date(time), .text(event.event.data),
                ]
            })
        return numbers
    }

    /// Sends one statement per log, in one round trip. A shard would reject one statement for all
    /// logs, whose subquery reads a list of people.
    func pruneEvents(_ newest: [(user: UserID, number: Int64)], until time: Date) throws {
        for (user, number) in newest {
            try send(Self.pruning, [.id(user), .integer(number), .date(time)])
        }
    }

    func deleteEvents(of user: UserID) throws {
        try send("DELETE FROM event_numbers WHERE user_id = $1", [.id(user)])
        try send("DELETE FROM events WHERE user_id = $1", [.id(user)])
    }
}
