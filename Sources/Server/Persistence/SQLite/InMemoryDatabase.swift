import Foundation
import GRDB

/// A migrated SQLite database in memory, for tests. It is in this module because it needs the
/// engine's configuration and migrations.
public final class InMemoryDatabase: Sendable {
    static let path = ":memory:"

    /// A database without rows. All others start as copies of it, which is faster than running all
    /// migrations.
    private static let empty = Result {
        let queue = try DatabaseQueue(configuration: SQLiteEngine.configuration)
        try SQLiteEngine.migrate(queue, path: path)
        return queue
    }

    let queue: DatabaseQueue

    public init() throws(DatabaseError) {
        do {
            queue = try DatabaseQueue(configuration: SQLiteEngine.configuration)
            try Self.empty.get().backup(to: queue)
        } catch {
            throw SQLiteFailure.translate(error, path: Self.path)
        }
    }

    /// Runs statements outside of a transaction. Blocks the caller.
    public func run<Value>(
        now: Date, _ body: (any SQLConnection) throws -> Value
    ) throws(DatabaseError) -> Value {
        do {
            return try queue.writeWithoutTransaction { database in
                try body(SQLiteConnection(database: database, path: Self.path, now: now))
            }
        } catch {
            throw SQLiteFailure.translate(error, path: Self.path)
        }
    }
}
