import Domain
import Foundation

/// Values for `IN (…)`, with their placeholders.
struct ValueList {
    /// The placeholders: `$n, $n+1, …`
    let sql: String
    let values: [SQLValue]
    /// The number of the first parameter after the list.
    let next: Int
}

extension [SQLValue] {
    private static var longest: Int { 512 }

    /// Splits the values into lists. Pads each list to a power of two with its last value, so that
    /// lists share a few prepared statements.
    /// - Parameter first: the number of a list's first parameter.
    func lists(from first: Int) -> [ValueList] {
        stride(from: 0, to: count, by: Self.longest).map { start in
            self[start..<Swift.min(start + Self.longest, count)].list(from: first)
        }
    }
}

extension ArraySlice<SQLValue> {
    fileprivate func list(from first: Int) -> ValueList {
        var length = 1
        while length < count { length *= 2 }
        return ValueList(
            sql: (first..<first + length).map { "$\($0)" }.joined(separator: ", "),
            values: Array(self) + Array(repeating: last ?? .null, count: length - count),
            next: first + length)
    }
}

extension Sequence<String> {
    /// The texts as literals for `IN (…)`. They must not contain quotation marks.
    var literals: String { map { "'\($0)'" }.joined(separator: ", ") }
}

extension Sequence where Element: RawRepresentable<String> {
    /// The raw values as literals for `IN (…)`.
    var literals: String { map(\.rawValue).literals }
}

extension Collection<UserID> {
    func lists(from first: Int) -> [ValueList] {
        sorted().map { SQLValue.id($0) }.lists(from: first)
    }
}

extension Transaction {
    func deleteValues(_ values: [SQLValue], from table: String, by key: String) throws {
        for list in values.lists(from: 1) {
            try execute("DELETE FROM \(table) WHERE \(key) IN (\(list.sql))", list.values)
        }
    }
}
