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

    private struct Reading: WrappingConnection {
        let base: any SQLConnection

        func query<Value>(
            _ sql: String, _ values: [SQLValue], _ read: (SQLRow) throws -> Value
        ) throws -> [Value] {
            try base.query(Bystanders.left(outOf: sql), values, read)
        }
    }
}
