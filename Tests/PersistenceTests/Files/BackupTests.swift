import Domain
import Foundation
import Testing

@testable import Persistence

@Suite struct BackupTests {
    @Test(arguments: Home.ofSQLite)
    func backupIsCompleteAndIntact(home: Home) async throws {
        let folder = try TestFolder()
        try await withEngine(home) { engine in
            try await engine.moveIn(ada, ben)
            try engine.backUp(to: folder.file("backup.db"))
            try await engine.moveIn(cleo)
        }
        #expect(try SQLiteFile.verify(folder.file("backup.db")) == Migrator.newest)
        let copy = try SQLiteEngine(path: folder.file("backup.db"))
        #expect(try await copy.rows(in: "users") == 2)
        try copy.close()
    }

    @Test func backupErrorNamesUnwritableCopy() async throws {
        let folder = try TestFolder()
        let engine = try SQLiteEngine(path: folder.file())
        try engine.close()
        let nowhere = folder.file("missing/backup.db")
        let failure = #expect(throws: DatabaseError.self) {
            try SQLiteFile.backUp(folder.file(), to: nowhere)
        }
        #expect(failure?.description.contains(nowhere) == true)
        #expect(failure?.description.contains(folder.file() + " ") == false)
    }

    @Test func copyDeletesNoFolderAndNoTargetOfALink() throws {
        let folder = try TestFolder()
        try SQLiteEngine(path: folder.file()).close()
        let (copy, other) = (folder.file("backup.db"), folder.file("other"))
        try FileManager.default.createDirectory(
            atPath: copy + ".partial/precious", withIntermediateDirectories: true)
        let refusal = DatabaseError.cannotOpen(path: copy + ".partial", reason: "it is a folder")
        #expect(throws: refusal) { try SQLiteFile.backUp(folder.file(), to: copy) }
        #expect(FileManager.default.fileExists(atPath: copy + ".partial/precious"))
        try FileManager.default.removeItem(atPath: copy + ".partial")
        try folder.write(Data("kept".utf8), to: "other")
        try FileManager.default.createSymbolicLink(
            atPath: copy + ".partial", withDestinationPath: other)
        try SQLiteFile.backUp(folder.file(), to: copy)
        try SQLiteFile.verify(copy)
        #expect(FileManager.default.contents(atPath: other) == Data("kept".utf8))
    }

    /// Each write adds one event to both logs. If a backup contained half a commit, the counts of
    /// the two logs would differ.
    @Test func backupDuringWritesIsConsistent() async throws {
        let folder = try TestFolder()
        let engine = try SQLiteEngine(path: folder.file())
        let writing = Task {
            var written = 0
            while !Task.isCancelled {
                try await engine.write(about: .none) { transaction in
                    for user in [ada, ben] {
                        try transaction.append(.profileChanged, to: user)
                    }
                }
                written += 1
            }
            return written
        }
        while try await engine.rows(in: "events") < 20 { await Task.yield() }
        let backups = (1...5).map { folder.file("backup-\($0).db") }
        for backup in backups {
            try engine.backUp(to: backup)
            try SQLiteFile.backUp(folder.file(), to: backup + ".other")
        }
        writing.cancel()
        let written = try await writing.value
        for backup in backups + backups.map({ $0 + ".other" }) {
            try SQLiteFile.verify(backup)
            let copy = try SQLiteEngine(path: backup)
            let (first, second) = try await copy.read {
                (try $0.eventRange(of: ada), try $0.eventRange(of: ben))
            }
            #expect(first == second)
            let last = try #require(first?.upperBound)
            #expect((10...Int64(written)).contains(last))
            #expect(try await copy.rows(in: "events") == Int(2 * last))
            try copy.close()
        }
        #expect(try await engine.rows(in: "events") == 2 * written)
        try engine.close()
    }

    @Test func onlyCompleteBackupReplacesOlderOne() async throws {
        let folder = try TestFolder()
        try await withEngine(.memory) { engine in
            try engine.backUp(to: folder.file("backup.db"))
            try await engine.moveIn(ada)
            try engine.backUp(to: folder.file("backup.db"))
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["backup.db"])
        let copy = try SQLiteEngine(path: folder.file("backup.db"))
        #expect(try await copy.rows(in: "users") == 1)
        try copy.close()
    }

    @Test func backupIntoMissingFolderFails() async throws {
        let folder = try TestFolder()
        try await withEngine(.disk) { engine in
            #expect(throws: DatabaseError.self) {
                try engine.backUp(to: folder.file("nowhere/backup.db"))
            }
            try await engine.moveIn(ada)
        }
    }

    @Test func databaseCannotBeItsOwnBackup() async throws {
        let folder = try TestFolder()
        let engine = try SQLiteEngine(path: folder.file())
        try FileManager.default.createSymbolicLink(
            atPath: folder.file("link.db"), withDestinationPath: folder.file())
        for destination in [
            folder.file(), folder.path + "/./lifesignal.db", folder.file("link.db"),
        ] {
            #expect(throws: DatabaseError.self) { try engine.backUp(to: destination) }
            #expect(throws: DatabaseError.self) {
                try SQLiteFile.backUp(folder.file(), to: destination)
            }
        }
        try await engine.moveIn(ada)
        try engine.close()
        let reopened = try SQLiteEngine(path: folder.file())
        #expect(try await reopened.rows(in: "users") == 1)
        try reopened.close()
    }

    @Test func backupDoesNotReplaceFolder() async throws {
        let folder = try TestFolder()
        try FileManager.default.createDirectory(
            atPath: folder.file("photos/2026"), withIntermediateDirectories: true)
        try await withEngine(.disk) { engine in
            #expect(throws: DatabaseError.self) { try engine.backUp(to: folder.file("photos")) }
            try await engine.probe()
        }
        #expect(FileManager.default.fileExists(atPath: folder.file("photos/2026")))
    }
}
