import Domain
import Foundation

/// A value bound to a statement. Times travel as integer milliseconds, ids as 16 bytes.
public enum SQLValue: Sendable, Equatable {
    case null
    case integer(Int64)
    case text(String)
    case blob(Data)
    case uuid(UUID)
    /// Values of one type, where `takesLists` is true.
    case list([SQLValue])
}

/// One connection inside a transaction. Statements are written once, for SQLite and PostgreSQL
/// alike, with `$1`, `$2`, … for their values.
public protocol SQLConnection {
    /// The moment at which the transaction began, by the server's time: one and the same for
    /// everything in it.
    var now: Date { get }

    /// Runs a statement. Returns how many rows it changed. Throws `DatabaseError`.
    @discardableResult
    func execute(_ sql: String, _ values: [SQLValue]) throws -> Int

    /// Locks people for the rest of the transaction, and leaves out at once those whom another
    /// transaction has. Returns those who are locked.
    func tryLock(_ people: [UserID]) throws -> Set<UserID>

    /// Writes events with the next numbers of their users' logs: without a gap, and never one
    /// twice. Returns the numbers in the order of the events.
    func append(
        _ events: [(user: UserID, event: EncodedEvent)], at time: Date
    ) throws -> [Int64]

    /// Deletes a user's log, with what its next number comes from.
    func deleteEvents(of user: UserID) throws

    /// True if one statement can be about a list of values.
    var takesLists: Bool { get }

    /// Adds rows to a table. Throws `DatabaseError`, maybe with the next statement only.
    func insert(into table: String, _ columns: [String], _ rows: [[SQLValue]]) throws

    /// Deletes what is kept no longer from the beginnings of logs that have grown up to these
    /// numbers.
    func pruneEvents(_ newest: [(user: UserID, number: Int64)], until time: Date) throws

    /// Runs a query and reads every row. Throws `DatabaseError`.
    func query<Value>(_ sql: String, _ values: [SQLValue], _ read: (SQLRow) throws -> Value)
        throws -> [Value]
}

extension SQLConnection {
    /// Where there is one writer, nobody else has anybody.
    public func tryLock(_ people: [UserID]) throws -> Set<UserID> { Set(people) }

    public func first<Value>(
        _ sql: String, _ values: [SQLValue], _ read: (SQLRow) throws -> Value
    ) throws -> Value? {
        try query(sql, values, read).first
    }

    /// The only column of every row.
    public func values<Value: SQLReadable>(_ sql: String, _ values: [SQLValue]) throws -> [Value] {
        try query(sql, values) { try $0.onlyValue() }
    }

    /// The only column of the first row; nil without a row, and for NULL.
    public func value<Value: SQLReadable>(_ sql: String, _ values: [SQLValue]) throws -> Value? {
        try first(sql, values) { try $0.onlyValue() as Value? } ?? nil
    }

    /// The number that is the only column of the first row; 0 without a row, and for NULL.
    public func count(_ sql: String, _ values: [SQLValue]) throws -> Int {
        try value(sql, values) ?? 0
    }

    /// True if the query finds a row.
    public func hasRow(_ sql: String, _ values: [SQLValue]) throws -> Bool {
        try first(sql, values) { _ in true } ?? false
    }
}

extension Page {
    /// The two values of `(time, id) < ($n, $n+1)`; for the newest page, more than any row has.
    var bound: [SQLValue] {
        guard let before else { return [.integer(.max), .blob(Data(repeating: 0xFF, count: 16))] }
        return [.integer(before.milliseconds), .uuid(before.id)]
    }
}

extension SQLValue {
    public static func id<Tag>(_ id: ID<Tag>) -> SQLValue { .uuid(id.uuid) }
    public static func id<Tag>(_ id: ID<Tag>?) -> SQLValue { id.map { .uuid($0.uuid) } ?? .null }
    public static func date(_ date: Date) -> SQLValue { .integer(date.milliseconds) }
    public static func date(_ date: Date?) -> SQLValue {
        date.map { .integer($0.milliseconds) } ?? .null
    }
    public static func bool(_ value: Bool) -> SQLValue { .integer(value ? 1 : 0) }
    public static func int(_ value: Int) -> SQLValue { .integer(Int64(value)) }
}
