import Foundation
import GRDB
import GRDBSQLite

/// The current row of a statement.
///
/// GRDB caches the column names with the prepared statement. The search for a name starts after the
/// column that was read last. If columns are read in order, each search ends at the first
/// comparison.
final class SQLiteRow: SQLRowValues {
    private let statement: OpaquePointer
    private let columns: [String]
    private var next = 0

    init(of prepared: GRDB.Statement) {
        statement = prepared.sqliteStatement
        columns = prepared.columnNames
        assert(Set(columns).count == columns.count, "two columns of one name: \(columns)")
    }

    func index(of column: String) throws -> Int {
        for offset in columns.indices {
            let index =
                next + offset < columns.count ? next + offset : next + offset - columns.count
            if columns[index] == column {
                next = index + 1
                return index
            }
        }
        throw DatabaseError.unreadable("there is no column \(column)")
    }

    func isNull(at index: Int) -> Bool { type(at: index) == SQLITE_NULL }

    func integer(at index: Int) throws -> Int64 {
        try check(index, holds: SQLITE_INTEGER, "an integer")
        return sqlite3_column_int64(statement, Int32(index))
    }

    func text(at index: Int) throws -> String {
        try check(index, holds: SQLITE_TEXT, "text")
        guard let bytes = sqlite3_column_text(statement, Int32(index)) else { return "" }
        let count = Int(sqlite3_column_bytes(statement, Int32(index)))
        return String(decoding: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self)
    }

    func blob(at index: Int) throws -> Data {
        try check(index, holds: SQLITE_BLOB, "bytes")
        guard let bytes = sqlite3_column_blob(statement, Int32(index)) else { return Data() }
        return Data(bytes: bytes, count: Int(sqlite3_column_bytes(statement, Int32(index))))
    }

    func uuid(at index: Int) throws -> UUID {
        guard type(at: index) == SQLITE_BLOB, sqlite3_column_bytes(statement, Int32(index)) == 16,
            let bytes = sqlite3_column_blob(statement, Int32(index))
        else { throw unreadable(index, "16 bytes") }
        return UUID(uuid: bytes.loadUnaligned(as: uuid_t.self))
    }

    private func type(at index: Int) -> Int32 { sqlite3_column_type(statement, Int32(index)) }

    private func check(_ index: Int, holds type: Int32, _ name: String) throws {
        guard self.type(at: index) == type else { throw unreadable(index, name) }
    }

    /// Returns an error with the column and the type of its value, but without the value, which may
    /// be personal.
    private func unreadable(_ index: Int, _ expected: String) -> DatabaseError {
        let column = columns.indices.contains(index) ? columns[index] : "number \(index)"
        let found =
            switch type(at: index) {
            case SQLITE_NULL: "NULL"
            case SQLITE_INTEGER: "an integer"
            case SQLITE_FLOAT: "a floating-point number"
            case SQLITE_TEXT: "text"
            default: "bytes"
            }
        return .unreadable("\(column) holds \(found), not \(expected)")
    }
}
