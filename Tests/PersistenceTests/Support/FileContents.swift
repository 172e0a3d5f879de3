import Foundation
import GRDB

/// A file's schema, and the number of rows in each table.
struct FileContents: Equatable {
    var schema: [String]
    var rows: [String: Int]

    init(of path: String) throws {
        let queue = try DatabaseQueue(path: path)
        (schema, rows) = try queue.read { database in
            let tables = try String.fetchAll(
                database, sql: "SELECT name FROM sqlite_master WHERE type = 'table'")
            return (
                try String.fetchAll(
                    database, sql: "SELECT COALESCE(sql, name) FROM sqlite_master ORDER BY name"),
                try tables.reduce(into: [:]) { rows, table in
                    rows[table] = try Int.fetchOne(
                        database, sql: "SELECT COUNT(*) FROM \(table)")
                }
            )
        }
        try queue.close()
    }
}
