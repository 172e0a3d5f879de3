import Foundation
import Testing

@testable import Persistence

/// An older program never changes a file with a newer schema.
@Suite struct VersionTests {
    private let future = DatabaseError.newerVersion(found: 999, known: Migrator.newest)

    private func writeFuture(_ engine: SQLiteEngine) async throws {
        try await engine.write(about: .none) {
            _ = try $0.execute("INSERT INTO schema_versions (version) VALUES ($1)", [.int(999)])
        }
    }

    /// A newer schema can permit older programs, so that servers are replaced one at a time.
    @Test(arguments: [-1, 0, 1])
    func newerSchemaDeclaresCompatiblePrograms(distance: Int) async throws {
        let folder = try TestFolder()
        let newer = try SQLiteEngine(path: folder.file())
        try await newer.moveIn(ada)
        let oldest = Migrator.newest + distance
        try await newer.write(about: .none) {
            _ = try $0.execute(
                "INSERT INTO schema_versions (version, oldest_program) VALUES ($1, $2)",
                [.int(999), .int(oldest)])
        }
        try newer.close()
        guard distance <= 0 else {
            return try expectUntouched([folder.file()]) {
                _ = try SQLiteEngine(path: folder.file())
            }
        }
        let older = try SQLiteEngine(path: folder.file())
        #expect(try await older.rows(in: "users") == 1)
        try older.close()
    }

    /// Newer data is in separate tables and columns, so programs of the fifth schema still work.
    /// Since the 32nd, events have a form that older programs can't read.
    @Test(arguments: 6...Migrator.newest)
    func newerSchemasNameTheirOldestProgram(version: Int) async throws {
        let folder = try TestFolder()
        let engine = try SQLiteEngine(path: folder.file())
        let oldest: Int? = try await engine.read {
            try $0.value(
                "SELECT oldest_program FROM schema_versions WHERE version = $1", [.int(version)])
        }
        #expect(oldest == (version < 32 ? 5 : 32))
        try engine.close()
    }

    private func expectUntouched(_ files: [String], _ open: () throws -> Void) throws {
        let before = files.map { FileManager.default.contents(atPath: $0) }
        #expect(throws: future, performing: open)
        #expect(files.map { FileManager.default.contents(atPath: $0) } == before)
    }

    @Test func olderSchemaIsLeftToOpenersThatMayMigrate() async throws {
        let folder = try TestFolder()
        let engine = try SQLiteEngine(path: folder.file())
        try await engine.write(about: .none) {
            _ = try $0.execute(
                "DELETE FROM schema_versions WHERE version = $1", [.int(Migrator.newest)])
        }
        try engine.close()
        let before = FileManager.default.contents(atPath: folder.file())
        let older = DatabaseError.olderVersion(found: Migrator.newest - 1, known: Migrator.newest)
        #expect(throws: older) {
            try SQLiteEngine(path: folder.file(), mayMigrate: false, now: { noon })
        }
        #expect(FileManager.default.contents(atPath: folder.file()) == before)
    }

    @Test func closedNewerDatabaseIsUnchanged() async throws {
        let folder = try TestFolder()
        let newer = try SQLiteEngine(path: folder.file())
        try await writeFuture(newer)
        try newer.close()
        try expectUntouched([folder.file()]) { _ = try SQLiteEngine(path: folder.file()) }
    }

    @Test func killedNewerDatabaseIsUnchanged() async throws {
        let folder = try TestFolder()
        let newer = try SQLiteEngine(path: folder.file())
        try await writeFuture(newer)
        let copy = folder.file("copy.db")
        for suffix in ["", "-wal"] {
            try FileManager.default.copyItem(atPath: folder.file() + suffix, toPath: copy + suffix)
        }
        try expectUntouched([copy, copy + "-wal"]) { _ = try SQLiteEngine(path: copy) }
        try newer.close()
    }

    @Test func newerBackupIsUnchanged() async throws {
        let folder = try TestFolder()
        let newer = try SQLiteEngine(path: folder.file())
        try await writeFuture(newer)
        let backup = folder.file("backup.db")
        try newer.backUp(to: backup)
        try newer.close()
        try expectUntouched([backup]) { _ = try SQLiteEngine(path: backup) }
        try expectUntouched([backup]) { try SQLiteFile.verify(backup) }
    }

    @Test func newerBackupIsNotRestored() async throws {
        let folder = try TestFolder()
        let newer = try SQLiteEngine(path: folder.file("newer.db"))
        try await writeFuture(newer)
        try newer.backUp(to: folder.file("backup.db"))
        try newer.close()
        let present = try SQLiteEngine(path: folder.file())
        try await present.moveIn(ada)
        try present.close()

        try expectUntouched([folder.file()]) {
            _ = try SQLiteFile.restore(folder.file("backup.db"), to: folder.file())
        }
    }
}
