import Synchronization
import TestDatabase
import Testing

@testable import Persistence

/// A database that rejects statements that don't name the person they are about (Docs/scale.md,
/// "Ready to shard").
final class CheckedDatabase: WrappingDatabase {
    let engine: any DatabaseEngine

    let isShared: Bool

    /// - Parameter isShared: true to act as a shared database, even on SQLite; nil for the engine's
    ///   value.
    init(_ engine: any DatabaseEngine, isShared: Bool? = nil) {
        self.engine = engine
        self.isShared = isShared ?? engine.isShared
    }

    func write<Value: Sendable>(
        about subjects: Subjects, _ body: @escaping @Sendable (Transaction) throws -> Value
    ) async throws -> Value {
        var subjects = subjects
        if let search = subjects.search {
            subjects.search = { try search(CheckedConnection(base: $0)) }
        }
        return try await engine.write(about: subjects) { outer in
            let transaction = Transaction(CheckedConnection(base: outer), now: outer.now)
            defer { outer.outbox = transaction.outbox }
            let value = try body(transaction)
            try transaction.finish()
            return value
        }
    }

    func read<Value: Sendable>(
        _ body: @escaping @Sendable (any SQLConnection) throws -> Value
    ) async throws -> Value {
        try await engine.read { try body(CheckedConnection(base: $0)) }
    }

    func readUrgently<Value: Sendable>(
        _ body: @escaping @Sendable (any SQLConnection) throws -> Value
    ) async throws -> Value {
        try await engine.readUrgently { try body(CheckedConnection(base: $0)) }
    }
}

private struct CheckedConnection: WrappingConnection {
    private static let known = Mutex<Set<String>>([])

    let base: any SQLConnection

    func execute(_ sql: String, _ values: [SQLValue]) throws -> Int {
        check(sql)
        return try base.execute(sql, values)
    }

    func query<Value>(_ sql: String, _ values: [SQLValue], _ read: (SQLRow) throws -> Value)
        throws -> [Value]
    {
        check(sql)
        return try base.query(sql, values, read)
    }

    func insert(into table: String, _ columns: [String], _ rows: [[SQLValue]]) throws {
        check("INSERT INTO \(table) (\(columns.joined(separator: ", "))) VALUES")
        try base.insert(into: table, columns, rows)
    }

    private func check(_ sql: String) {
        guard Self.known.withLock({ $0.insert(sql).inserted }) else { return }
        let tables = ShardingRules.violations(in: sql)
        if !tables.isEmpty { Issue.record("names no key of, or has \(tables): \(sql)") }
    }
}
