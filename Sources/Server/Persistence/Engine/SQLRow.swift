import Domain
import Foundation

/// One row of a result, read by column name: `let name: String = try row["name"]`. Valid only
/// inside the closure that reads it.
public struct SQLRow {
    private let values: any SQLRowValues

    init(_ values: any SQLRowValues) { self.values = values }

    /// The value of a column. Throws `DatabaseError.unreadable` if the column doesn't exist or
    /// holds a value of another type; an optional reads NULL as nil.
    public subscript<Value: SQLReadable>(_ column: String) -> Value {
        get throws { try Value(values, at: values.index(of: column)) }
    }

    public func isNull(_ column: String) throws -> Bool {
        values.isNull(at: try values.index(of: column))
    }

    func onlyValue<Value: SQLReadable>() throws -> Value { try Value(values, at: 0) }
}

/// A row's column indices and values, as an engine provides them. Each accessor throws
/// `DatabaseError.unreadable` for a value of another type.
public protocol SQLRowValues: AnyObject {
    /// Returns the index of a column. Throws `DatabaseError.unreadable` if it is missing.
    func index(of column: String) throws -> Int
    func isNull(at index: Int) -> Bool
    func integer(at index: Int) throws -> Int64
    func text(at index: Int) throws -> String
    func blob(at index: Int) throws -> Data
    func uuid(at index: Int) throws -> UUID
}

public protocol SQLReadable {
    init(_ row: any SQLRowValues, at index: Int) throws
}

extension Optional: SQLReadable where Wrapped: SQLReadable {
    public init(_ row: any SQLRowValues, at index: Int) throws {
        self = row.isNull(at: index) ? nil : try Wrapped(row, at: index)
    }
}

extension Int64: SQLReadable {
    public init(_ row: any SQLRowValues, at index: Int) throws { self = try row.integer(at: index) }
}

extension Int: SQLReadable {
    public init(_ row: any SQLRowValues, at index: Int) throws {
        self = Int(try row.integer(at: index))
    }
}

/// Stored as 0 or 1.
extension Bool: SQLReadable {
    public init(_ row: any SQLRowValues, at index: Int) throws {
        self = try row.integer(at: index) != 0
    }
}

/// Stored as milliseconds since 1970.
extension Date: SQLReadable {
    public init(_ row: any SQLRowValues, at index: Int) throws {
        self.init(milliseconds: try row.integer(at: index))
    }
}

extension String: SQLReadable {
    public init(_ row: any SQLRowValues, at index: Int) throws { self = try row.text(at: index) }
}

extension Data: SQLReadable {
    public init(_ row: any SQLRowValues, at index: Int) throws { self = try row.blob(at: index) }
}

extension UUID: SQLReadable {
    public init(_ row: any SQLRowValues, at index: Int) throws { self = try row.uuid(at: index) }
}

extension ID: SQLReadable {
    public init(_ row: any SQLRowValues, at index: Int) throws {
        self.init(try row.uuid(at: index))
    }
}
