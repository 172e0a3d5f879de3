import Foundation
import GRDB

/// One of the two databases of a transfer.
protocol TransferSide {
    var dialect: Dialect { get }
    func reading<Value>(_ body: (any SQLConnection) throws -> Value) throws -> Value
}

extension TransferSide {
    /// Passes all rows of a table to `body`, in key order and in pages of about a megabyte.
    /// - Parameter key: the key to start after; nil to start at the beginning.
    func pages(
        of table: TransferTable, after key: [SQLValue]? = nil, _ body: ([[SQLValue]]) throws -> Void
    ) throws {
        var (last, limit) = (key, TransferPage.first)
        while true {
            let rows = try reading { connection in
                try connection.query(
                    table.page(isFirst: last == nil, in: dialect), (last ?? []) + [.int(limit)]
                ) { try table.read(table.columns, of: $0) }
            }
            guard let end = rows.last else { return }
            try body(rows)
            guard rows.count == limit else { return }
            last = table.key(of: end)
            limit = TransferPage.next(after: rows)
        }
    }
}

/// The number of rows in a page. It depends on their size, because some tables hold pictures.
enum TransferPage {
    static let first = 32
    private static let most = 2_000
    private static let bytes = 1 << 20

    static func next(after rows: [[SQLValue]]) -> Int {
        let size = rows.joined().reduce(0) { sum, value in
            switch value {
            case .text(let text): sum + text.utf8.count
            case .blob(let data): sum + data.count
            default: sum + 8
            }
        }
        return max(1, min(most, bytes * rows.count / max(1, size)))
    }
}

extension SQLiteEngine: TransferSide {
    var dialect: Dialect { .sqlite }

    func reading<Value>(_ body: (any SQLConnection) throws -> Value) throws -> Value {
        try writer.read { database in
            try body(SQLiteConnection(database: database, path: path, now: now()))
        }
    }
}
