import Foundation
import Testing

@testable import Persistence

@Suite struct RestoreTests {
    /// Creates a database with Ada, a backup of it, and then adds Ben to the database.
    private func makeFiles(_ folder: TestFolder) async throws -> (database: String, backup: String)
    {
        let engine = try SQLiteEngine(path: folder.file())
        try await engine.moveIn(ada)
        try engine.backUp(to: folder.file("backup.db"))
        try await engine.moveIn(ben)
        try engine.close()
        return (folder.file(), folder.file("backup.db"))
    }

    private func users(_ path: String) async throws -> [String] {
        let engine = try SQLiteEngine(path: path)
        let users = try await engine.read {
            try $0.query("SELECT name FROM users ORDER BY name", []) { try $0["name"] as String }
        }
        try engine.close()
        return users
    }

    @Test func restoreReplacesDatabaseAndKeepsOldOne() async throws {
        let folder = try TestFolder()
        let (database, backup) = try await makeFiles(folder)
        let kept = try #require(try SQLiteFile.restore(backup, to: database))
        #expect(try await users(database) == ["Ada Lovelace"])
        #expect(try await users(kept) == ["Ada Lovelace", "Ben Nevis"])
        #expect(try SQLiteFile.verify(backup) == Migrator.newest)
    }

    @Test(arguments: [true, false])
    func restoreKeepsALink(isRelative: Bool) async throws {
        let folder = try TestFolder()
        let (_, backup) = try await makeFiles(folder)
        let disk = folder.file("disk")
        try FileManager.default.createDirectory(atPath: disk, withIntermediateDirectories: false)
        try FileManager.default.moveItem(atPath: folder.file(), toPath: disk + "/data.db")
        let links = [folder.file("first.db"), folder.file("second.db")]
        let targets = isRelative ? ["disk/data.db", "first.db"] : [disk + "/data.db", links[0]]
        for (link, target) in zip(links, targets) {
            try FileManager.default.createSymbolicLink(
                atPath: link, withDestinationPath: target)
        }
        let kept = try #require(try SQLiteFile.restore(backup, to: links[1]))
        #expect(kept.contains("/disk/data.db.before-restore-"))
        for (link, target) in zip(links, targets) {
            #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link) == target)
        }
        #expect(try await users(disk + "/data.db") == ["Ada Lovelace"])
        #expect(try await users(kept) == ["Ada Lovelace", "Ben Nevis"])
    }

    @Test func restoreThroughALinkToNothingMakesItsTarget() async throws {
        let folder = try TestFolder()
        let (_, backup) = try await makeFiles(folder)
        let link = folder.file("link.db")
        try FileManager.default.createSymbolicLink(
            atPath: link, withDestinationPath: folder.file("new.db"))
        // A kill between the old database's rename and the new one's leaves this.
        try folder.write(Data("half".utf8), to: "new.db.restoring")
        #expect(throws: DatabaseError.restoreInterrupted(path: folder.file("new.db"))) {
            try SQLiteFile.checkNoRestoreWasInterrupted(link)
        }
        #expect(try SQLiteFile.restore(backup, to: link) == nil)
        #expect(try await users(folder.file("new.db")) == ["Ada Lovelace"])
        try SQLiteFile.checkNoRestoreWasInterrupted(link)
    }

    @Test func restoreWithoutOldDatabaseKeepsNothing() async throws {
        let folder = try TestFolder()
        let (_, backup) = try await makeFiles(folder)
        #expect(try SQLiteFile.restore(backup, to: folder.file("new.db")) == nil)
        #expect(try await users(folder.file("new.db")) == ["Ada Lovelace"])
    }

    @Test(arguments: ["garbage", "", "missing", "folder", "foreign"])
    func invalidBackupLeavesDatabaseUnchanged(kind: String) async throws {
        let folder = try TestFolder()
        let (database, backup) = try await makeFiles(folder)
        let wrong = folder.file("wrong.db")
        switch kind {
        case "missing": break
        case "folder":
            try FileManager.default.createDirectory(
                atPath: wrong, withIntermediateDirectories: false)
        case "foreign":
            let engine = try SQLiteEngine(path: wrong)
            try await engine.write(about: .none) {
                _ = try $0.execute("DROP TABLE schema_versions", [])
            }
            try engine.close()
        default: try folder.write(Data(kind.utf8), to: "wrong.db")
        }
        let before = FileManager.default.contents(atPath: database)
        #expect(throws: DatabaseError.self) { try SQLiteFile.restore(wrong, to: database) }
        #expect(FileManager.default.contents(atPath: database) == before)
        #expect(try await users(database) == ["Ada Lovelace", "Ben Nevis"])
        withExtendedLifetime(backup) {}
    }

    @Test func databaseInUseIsNotReplaced() async throws {
        let folder = try TestFolder()
        let (database, backup) = try await makeFiles(folder)
        let engine = try SQLiteEngine(path: database)
        #expect(throws: DatabaseError.inUse(path: database)) {
            try SQLiteFile.restore(backup, to: database)
        }
        #expect(try await engine.rows(in: "users") == 2)
        try engine.close()
    }

    @Test func failedCopyLeavesDatabaseInPlace() async throws {
        let folder = try TestFolder()
        let (database, backup) = try await makeFiles(folder)
        try FileManager.default.createDirectory(
            atPath: database + ".restoring/full", withIntermediateDirectories: true)
        #expect(throws: DatabaseError.self) { try SQLiteFile.restore(backup, to: database) }
        #expect(try await users(database) == ["Ada Lovelace", "Ben Nevis"])
    }

    @Test func restoringDatabaseFromItselfKeepsIt() async throws {
        let folder = try TestFolder()
        let (database, _) = try await makeFiles(folder)
        _ = try? SQLiteFile.restore(database, to: database)
        #expect(try await users(database) == ["Ada Lovelace", "Ben Nevis"])
    }

    /// An operator may move the database file away by hand and leave its log. SQLite must not apply
    /// this log to the restored backup.
    @Test func orphanedLogDoesNotEnterBackup() async throws {
        let folder = try TestFolder()
        let (database, backup) = try await makeFiles(folder)
        let killed = try SQLiteEngine(path: folder.file("killed.db"))
        try await killed.moveIn(cleo)
        for suffix in ["", "-wal", "-shm"] {
            try? FileManager.default.removeItem(atPath: database + suffix)
        }
        try FileManager.default.copyItem(
            atPath: folder.file("killed.db-wal"), toPath: database + "-wal")
        try killed.close()

        _ = try SQLiteFile.restore(backup, to: database)
        #expect(try await users(database) == ["Ada Lovelace"])
    }
}
