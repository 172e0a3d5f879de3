import Domain
import Foundation

extension SQLConnection {
    /// SQLite has no round trips, so a batch gains nothing there.
    public var takesLists: Bool { false }

    public func insert(into table: String, _ columns: [String], _ rows: [[SQLValue]]) throws {
        let sql = Self.insertion(into: table, columns)
        for row in rows { try execute(sql, row) }
    }

    static func insertion(into table: String, _ columns: [String]) -> String {
        let places = columns.indices.map { "$\($0 + 1)" }.joined(separator: ", ")
        return "INSERT INTO \(table) (\(columns.joined(separator: ", "))) VALUES (\(places))"
    }

    /// Runs a query about many people: once if the engine accepts lists as parameters, otherwise
    /// once per person.
    /// - Parameters:
    ///   - sql: builds the query from a comparison with the people, as in `user_id \($0)`. The
    ///     comparison must follow all other values: SQLite numbers values by first appearance.
    func query<Value>(
        about people: [UserID], _ sql: (String) -> String, _ values: [SQLValue] = [],
        _ read: (SQLRow) throws -> Value
    ) throws -> [Value] {
        try eachRun(of: people, values.count + 1).flatMap {
            try query(sql($0.condition), values + [$0.value], read)
        }
    }

    /// Runs a statement about many people: once if the engine accepts lists as parameters,
    /// otherwise once per person.
    func execute(
        about people: [UserID], _ sql: (String) -> String, _ values: [SQLValue] = []
    ) throws {
        for run in eachRun(of: people, values.count + 1) {
            try execute(sql(run.condition), values + [run.value])
        }
    }

    /// Returns the people of each run of a statement, and a condition that compares a column with
    /// them.
    /// - Parameter number: the number of the parameter that holds `value`.
    func eachRun(
        of people: [UserID], _ number: Int = 1
    ) -> [(people: [UserID], condition: String, value: SQLValue)] {
        guard takesLists, people.count > 1 else {
            return people.map { ([$0], "= $\(number)", .id($0)) }
        }
        return [(people, "= ANY($\(number))", .list(people.map { .id($0) }))]
    }
}
