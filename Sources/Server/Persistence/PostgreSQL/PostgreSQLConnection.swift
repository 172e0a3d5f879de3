import CPostgreSQL
import Domain
import Foundation

/// Statements on one connection to PostgreSQL, over libpq in its pipeline mode: a statement whose
/// result nobody waits for travels with the next one that is waited for. One thread at a time uses
/// it.
///
/// Each wait has a deadline. After a deadline, a lost connection or an answer that is not
/// understood the connection is broken for good, and its owner opens another one.
final class PostgreSQLConnection: SQLConnection {
    struct Limits: Sendable {
        /// For each host; libpq takes whole seconds, and at least two.
        var connect: Duration = .seconds(5)
        var statement: Duration = .seconds(10)
        /// Longer than a statement, because a commit may wait for a replica.
        var commit: Duration = .seconds(20)
    }

    /// Part of what was sent, in the order in which the results come.
    private enum Awaited {
        case statement
        case synchronization
    }

    private let connection: OpaquePointer
    private let address: PostgreSQLAddress
    private let limits: Limits
    private var prepared: [String: PostgreSQLStatement] = [:]
    private var awaited: [Awaited] = []
    private let warnings = WarningCounter()
    /// True after an error that leaves its state unknown.
    private(set) var isBroken = false
    /// Set by `begin`.
    private(set) var now = Date.distantPast

    /// Connects to the first host that takes writes. Throws `DatabaseError`.
    init(_ address: PostgreSQLAddress, limits: Limits) throws(DatabaseError) {
        self.address = address
        self.limits = limits
        // A later entry overrides an earlier one, so that the URL has the last word.
        let options: [(String, String)] = [
            ("fallback_application_name", "lifesignal"),
            ("target_session_attrs", "read-write"),
            ("connect_timeout", "\(max(2, Int(limits.connect / .seconds(1))))"),
            ("keepalives_idle", "10"), ("keepalives_interval", "5"), ("keepalives_count", "3"),
            ("tcp_user_timeout", "15000"),
            ("dbname", address.url),
            ("client_encoding", "UTF8"),
        ]
        guard let connection = Self.connect(options) else { throw .failed("out of memory") }
        self.connection = connection
        do {
            guard PQstatus(connection) == CONNECTION_OK else {
                throw PostgreSQLFailure.translate(
                    connection: connection, place: address.description)
            }
            guard PQserverVersion(connection) >= Self.oldestVersion else {
                throw DatabaseError.cannotOpen(
                    path: address.description,
                    reason: "it is older than PostgreSQL \(Self.oldestVersion / 10_000)")
            }
            guard PQsetnonblocking(connection, 1) == 0, PQenterPipelineMode(connection) == 1 else {
                throw DatabaseError.failed("libpq has no pipeline mode")
            }
            PQsetNoticeReceiver(
                connection,
                { context, _ in
                    guard let context else { return }
                    Unmanaged<WarningCounter>.fromOpaque(context).takeUnretainedValue().count += 1
                }, Unmanaged.passUnretained(warnings).toOpaque())
            for setting in Self.settings { try execute(setting, []) }
        } catch {
            throw error as? DatabaseError ?? .failed("\(error)")
        }
    }

    // It also runs when `init` throws after the first property was set.
    deinit { PQfinish(connection) }

    /// `client_connection_check_interval` is of version 14.
    private static let oldestVersion: Int32 = 140_000

    /// Nothing of these may cancel a commit: a cancelled wait for a replica is reported as a
    /// success with a warning. So there is no `statement_timeout`; the client's deadline closes the
    /// connection, and the server notices that within a second.
    private static let settings = [
        "SET synchronous_commit TO on", "SET client_min_messages TO warning",
        "SET client_connection_check_interval TO 1000", "SET lock_timeout TO 5000",
        "SET idle_in_transaction_session_timeout TO 30000",
    ]

    private static func connect(_ options: [(String, String)]) -> OpaquePointer? {
        let keywords = options.map { strdup($0.0) }
        let values = options.map { strdup($0.1) }
        defer { for text in keywords + values { free(text) } }
        return PQconnectdbParams(
            keywords.map { UnsafePointer($0) } + [nil], values.map { UnsafePointer($0) } + [nil], 1)
    }

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

    func tryLock(_ person: UserID) throws -> Bool {
        try hasRow(
            "SELECT 1 FROM users WHERE id = $1 FOR NO KEY UPDATE SKIP LOCKED", [.id(person)])
    }

    /// Sends a statement without waiting for its result. Its error is that of the next statement
    /// which is waited for.
    func send(_ sql: String, _ values: [SQLValue]) throws {
        let statement = try statement(sql)
        let parameters = try PostgreSQLParameters(values, types: statement.parameters)
        let isSent = parameters.withPointers { pointers, lengths, formats in
            statement.name.isEmpty
                ? PQsendQueryParams(connection, sql, 0, nil, nil, nil, nil, 1)
                : PQsendQueryPrepared(
                    connection, statement.name, Int32(pointers.count), pointers, lengths, formats,
                    1)
        }
        try check(isSent)
        awaited.append(.statement)
    }

    /// Sets the moment for statements outside of a transaction.
    func startReading(at now: Date) { self.now = now }

    /// Begins a transaction with the next statement that is waited for.
    func begin(_ sql: String = "BEGIN", at now: Date) throws {
        self.now = now
        try send(sql, [])
    }

    /// Ends a transaction that has only read, without a round trip of its own.
    func sendCommitOfReads() throws {
        try send("COMMIT", [])
        try synchronize()
        try flush(until: .now + limits.statement)
    }

