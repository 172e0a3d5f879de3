/// The keys of the rows that one statement handles. A statement joins them as a list if the engine
/// accepts lists as parameters; otherwise it runs once per row.
struct RowKeys {
    /// The PostgreSQL types of key columns.
    enum Kind: String {
        case bytea, bigint, text
    }

    let columns: [(name: String, kind: Kind)]
    let rows: [[SQLValue]]

    init(_ columns: KeyValuePairs<String, Kind>, _ rows: [[SQLValue]]) {
        self.columns = columns.map { ($0.key, $0.value) }
        self.rows = rows
    }

    fileprivate func places(from first: Int, asList: Bool) -> RowKeyPlaces {
        let names = columns.map(\.name)
        let numbers = names.indices.map { "$\(first + $0)" }
        guard asList else {
            return RowKeyPlaces(
                list: nil, places: Dictionary(zip(names, numbers), uniquingKeysWith: { $1 }))
        }
        let lists = zip(numbers, columns).map { "\($0)::\($1.kind.rawValue)[]" }
        return RowKeyPlaces(
            list: """
                unnest(\(lists.joined(separator: ", "))) WITH ORDINALITY
                AS keys (\(names.joined(separator: ", ")), number)
                """,
            places: Dictionary(names.map { ($0, "keys.\($0)") }, uniquingKeysWith: { $1 }))
    }

    fileprivate var lists: [SQLValue] {
        columns.indices.map { column in .list(rows.map { $0[column] }) }
    }
}

/// The placeholders of a statement's keys. The statement's other values come first, then the keys
/// in the order of their columns: SQLite numbers values by first appearance.
struct RowKeyPlaces {
    fileprivate let list: String?
    fileprivate let places: [String: String]

    fileprivate init(list: String?, places: [String: String]) {
        (self.list, self.places) = (list, places)
    }

    /// The places of one row, for a statement without other values.
    init(of columns: KeyValuePairs<String, RowKeys.Kind>) {
        self = RowKeys(columns, []).places(from: 1, asList: false)
    }

    subscript(_ name: String) -> String { places[name] ?? name }

    /// The `FROM` clause of an update.
    var from: String { list.map { "FROM \($0)" } ?? "" }
    /// The end of a query's `FROM` clause.
    var join: String { list.map { ", \($0)" } ?? "" }
}

extension SQLConnection {
    func query<Value>(
        about keys: RowKeys, _ sql: (RowKeyPlaces) -> String, _ values: [SQLValue] = [],
        _ read: (SQLRow) throws -> Value
    ) throws -> [Value] {
        let isList = takesLists && keys.rows.count > 1
        let sql = sql(keys.places(from: values.count + 1, asList: isList))
        if isList { return try query(sql, values + keys.lists, read) }
        return try keys.rows.flatMap { try query(sql, values + $0, read) }
    }

    /// Updates rows in the order of the keys. Returns the indices of the keys that changed a row.
    @discardableResult
    func update(
        about keys: RowKeys, _ sql: (RowKeyPlaces) -> String, _ values: [SQLValue] = []
    ) throws -> Set<Int> {
        let isList = takesLists && keys.rows.count > 1
        let sql = sql(keys.places(from: values.count + 1, asList: isList))
        if isList {
            let numbers = try query("\(sql) RETURNING keys.number", values + keys.lists) {
                try $0["number"] as Int
            }
            return Set(numbers.map { $0 - 1 })
        }
        return Set(
            try keys.rows.indices.filter { try execute(sql, values + keys.rows[$0]) > 0 })
    }
}
