import Foundation

/// A table with the same name and columns in both engines. Read from the database's schema, so that
/// new tables and columns need no change here.
struct TransferTable: Equatable {
    enum Kind: Equatable { case integer, text, bytes }

    struct Column: Equatable {
        var name: String
        var kind: Kind

        /// The quoted name, because some names are SQL keywords.
        var quoted: String { "\"\(name)\"" }

        /// Returns the column for ORDER BY. Sorts text by bytes, which PostgreSQL does only on
        /// request.
        func ordered(in dialect: Dialect) -> String {
            kind == .text && dialect == .postgreSQL ? "\(quoted) COLLATE \"C\"" : quoted
        }
    }

    var name: String
    var columns: [Column]
    /// The columns of the primary key, in order.
    var key: [Column]
    /// The tables that rows of this table refer to.
    var parents: Set<String>

    /// Returns all tables, each after the tables that it refers to. Throws `DatabaseError`.
    static func all(in connection: some SQLConnection) throws -> [TransferTable] {
        let names: [String] = try connection.values(
            """
            SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'
            ORDER BY name
            """, [])
        return inOrder(try names.map { try TransferTable($0, in: connection) })
    }

    private init(_ name: String, in connection: some SQLConnection) throws {
        let columns = try connection.query(
            "SELECT name, type, pk FROM pragma_table_info($1) ORDER BY cid", [.text(name)]
        ) { row in
            (
                column: Column(
                    name: try row["name"], kind: try Self.kind(try row["type"], in: name)),
                keyIndex: try row["pk"] as Int
            )
        }
        self.name = name
        self.columns = columns.map(\.column)
        key = columns.filter { $0.keyIndex > 0 }.sorted { $0.keyIndex < $1.keyIndex }
            .map(\.column)
        guard !key.isEmpty else { throw DatabaseError.unreadable("\(name) has no primary key") }
        let parents: [String] = try connection.values(
            #"SELECT "table" FROM pragma_foreign_key_list($1)"#, [.text(name)])
        self.parents = Set(parents).subtracting([name])
    }

    private static func kind(_ type: String, in table: String) throws -> Kind {
        switch type.uppercased() {
        case "BIGINT", "INTEGER", "SMALLINT", "INT": .integer
        case "TEXT": .text
        case "BYTEA", "BLOB": .bytes
        default: throw DatabaseError.unreadable("\(table) has a column of type \(type)")
        }
    }

    /// Sorts tables so that each follows its parents. Tables with circular references come last.
    private static func inOrder(_ tables: [TransferTable]) -> [TransferTable] {
        var (ordered, waiting) = ([TransferTable](), tables)
        while !waiting.isEmpty {
            let names = Set(waiting.map(\.name))
            let next = waiting.filter { $0.parents.isDisjoint(with: names) }
            ordered += next.isEmpty ? waiting : next
            waiting = next.isEmpty ? [] : waiting.filter { !next.contains($0) }
        }
        return ordered
    }

    // MARK: Statements

    /// Returns the query for a page of rows in key order. Its last parameter is the number of rows.
    /// - Parameter isFirst: true to start at the beginning. Otherwise the first parameters are the
    ///   key to start after.
    func page(isFirst: Bool, in dialect: Dialect) -> String {
        let places = key.indices.map { "$\($0 + 1)" }.joined(separator: ", ")
        let bounds = key.map { $0.ordered(in: dialect) }.joined(separator: ", ")
        let condition = isFirst ? "" : "WHERE (\(bounds)) > (\(places))"
        return """
            SELECT \(list(columns)) FROM "\(name)" \(condition)
            ORDER BY \(bounds) LIMIT $\(isFirst ? 1 : key.count + 1)
            """
    }

    /// Returns the query for the key of the last row.
    func last(in dialect: Dialect) -> String {
        let order = key.map { "\($0.ordered(in: dialect)) DESC" }.joined(separator: ", ")
        return #"SELECT \#(list(key)) FROM "\#(name)" ORDER BY \#(order) LIMIT 1"#
    }

    /// The statement that inserts a row unless it exists.
    var insert: String {
        let places = columns.indices.map { "$\($0 + 1)" }.joined(separator: ", ")
        return """
            INSERT INTO "\(name)" (\(list(columns))) VALUES (\(places)) ON CONFLICT DO NOTHING
            """
    }

    var count: String { #"SELECT COUNT(*) FROM "\#(name)""# }

    private func list(_ columns: [Column]) -> String {
        columns.map(\.quoted).joined(separator: ", ")
    }

    // MARK: Rows

    func read(_ columns: [Column], of row: SQLRow) throws -> [SQLValue] {
        try columns.map { column in
            guard try !row.isNull(column.name) else { return .null }
            return switch column.kind {
            case .integer: .integer(try row[column.name])
            case .text: .text((try row[column.name] as String).replacing("\0", with: ""))
            case .bytes: .blob(try row[column.name])
            }
        }
    }

    func key(of row: [SQLValue]) -> [SQLValue] {
        key.compactMap { column in columns.firstIndex(of: column).map { row[$0] } }
    }
}

/// A checksum of ordered rows, the same for both engines: FNV-1a of the values with their kinds and
/// lengths. It detects errors, not forgeries.
struct TransferDigest: Equatable {
    private(set) var rows = 0
    private(set) var hash: UInt64 = 0xcbf2_9ce4_8422_2325

    mutating func add(_ row: [SQLValue]) {
        rows += 1
        add(values: row)
    }

    private mutating func add(values: [SQLValue]) {
        for value in values {
            switch value {
            case .list(let values): add(values: values)
            case .null: add(byte: 0)
            case .integer(let number):
                add(byte: 1)
                add(word: UInt64(bitPattern: number))
            case .text(let text):
                add(byte: 2)
                add(word: UInt64(text.utf8.count))
                for byte in text.utf8 { add(byte: byte) }
            case .blob(let data): add(bytes: data)
            case .uuid(let uuid): add(bytes: withUnsafeBytes(of: uuid.uuid) { Data($0) })
            }
        }
    }

    private mutating func add(bytes: Data) {
        add(byte: 3)
        add(word: UInt64(bytes.count))
        for byte in bytes { add(byte: byte) }
    }

    private mutating func add(byte: UInt8) {
        hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01b3
    }

    private mutating func add(word: UInt64) {
        for shift in stride(from: 0, to: 64, by: 8) {
            add(byte: UInt8(truncatingIfNeeded: word >> UInt64(shift)))
        }
    }
}
