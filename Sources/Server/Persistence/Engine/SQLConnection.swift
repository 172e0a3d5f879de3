import Domain
import Foundation

/// A value bound to a statement. Times are stored as integer milliseconds, ids as 16 bytes.
public enum SQLValue: Sendable, Equatable {
    case null
    case integer(Int64)
    case text(String)
    case blob(Data)
    case uuid(UUID)
    /// Values of one type. Allowed only if `takesLists` is true.
    case list([SQLValue])
}

/// One connection inside a transaction. SQLite and PostgreSQL run the same statements, with `$1`,
/// `$2`, … as placeholders.
public protocol SQLConnection {
    /// The transaction's time, by the server's clock. It doesn't change during the transaction.
    var now: Date { get }

    /// Runs a statement. Returns the number of changed rows. Throws `DatabaseError`.
    @discardableResult
    func execute(_ sql: String, _ values: [SQLValue]) throws -> Int

    /// Runs a statement without a result. Throws an error at once or in the next statement.
    func send(_ sql: String, _ values: [SQLValue]) throws

    /// Locks people for the rest of the transaction, and returns the people it has locked. It skips
    /// people locked by another transaction instead of waiting.
    func tryLock(_ people: [UserID]) throws -> Set<UserID>

    /// Appends events to their users' logs. Returns their sequence numbers, which are consecutive
    /// within a log.
    func append(
        _ events: [(user: UserID, event: EncodedEvent)], at time: Date
    ) throws -> [Int64]

    /// Deletes a user's log and the counter for its sequence numbers.
    func deleteEvents(of user: UserID) throws

    var takesLists: Bool { get }

    /// Inserts rows into a table. Throws an error at once or in the next statement.
    func insert(into table: String, _ columns: [String], _ rows: [[SQLValue]]) throws

    /// Deletes expired events from the start of each log.
    /// - Parameter newest: the newest sequence number of each log.
    func pruneEvents(_ newest: [(user: UserID, number: Int64)], until time: Date) throws

    /// Runs a query and reads every row. Throws `DatabaseError`.
    func query<Value>(_ sql: String, _ values: [SQLValue], _ read: (SQLRow) throws -> Value)
        throws -> [Value]
}

extension SQLConnection {
    public func send(_ sql: String, _ values: [SQLValue]) throws { try execute(sql, values) }

    /// SQLite has a single writer, so no other transaction ever holds a lock.
    public func tryLock(_ people: [UserID]) throws -> Set<UserID> { Set(people) }

    public func first<Value>(
        _ sql: String, _ values: [SQLValue], _ read: (SQLRow) throws -> Value
    ) throws -> Value? {
        try query(sql, values, read).first
    }

    /// Returns the only column of every row.
    public func values<Value: SQLReadable>(_ sql: String, _ values: [SQLValue]) throws -> [Value] {
        try query(sql, values) { try $0.onlyValue() }
    }

    /// Returns the only column of the first row; nil if the column is NULL or no row matches.
    public func value<Value: SQLReadable>(_ sql: String, _ values: [SQLValue]) throws -> Value? {
        try first(sql, values) { try $0.onlyValue() as Value? } ?? nil
    }

    /// Returns the number in the only column of the first row; 0 if it is NULL or no row matches.
    public func count(_ sql: String, _ values: [SQLValue]) throws -> Int {
        try value(sql, values) ?? 0
    }

    public func hasRow(_ sql: String, _ values: [SQLValue]) throws -> Bool {
        try first(sql, values) { _ in true } ?? false
    }
}

extension Page {
    /// The two values of `(time, id) < ($n, $n+1)`. Without a `before`, they exceed every row's
    /// values, so the newest page is read.
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
