import Synchronization
import TestDatabase

@testable import Persistence

final class StatementCounter: Sendable {
    private let text: String
    private let found = Mutex(0)

    init(_ text: String) { self.text = text }

    var count: Int { found.withLock { $0 } }

    fileprivate func note(_ sql: String) {
        if sql.contains(text) { found.withLock { $0 += 1 } }
    }
}

/// A database that reports the statements of its writes to a counter.
struct CountingDatabase: WrappingDatabase {
    let engine: any DatabaseEngine
    let counter: StatementCounter

    func write<Value: Sendable>(
        about subjects: Subjects, _ body: @escaping @Sendable (Transaction) throws -> Value
    ) async throws -> Value {
        try await engine.write(about: subjects) { outer in
            let connection = CountingConnection(base: outer, counter: counter)
            let transaction = Transaction(connection, now: outer.now)
            defer { outer.outbox = transaction.outbox }
            let value = try body(transaction)
            try transaction.finish()
            return value
        }
    }
}

private struct CountingConnection: WrappingConnection {
    let base: any SQLConnection
    let counter: StatementCounter

    func execute(_ sql: String, _ values: [SQLValue]) throws -> Int {
        counter.note(sql)
        return try base.execute(sql, values)
    }

    func query<Value>(_ sql: String, _ values: [SQLValue], _ read: (SQLRow) throws -> Value)
        throws -> [Value]
    {
        counter.note(sql)
        return try base.query(sql, values, read)
    }
}
