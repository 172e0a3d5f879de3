import Foundation
import Synchronization

@testable import Persistence

/// A connection that records how SQLite finds the rows of each statement.
struct PlanRecorder: SQLConnection {
    final class Plans: Sendable {
        private let lines = Mutex<[String]>([])
        private let recorded = Mutex<[String]>([])
        func add(_ more: [String]) { lines.withLock { $0 += more } }
        func record(_ sql: String) { recorded.withLock { $0.append(sql) } }
        var statements: [String] { recorded.withLock { $0 } }
        var all: [String] { lines.withLock { $0 } }

        /// The steps that read more rows than needed, or that sort.
        var careless: [String] {
            all.filter { line in
                let scans = line.contains("SCAN ") && !line.contains("SCAN CONSTANT ROW")
                return scans || line.contains("TEMP B-TREE") || line.contains("AUTOMATIC")
            }
        }
    }

    let connection: any SQLConnection
    let plans: Plans

    var now: Date { connection.now }

    func execute(_ sql: String, _ values: [SQLValue]) throws -> Int {
        try plan(sql, values)
        return try connection.execute(sql, values)
    }

    func query<Value>(_ sql: String, _ values: [SQLValue], _ read: (SQLRow) throws -> Value)
        throws -> [Value]
    {
        try plan(sql, values)
        return try connection.query(sql, values, read)
    }

    private func plan(_ sql: String, _ values: [SQLValue]) throws {
        plans.record(sql)
        plans.add(
            try connection.query("EXPLAIN QUERY PLAN \(sql)", values) {
                "\(try $0["detail"] as String) in \(sql)"
            })
    }
}
