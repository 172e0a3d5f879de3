import CSQLite  // Sets SQLite up as the program is loaded.
import Foundation
import GRDB

/// The set-up of connections, and an empty database to begin with.
extension SQLiteEngine {
    /// A database with all tables and no rows. Each one in memory begins as its copy, which is
    /// quicker than all migrations.
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
            // Takes effect on a new file. A check-in touches half a dozen rows far apart, and each
            // costs the log a page: small pages mean fewer bytes to flush.
            if !database.configuration.readonly {
                try database.execute(sql: "PRAGMA page_size = 2048")
            }
            // A negative cache size is in KiB: the writer keeps the inner pages of every index, a
            // reader needs little.
            try database.execute(
                sql: "PRAGMA cache_size = \(database.configuration.readonly ? -8_000 : -96_000)")
        }
        return configuration
    }

    static func migrate(_ writer: any DatabaseWriter, path: String) throws {
        try writer.writeWithoutTransaction { database in
            // The time is the machine's: the server's own clock knows nothing before it has read
            // its rows.
            try Migrator.migrate(
                SQLiteConnection(database: database, path: path, now: Date()), dialect: .sqlite)
        }
    }
}
