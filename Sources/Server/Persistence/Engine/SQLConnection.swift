import Domain
import Foundation

/// A value bound to a statement. Times travel as integer milliseconds, ids as 16 bytes.
public enum SQLValue: Sendable, Equatable {
    case null
    case integer(Int64)
    case text(String)
    case blob(Data)
    case uuid(UUID)
}

/// One connection inside a transaction. Statements are written once, for SQLite and PostgreSQL
/// alike, with `$1`, `$2`, … for their values.
public protocol SQLConnection {
    /// Runs a statement. Returns how many rows it changed. Throws `DatabaseError`.
    @discardableResult
    func execute(_ sql: String, _ values: [SQLValue]) throws -> Int

    /// Runs a query and reads every row. Throws `DatabaseError`.
    func query<Value>(_ sql: String, _ values: [SQLValue], _ read: (any SQLRow) throws -> Value)
        throws -> [Value]
}

extension SQLConnection {
    public func first<Value>(
        _ sql: String, _ values: [SQLValue], _ read: (any SQLRow) throws -> Value
    ) throws -> Value? {
        try query(sql, values, read).first
    }

    public func count(_ sql: String, _ values: [SQLValue]) throws -> Int {
        try first(sql, values) { Int($0.integer(0)) } ?? 0
    }
}

/// One row of a result; columns are counted from 0. Valid only inside the closure that reads it.
public protocol SQLRow {
    func isNull(_ column: Int) -> Bool
    func integer(_ column: Int) -> Int64
    func text(_ column: Int) -> String
    func blob(_ column: Int) -> Data
    func uuid(_ column: Int) -> UUID
}

extension SQLRow {
    public func id<Tag>(_ column: Int) -> ID<Tag> { ID(uuid(column)) }
    public func optionalID<Tag>(_ column: Int) -> ID<Tag>? {
        isNull(column) ? nil : ID(uuid(column))
    }
    public func date(_ column: Int) -> Date { Date(milliseconds: integer(column)) }
    public func optionalDate(_ column: Int) -> Date? { isNull(column) ? nil : date(column) }
    public func bool(_ column: Int) -> Bool { integer(column) != 0 }
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
