import Domain
import Foundation
import Testing

@testable import Persistence

/// Kills a restore at each step. It must neither leave an empty database nor lose the old one.
@Suite struct InterruptedRestoreTests {
    private struct Killed: Error {}

    /// Creates a database with Ada and Ben, and a backup with only Ada.
    /// - Parameter leavesLog: true if Ben is only in the log that a killed server left.
    private func makeFiles(_ folder: TestFolder, leavesLog: Bool) async throws -> (
        database: String, backup: String
    ) {
        let engine = try SQLiteEngine(path: folder.file("first.db"))
        try await engine.moveIn(ada)
        try engine.backUp(to: folder.file("backup.db"))
        try await engine.moveIn(ben)
        let suffixes = leavesLog ? ["", "-wal"] : [""]
        if !leavesLog { try engine.close() }
        for suffix in suffixes {
            try FileManager.default.copyItem(
                atPath: folder.file("first.db") + suffix, toPath: folder.file() + suffix)
        }
        if leavesLog { try engine.close() }
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

    private func restore(
        _ backup: String, to database: String, killedAfter deadly: SQLiteFile.RestoreStep
    ) {
        #expect(throws: (any Error).self) {
            try SQLiteFile.restore(backup, to: database, at: noon) {
                if $0 == deadly { throw Killed() }
            }
        }
    }

    /// Returns the users of each database that a restore kept under another name.
    private func kept(beside database: String) async throws -> [[String]] {
        let url = URL(fileURLWithPath: database)
        let names = try FileManager.default.contentsOfDirectory(
            atPath: url.deletingLastPathComponent().path)
        let prefix = url.lastPathComponent + ".before-restore-"
        let databases = names.filter {
            $0.hasPrefix(prefix) && !$0.hasSuffix("-wal") && !$0.hasSuffix("-shm")
                && !$0.hasSuffix(".lock")
        }
        var found: [[String]] = []
        for name in databases {
            found.append(
                try await users(url.deletingLastPathComponent().appendingPathComponent(name).path))
        }
        return found
    }

    @Test(arguments: SQLiteFile.RestoreStep.allCases, [false, true])
    func killedRestoreLeavesOneIntactDatabase(step: SQLiteFile.RestoreStep, leavesLog: Bool)
        async throws
    {
        let folder = try TestFolder()
        let (database, backup) = try await makeFiles(folder, leavesLog: leavesLog)
        restore(backup, to: database, killedAfter: step)
        #expect(
            try await users(database)
                == (step == .replaced ? ["Ada Lovelace"] : ["Ada Lovelace", "Ben Nevis"]))

        // A new run of the restore succeeds.
        if step != .replaced { _ = try SQLiteFile.restore(backup, to: database, at: noon) }
        #expect(try await users(database) == ["Ada Lovelace"])
        #expect(try await kept(beside: database).contains(["Ada Lovelace", "Ben Nevis"]))
        #expect(try SQLiteFile.verify(database) == Migrator.newest)
    }

    /// Restores to a path without a database. An empty database there would look like a restored
    /// one.
    @Test(arguments: SQLiteFile.RestoreStep.allCases) func killedRestoreLeavesNoEmptyDatabase(
        step: SQLiteFile.RestoreStep
    ) async throws {
        let folder = try TestFolder()
        let (_, backup) = try await makeFiles(folder, leavesLog: false)
        let place = folder.file("new.db")
        restore(backup, to: place, killedAfter: step)
        guard step != .replaced else { return }
        #expect(throws: DatabaseError.restoreInterrupted(path: place)) {
            try SQLiteEngine(path: place)
        }
        #expect(!FileManager.default.fileExists(atPath: place))
        _ = try SQLiteFile.restore(backup, to: place, at: noon)
        #expect(try await users(place) == ["Ada Lovelace"])
    }

    @Test func partialCopyCountsAsInterruptedRestore() async throws {
        let folder = try TestFolder()
        try folder.write(Data("SQLite".utf8), to: "new.db.restoring.partial")
        #expect(throws: DatabaseError.restoreInterrupted(path: folder.file("new.db"))) {
            try SQLiteEngine(path: folder.file("new.db"))
        }
    }

    /// SQLite can't merge a log into a damaged database, so both files are moved away first.
    @Test(arguments: [SQLiteFile.RestoreStep.logEmptied, .kept, .replaced])
    func damagedDatabaseIsKeptWithItsLog(step: SQLiteFile.RestoreStep) async throws {
        let folder = try TestFolder()
        let (database, backup) = try await makeFiles(folder, leavesLog: true)
        try Data("damaged".utf8).write(to: URL(fileURLWithPath: database))
        restore(backup, to: database, killedAfter: step)
        if step == .kept {
            #expect(throws: DatabaseError.restoreInterrupted(path: database)) {
                try SQLiteEngine(path: database)
            }
        }
        if step != .replaced { _ = try SQLiteFile.restore(backup, to: database, at: noon) }
        #expect(try await users(database) == ["Ada Lovelace"])
        let names = try FileManager.default.contentsOfDirectory(
            atPath: URL(fileURLWithPath: database).deletingLastPathComponent().path)
        #expect(names.contains { $0.contains(".before-restore-") && $0.hasSuffix("-wal") })
    }

    @Test func restoredDatabaseRecordsWhereItsDataEnds() async throws {
        let folder = try TestFolder()
        let engine = try SQLiteEngine(path: folder.file())
        _ = try await engine.write(about: .none) { transaction in
            try transaction.updateServerState {
                $0.clock = ClockMemory(
                    time: noon.adding(.hours(3)), since: noon, trust: .full, boot: .zero, bootID: 7)
                $0.epoch = 5
            }
        }
        try engine.backUp(to: folder.file("backup.db"))
        try engine.close()
        _ = try SQLiteFile.restore(
            folder.file("backup.db"), to: folder.file(), at: noon.adding(.hours(9)))
        let restored = try SQLiteEngine(path: folder.file())
        #expect(
            try await restored.read { try $0.serverState().restoredFrom } == noon.adding(.hours(3)))
        try restored.close()
        #expect(try SQLiteFile.clockMemory(folder.file())?.bootID == 7)
    }

    /// Old backups don't contain the server's time, so the newest event gives their time.
    @Test func backupWithoutTimeIsDatedByNewestEvent() async throws {
        let folder = try TestFolder()
        let engine = try SQLiteEngine(path: folder.file())
        try await engine.moveIn(ada)
        try await engine.write(at: noon.adding(.hours(2))) {
            try $0.append(.profileChanged, to: ada)
        }
        try engine.backUp(to: folder.file("backup.db"))
        try engine.close()
        _ = try SQLiteFile.restore(
            folder.file("backup.db"), to: folder.file(), at: noon.adding(.hours(9)))
        let restored = try SQLiteEngine(path: folder.file())
        #expect(
            try await restored.read { try $0.serverState().restoredFrom } == noon.adding(.hours(2)))
        try restored.close()
    }
}
