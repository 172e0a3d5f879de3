import Foundation
import Synchronization

@testable import Persistence

/// A connection that asks SQLite for the plan of each statement instead of running it.
final class Explainer: SQLConnection {
    private let connection: any SQLConnection
    private(set) var plans: [(sql: String, steps: [String])] = []

    var now: Date { connection.now }

    init(_ connection: any SQLConnection) { self.connection = connection }

    @discardableResult
    func execute(_ sql: String, _ values: [SQLValue]) throws -> Int {
        let steps = try connection.query("EXPLAIN QUERY PLAN " + sql, values) {
            try $0["detail"] as String
        }
        plans.append((sql, steps))
        return 0
    }

    func query<Value>(
        _ sql: String, _ values: [SQLValue], _ read: (SQLRow) throws -> Value
    ) throws -> [Value] {
        try execute(sql, values)
        return []
    }

    var steps: [String] { plans.flatMap(\.steps) }
    /// The steps that scan a whole table. `sorts` are the steps that sort.
    var scans: [String] { steps.filter { $0.hasPrefix("SCAN ") } }
    var sorts: [String] { steps.filter { $0.contains("TEMP B-TREE") } }
}