    /// Commits. Throws `DatabaseError.outcomeUnknown` if the commit may or may not be in force: the
    /// connection was lost, or PostgreSQL warned that it did not wait for its replica.
    func commit() throws {
        let before = warnings.count
        do {
            let result = try run("COMMIT", [], within: limits.commit)
            defer { PQclear(result) }
            guard String(cString: PQcmdStatus(result)) == "COMMIT" else {
                throw DatabaseError.failed("the transaction was rolled back")
            }
        } catch {
            guard isBroken else { throw error }
            throw DatabaseError.outcomeUnknown(path: address.description)
        }
        guard warnings.count == before else {
            isBroken = true
            throw DatabaseError.outcomeUnknown(path: address.description)
        }
    }

    /// Undoes the transaction. A connection that can't is broken.
    func rollBack() {
        guard !isBroken else { return }
        do { try execute("ROLLBACK", []) } catch { isBroken = true }
    }

    /// The payloads of the notifications that have come; waits for one as long as `limit`.
    func notifications(within limit: Duration) throws -> [String] {
        let deadline = ContinuousClock.now + limit
        while true {
            try check(PQconsumeInput(connection))
            var payloads: [String] = []
            while let notification = PQnotifies(connection) {
                payloads.append(String(cString: notification.pointee.extra))
                PQfreemem(notification)
            }
            guard payloads.isEmpty, try isReady(for: POLLIN, until: deadline) else {
                return payloads
            }
        }
    }

    // MARK: Sending and receiving

    private func run(
        _ sql: String, _ values: [SQLValue], within limit: Duration? = nil
    ) throws -> OpaquePointer {
        try send(sql, values)
        return try receiveAll(within: limit ?? limits.statement)
    }

    private func statement(_ sql: String) throws -> PostgreSQLStatement {
        if let known = prepared[sql] { return known }
        // Control of transactions and changes of the schema gain nothing from being prepared.
        if ["SELECT", "INSERT", "UPDATE", "DELETE", "WITH"].allSatisfy({ !sql.hasPrefix($0) }) {
            return PostgreSQLStatement(unprepared: ())
        }
        let name = "s\(prepared.count)"
        try check(PQsendPrepare(connection, name, sql, 0, nil))
        awaited.append(.statement)
        try check(PQsendDescribePrepared(connection, name))
        awaited.append(.statement)
        let description = try receiveAll(within: limits.statement)
        defer { PQclear(description) }
        let statement = PostgreSQLStatement(name: name, description: description)
        prepared[sql] = statement
        return statement
    }

    /// Waits for the results of everything sent, and returns the last one. Throws the first error
    /// among them.
    private func receiveAll(within limit: Duration) throws -> OpaquePointer {
        let deadline = ContinuousClock.now + limit
        try synchronize()
        try flush(until: deadline)
        var last: OpaquePointer?
        var failure: DatabaseError?
        var remaining = awaited[...]
        awaited = []
        while let next = remaining.popFirst() {
            switch next {
            case .synchronization:
                let result = try receive(until: deadline)
                defer { PQclear(result) }
                guard let result, PQresultStatus(result) == PGRES_PIPELINE_SYNC else {
                    throw broken("an answer came that nobody had asked for")
                }
            case .statement:
                while let result = try receive(until: deadline) {
                    PQclear(last)
                    last = nil
                    switch PQresultStatus(result) {
                    case PGRES_COMMAND_OK, PGRES_TUPLES_OK: last = result
                    case PGRES_PIPELINE_ABORTED: PQclear(result)
                    default:
                        failure =
                            failure
                            ?? PostgreSQLFailure.translate(
                                result, place: address.description)
                        PQclear(result)
                    }
                }
            }
        }
        if let failure {
            PQclear(last)
            if PQstatus(connection) != CONNECTION_OK || failure.isOfTheConnection {
                isBroken = true
            }
            throw failure
        }
        guard let last else { throw broken("an answer is missing") }
        return last
    }

    private func synchronize() throws {
        try check(PQpipelineSync(connection))
        awaited.append(.synchronization)
    }

    private func receive(until deadline: ContinuousClock.Instant) throws -> OpaquePointer? {
        while PQisBusy(connection) == 1 {
            try wait(for: POLLIN, until: deadline)
            try check(PQconsumeInput(connection))
        }
        return PQgetResult(connection)
    }

    private func flush(until deadline: ContinuousClock.Instant) throws {
        while true {
            switch PQflush(connection) {
            case 0: return
            case 1:
                // The server may want to be read before it reads on.
                try wait(for: POLLIN | POLLOUT, until: deadline)
                try check(PQconsumeInput(connection))
            default: throw broken(nil)
            }
        }
    }

    private func wait(for events: Int32, until deadline: ContinuousClock.Instant) throws {
        guard try isReady(for: events, until: deadline) else {
            throw broken("it did not answer in time")
        }
    }

    /// False when the deadline has come.
    private func isReady(
        for events: Int32, until deadline: ContinuousClock.Instant
    ) throws -> Bool {
        while true {
            let left = deadline - .now
            guard left > .zero else { return false }
            var descriptor = pollfd(
                fd: PQsocket(connection), events: Int16(events), revents: 0)
            let count = poll(&descriptor, 1, Int32(clamping: Int(left / .milliseconds(1)) + 1))
            if count > 0 { return true }
            if count < 0, errno != EINTR { throw broken(String(cString: strerror(errno))) }
        }
    }

    private func check(_ isDone: Int32) throws {
        guard isDone == 1 else { throw broken(nil) }
    }

    /// - Parameter reason: nil for libpq's own words.
    private func broken(_ reason: String?) -> DatabaseError {
        isBroken = true
        if let reason { return .unreachable(path: address.description, reason: reason) }
        return PostgreSQLFailure.translate(connection: connection, place: address.description)
    }
}

/// The warnings of one connection. libpq calls on the thread that uses the connection.
private final class WarningCounter {
    var count = 0
}
