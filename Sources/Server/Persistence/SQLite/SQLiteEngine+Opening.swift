import CSQLite  // Sets SQLite up as the program is loaded.
import Foundation
import GRDB

/// Configures connections, and provides an empty database.
extension SQLiteEngine {
    /// A database with all tables and no rows. Each in-memory database starts as a copy of it,
    /// which is faster than running all migrations.
    static let emptyInMemory = Result {
        let queue = try DatabaseQueue(configuration: configuration)
        try migrate(queue, path: ":memory:")
        return queue
    }

    static var configuration: Configuration {
        var configuration = Configuration()
        configuration.busyMode = .timeout(5)
        configuration.maximumReaderCount = ordinaryReaders + urgentReaders
        configuration.prepareDatabase { database in
            try database.execute(sql: "PRAGMA temp_store = MEMORY")
            // The page size only affects a new file. A check-in touches half a dozen distant rows,
            // and each costs a page of the log, so small pages mean fewer bytes to flush.
            if !database.configuration.readonly {
                try database.execute(sql: "PRAGMA page_size = 2048")
                DiskReserve.prepare(database)
            }
            // A negative cache size is in KiB. The writer caches the inner pages of every index; a
            // reader needs little.
            try database.execute(
                sql: "PRAGMA cache_size = \(database.configuration.readonly ? -8_000 : -96_000)")
        }
        return configuration
    }

    static func migrate(_ writer: any DatabaseWriter, path: String) throws {
        try writer.writeWithoutTransaction { database in
            // Uses the machine's clock, because the server's own clock needs the database's rows
            // first.
            try Migrator.migrate(
                SQLiteConnection(database: database, path: path, now: Date()), dialect: .sqlite)
        }
    }
}
