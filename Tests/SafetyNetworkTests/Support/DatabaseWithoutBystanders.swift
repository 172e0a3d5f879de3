import Domain
import Foundation
import Persistence
import TestDatabase

/// A database whose reads leave out the rows of people who aren't part of the test.
struct DatabaseWithoutBystanders: WrappingDatabase {
    let engine: any DatabaseEngine

    func read<Value: Sendable>(
        _ body: @escaping @Sendable (any SQLConnection) throws -> Value
    ) async throws -> Value {
        try await engine.read { try body(Reading(base: $0)) }
    }

    func readUrgently<Value: Sendable>(
        _ body: @escaping @Sendable (any SQLConnection) throws -> Value
    ) async throws -> Value {
        try await engine.readUrgently { try body(Reading(base: $0)) }
    }

    private struct Reading: SQLConnection {
        let base: any SQLConnection

        var now: Date { base.now }
        var takesLists: Bool { base.takesLists }

        func query<Value>(
            _ sql: String, _ values: [SQLValue], _ read: (SQLRow) throws -> Value
        ) throws -> [Value] {
            try base.query(Bystanders.left(outOf: sql), values, read)
        }

        func execute(_ sql: String, _ values: [SQLValue]) throws -> Int {
            try base.execute(sql, values)
        }

        func append(
            _ events: [(user: UserID, event: EncodedEvent)], at time: Date
        ) throws -> [Int64] {
            try base.append(events, at: time)
        }

        func deleteEvents(of user: UserID) throws { try base.deleteEvents(of: user) }

        func insert(into table: String, _ columns: [String], _ rows: [[SQLValue]]) throws {
            try base.insert(into: table, columns, rows)
        }

        func pruneEvents(
            _ newest: [(user: UserID, number: Int64)], until time: Date
        ) throws {
            try base.pruneEvents(newest, until: time)
        }
    }
}
