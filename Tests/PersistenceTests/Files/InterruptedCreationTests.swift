import Foundation
import GRDBSQLite
import Testing

@testable import Persistence

/// SQLite uses a rollback journal while it creates a file or switches a restored file to WAL.
@Suite struct InterruptedCreationTests {
    @Test func interruptedTransactionIsRolledBack() throws {
        let folder = try TestFolder()
        try SQLiteEngine(path: folder.file()).close()
        try SQLiteFile.backUp(folder.file(), to: folder.file("restored.db"))
        try copyAmidATransaction(folder.file("restored.db"), to: folder.file("cut.db"))
        #expect(FileManager.default.fileExists(atPath: folder.file("cut.db-journal")))

        try SQLiteEngine(path: folder.file("cut.db")).close()
        #expect(try SQLiteFile.verify(folder.file("cut.db")) == Migrator.newest)
        let isThere = try SQLiteFile.read(folder.file("cut.db")) {
            try $0.hasRow("SELECT 1 FROM sqlite_master WHERE name = 'filler'", [])
        }
        #expect(!isThere)
    }

    /// Copies the files as a kill leaves them after some pages of a transaction have reached the
    /// disk.
    private func copyAmidATransaction(_ path: String, to copy: String) throws {
        var database: OpaquePointer?
        defer { sqlite3_close(database) }
        try #require(sqlite3_open(path, &database) == SQLITE_OK)
        let statements = """
            PRAGMA cache_size = 1; BEGIN;
            CREATE TABLE filler AS WITH RECURSIVE numbers (number) AS
                (SELECT 1 UNION ALL SELECT number + 1 FROM numbers WHERE number < 2000)
            SELECT randomblob(500) FROM numbers
            """
        try #require(sqlite3_exec(database, statements, nil, nil, nil) == SQLITE_OK)
        for suffix in ["", "-journal"] {
            try FileManager.default.copyItem(atPath: path + suffix, toPath: copy + suffix)
        }
    }
}
