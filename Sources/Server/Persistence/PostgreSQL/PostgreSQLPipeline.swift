import CPostgreSQL
import Foundation

/// A libpq connection in pipeline mode: statements are sent together, and their results arrive in
/// the same order. Only one thread may use it at a time.
///
/// Each wait has a deadline. A timeout, a lost connection or an unexpected response breaks the
/// pipeline permanently.
final class PostgreSQLPipeline {
    private enum Awaited {
        case statement(String)
        case synchronization
    }

    private let connection: OpaquePointer
    private let place: String
    private let refusals: RefusedStatements?
    private var awaited: [Awaited] = []
    /// The number of sent statements, without those that were only prepared.
    private(set) var statements = 0
    private(set) var isBroken = false
    /// True after a timeout.
    private(set) var isSilent = false
    /// False if the connection is broken or the server has closed it. Reads the socket to find out.
    var isAlive: Bool {
        while !isBroken, hasInput {
            if PQconsumeInput(connection) != 1 { isBroken = true }
        }
        return !isBroken
    }
    /// The id of the server process for this connection.
    var backend: Int { Int(PQbackendPID(connection)) }
    var warnings: Int { counter.count }
    private let counter = WarningCounter()

    /// The oldest supported version, the first one with `client_connection_check_interval`.
    private static let oldestVersion: Int32 = 140_000

    /// Connects. Throws `DatabaseError.unreachable`, or `cannotOpen` if the server is too old.
    /// - Parameters:
    ///   - options: libpq's keywords; a later one overrides an earlier one with the same name.
    ///   - place: the database's description without user and password.
    ///   - refusals: records which statements are refused and which work.
    init(
        _ options: [(String, String)], place: String, refusals: RefusedStatements? = nil
    ) throws(DatabaseError) {
        self.place = place
        self.refusals = refusals
        guard let connection = Self.connect(options) else { throw .failed("out of memory") }
        self.connection = connection
        guard PQstatus(connection) == CONNECTION_OK else {
            throw PostgreSQLFailure.translate(connection: connection, place: place)
        }
        guard PQserverVersion(connection) >= Self.oldestVersion else {
            throw .cannotOpen(
                path: place, reason: "it is older than PostgreSQL \(Self.oldestVersion / 10_000)")
        }
        guard PQsetnonblocking(connection, 1) == 0, PQenterPipelineMode(connection) == 1 else {
            throw .failed("libpq has no pipeline mode")
        }
        // More verbose errors would contain the row's values.
        PQsetErrorVerbosity(connection, PQERRORS_TERSE)
        PQsetNoticeReceiver(
            connection,
            { context, _ in
                guard let context else { return }
                Unmanaged<WarningCounter>.fromOpaque(context).takeUnretainedValue().count += 1
            }, Unmanaged.passUnretained(counter).toOpaque())
    }

    // `deinit` also runs if `init` throws after all properties were set.
    deinit { PQfinish(connection) }

    private static func connect(_ options: [(String, String)]) -> OpaquePointer? {
        let keywords = options.map { strdup($0.0) }
        let values = options.map { strdup($0.1) }
        defer { for text in keywords + values { free(text) } }
        return PQconnectdbParams(
            keywords.map { UnsafePointer($0) } + [nil], values.map { UnsafePointer($0) } + [nil], 1)
    }

    // MARK: Sending

    func prepare(_ sql: String, as name: String) throws {
        try check(PQsendPrepare(connection, name, sql, 0, nil))
        awaited.append(.statement(sql))
        try check(PQsendDescribePrepared(connection, name))
        awaited.append(.statement(sql))
    }

    func send(_ sql: String) throws {
        try check(PQsendQueryParams(connection, sql, 0, nil, nil, nil, nil, 1))
        awaited.append(.statement(sql))
        statements += 1
    }

    /// - Parameter sql: the SQL that was prepared as `name`.
    func send(
        prepared name: String, of sql: String, _ parameters: PostgreSQLParameters
    ) throws {
        let isSent = parameters.withPointers { values, lengths, formats in
            PQsendQueryPrepared(
                connection, name, Int32(values.count), values, lengths, formats, 1)
        }
        try check(isSent)
        awaited.append(.statement(sql))
        statements += 1
    }

    /// Sends the buffered statements, and a sync that makes the server process them.
    func push(within limit: Duration) throws {
        try synchronize()
        try flush(until: .now + limit)
    }

    // MARK: Receiving

