import CPostgreSQL
import Foundation

/// A connection of libpq in pipeline mode: what is sent travels together, and the results come in
/// the same order. One thread at a time uses it.
///
/// Each wait has a deadline. After a deadline, a lost connection or an answer that is not
/// understood it is broken for good, and its owner opens another one.
final class PostgreSQLPipeline {
    /// Part of what was sent, in the order in which the results come.
    private enum Awaited {
        case statement
        case synchronization
    }

    private let connection: OpaquePointer
    private let place: String
    private var awaited: [Awaited] = []
    /// How many statements were sent, without those that were only prepared.
    private(set) var statements = 0
    /// True after an error that leaves its state unknown.
    private(set) var isBroken = false
    /// True after a wait that was in vain.
    private(set) var isSilent = false
    /// False if it is broken, or the server has ended it: what it says last lies in the socket.
    var isAlive: Bool {
        while !isBroken, hasInput {
            if PQconsumeInput(connection) != 1 { isBroken = true }
        }
        return !isBroken
    }
    /// The id of the server's process for this connection.
    var backend: Int { Int(PQbackendPID(connection)) }
    /// How many warnings the server has sent.
    var warnings: Int { counter.count }
    private let counter = WarningCounter()

    /// `client_connection_check_interval` is of version 14.
    private static let oldestVersion: Int32 = 140_000

    /// Connects. Throws `DatabaseError.unreachable`, or `cannotOpen` for a server that is too old.
    /// - Parameters:
    ///   - options: libpq's keywords; of two equal ones the later counts.
    ///   - place: the database without user and password.
    init(_ options: [(String, String)], place: String) throws(DatabaseError) {
        self.place = place
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
        // Else the text of an error holds the values of the row.
        PQsetErrorVerbosity(connection, PQERRORS_TERSE)
        PQsetNoticeReceiver(
            connection,
            { context, _ in
                guard let context else { return }
                Unmanaged<WarningCounter>.fromOpaque(context).takeUnretainedValue().count += 1
            }, Unmanaged.passUnretained(counter).toOpaque())
    }

    // It also runs when `init` throws after the first property was set.
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
        awaited.append(.statement)
        try check(PQsendDescribePrepared(connection, name))
        awaited.append(.statement)
    }

    func send(_ sql: String) throws {
        try check(PQsendQueryParams(connection, sql, 0, nil, nil, nil, nil, 1))
        awaited.append(.statement)
        statements += 1
    }

    func send(prepared name: String, _ parameters: PostgreSQLParameters) throws {
        let isSent = parameters.withPointers { values, lengths, formats in
            PQsendQueryPrepared(
                connection, name, Int32(values.count), values, lengths, formats, 1)
        }
        try check(isSent)
        awaited.append(.statement)
        statements += 1
    }

    /// Sends what is buffered, with a mark to which the server works it off.
    func push(within limit: Duration) throws {
        try synchronize()
        try flush(until: .now + limit)
    }

    // MARK: Receiving

    /// Waits for the results of everything sent, and returns the last ones. Throws the first error
    /// among them. The caller clears what it gets.
    func receive(last count: Int, within limit: Duration) throws -> [OpaquePointer] {
        let deadline = ContinuousClock.now + limit
        try synchronize()
        try flush(until: deadline)
        var results: [OpaquePointer] = []
        var isComplete = false
        // The results of a failure are nobody's.
        defer { if !isComplete { for result in results { PQclear(result) } } }
        var failure: DatabaseError?
        let expected = awaited
        awaited = []
        for next in expected {
            switch next {
            case .synchronization: try receiveMark(until: deadline)
            case .statement:
                while let result = try receive(until: deadline) {
                    switch PQresultStatus(result) {
                    case PGRES_COMMAND_OK, PGRES_TUPLES_OK: results.append(result)
                    case PGRES_PIPELINE_ABORTED: PQclear(result)
                    default:
                        failure = failure ?? PostgreSQLFailure.translate(result, place: place)
                        PQclear(result)
                    }
                }
            }
        }
        if let failure {
            if PQstatus(connection) != CONNECTION_OK || failure.isOfTheConnection { markBroken() }
            throw failure
        }
        guard results.count >= count else { throw broken("an answer is missing") }
        isComplete = true
        for result in results.dropLast(count) { PQclear(result) }
        return results.suffix(count)
    }

    /// Waits until everything sent is done. Throws the first error.
    func settle(within limit: Duration) throws {
        guard !awaited.isEmpty else { return }
        _ = try receive(last: 0, within: limit)
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

    private func receiveMark(until deadline: ContinuousClock.Instant) throws {
        let result = try receive(until: deadline)
        defer { PQclear(result) }
        guard let result, PQresultStatus(result) == PGRES_PIPELINE_SYNC else {
            throw broken("an answer came that nobody had asked for")
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
                // The server may want to be read before it reads on.
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

    /// False when the deadline has come.
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

    /// True if something was received, or the connection was closed.
    var hasInput: Bool { (try? isReady(for: POLLIN, until: .now)) ?? true }

    private func check(_ isDone: Int32) throws {
        guard isDone == 1 else { throw broken(nil) }
    }

    func markBroken() { isBroken = true }

    /// - Parameter reason: nil for libpq's own words.
    private func broken(_ reason: String?) -> DatabaseError {
        isBroken = true
        if let reason { return .unreachable(path: place, reason: reason) }
        return PostgreSQLFailure.translate(connection: connection, place: place)
    }
}

/// The warnings of one connection. libpq calls on the thread that uses the connection.
private final class WarningCounter {
    var count = 0
}