    /// Waits for the results of all sent statements, and returns the last ones. Throws the first
    /// error among all results. The caller must clear the returned results.
    func receive(last count: Int, within limit: Duration) throws -> [OpaquePointer] {
        let deadline = ContinuousClock.now + limit
        try synchronize()
        try flush(until: deadline)
        var results: [OpaquePointer] = []
        var isComplete = false
        // On failure the caller gets no results, so they are cleared here.
        defer { if !isComplete { for result in results { PQclear(result) } } }
        var failure: DatabaseError?
        let expected = awaited
        awaited = []
        for next in expected {
            switch next {
            case .synchronization: try receiveMark(until: deadline)
            case .statement(let sql):
                while let result = try receive(until: deadline) {
                    switch PQresultStatus(result) {
                    case PGRES_COMMAND_OK, PGRES_TUPLES_OK: results.append(result)
                    case PGRES_PIPELINE_ABORTED: PQclear(result)
                    default:
                        if failure == nil {
                            let error = PostgreSQLFailure.translate(result, place: place)
                            failure = error
                            refusals?.note(error, of: sql)
                        }
                        PQclear(result)
                    }
                }
            }
        }
        if let failure {
            if PQstatus(connection) != CONNECTION_OK || failure.isOfTheConnection { markBroken() }
            throw failure
        }
        if let refusals, !refusals.isEmpty {
            for case .statement(let sql) in expected { refusals.end(of: sql) }
        }
        guard results.count >= count else { throw broken("an answer is missing") }
        isComplete = true
        for result in results.dropLast(count) { PQclear(result) }
        return results.suffix(count)
    }

    /// Waits until all sent statements have finished. Throws the first error.
    func settle(within limit: Duration) throws {
        guard !awaited.isEmpty else { return }
        _ = try receive(last: 0, within: limit)
    }

    /// Returns the payloads of received notifications. Waits up to `limit` for the first.
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

    private func receiveMark(until deadline: ContinuousClock.Instant) throws {
        let result = try receive(until: deadline)
        defer { PQclear(result) }
        guard let result, PQresultStatus(result) == PGRES_PIPELINE_SYNC else {
            throw broken("an answer came without a request")
        }
    }

    private func receive(until deadline: ContinuousClock.Instant) throws -> OpaquePointer? {
        while PQisBusy(connection) == 1 {
            try wait(for: POLLIN, until: deadline)
            try check(PQconsumeInput(connection))
        }
        return PQgetResult(connection)
    }

    private func synchronize() throws {
        try check(PQpipelineSync(connection))
        awaited.append(.synchronization)
    }

    private func flush(until deadline: ContinuousClock.Instant) throws {
        while true {
            switch PQflush(connection) {
            case 0: return
            case 1:
                // The server may block until its output is read.
                try wait(for: POLLIN | POLLOUT, until: deadline)
                try check(PQconsumeInput(connection))
            default: throw broken(nil)
            }
        }
    }

    private func wait(for events: Int32, until deadline: ContinuousClock.Instant) throws {
        guard try isReady(for: events, until: deadline) else {
            isSilent = true
            throw broken("it did not answer in time")
        }
    }

    /// Waits until the socket is ready. Returns false if the deadline passes first.
    private func isReady(
        for events: Int32, until deadline: ContinuousClock.Instant
    ) throws -> Bool {
        while true {
            let left = max(.zero, deadline - .now)
            var descriptor = pollfd(
                fd: PQsocket(connection), events: Int16(events), revents: 0)
            let count = poll(
                &descriptor, 1, Int32(clamping: Int((left / .milliseconds(1)).rounded(.up))))
            if count > 0 { return true }
            if count == 0, left == .zero { return false }
            if count < 0, errno != EINTR { throw broken(String(cString: strerror(errno))) }
        }
    }

    /// True if data has arrived or the connection was closed.
    var hasInput: Bool { (try? isReady(for: POLLIN, until: .now)) ?? true }

    private func check(_ isDone: Int32) throws {
        guard isDone == 1 else { throw broken(nil) }
    }

    func markBroken() { isBroken = true }

    /// Ends the connection, so that the server rolls back its transaction. Never waits, because
    /// libpq's sockets don't block.
    func disconnect() {
        isBroken = true
        shutdown(PQsocket(connection), Int32(SHUT_RDWR))
    }

    /// - Parameter reason: nil to use libpq's own message.
    private func broken(_ reason: String?) -> DatabaseError {
        isBroken = true
        if let reason { return .unreachable(path: place, reason: reason) }
        return PostgreSQLFailure.translate(connection: connection, place: place)
    }
}

/// Counts the warnings of one connection. libpq updates it on the thread that uses the connection.
private final class WarningCounter {
    var count = 0
}
