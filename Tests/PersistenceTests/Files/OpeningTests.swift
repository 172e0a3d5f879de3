import Foundation
import Testing

@testable import Persistence

@Suite struct OpeningTests {
    @Test(arguments: Home.ofSQLite)
    func missingFileBecomesNewestDatabase(home: Home) async throws {
        try await withEngine(home) { engine in
            let version = try await engine.read {
                try $0.count("SELECT MAX(version) FROM schema_versions", [])
            }
            #expect(version == Migrator.newest)
            #expect(try await engine.rows(in: "users") == 0)
        }
    }

    @Test func emptyFileBecomesDatabase() async throws {
        let folder = try TestFolder()
        try folder.write(Data())
        let engine = try SQLiteEngine(path: folder.file())
        #expect(try await engine.rows(in: "users") == 0)
        try engine.close()
    }

    @Test(arguments: [nil, Data()])
    func vanishedDatabaseIsNotRecreated(content: Data?) throws {
        let folder = try TestFolder()
        if let content { try folder.write(content) }
        let path = folder.file()
        #expect(throws: DatabaseError.vanished(path: path)) {
            try SQLiteEngine(path: path, mayCreate: false, now: { noon })
        }
        #expect(throws: DatabaseError.vanished(path: path)) {
            try SQLiteEngine(path: path, mayMigrate: false, now: { noon })
        }
        #expect(FileManager.default.contents(atPath: path) == content)
        try SQLiteEngine(path: path, now: { noon }).close()
        try SQLiteEngine(path: path, mayMigrate: false, now: { noon }).close()
        try SQLiteEngine(path: path, mayCreate: false, now: { noon }).close()
    }

    @Test func writesSurviveReopening() async throws {
        let folder = try TestFolder()
        let first = try SQLiteEngine(path: folder.file())
        try await first.moveIn(ada)
        try first.close()

        let second = try SQLiteEngine(path: folder.file())
        #expect(try await second.read { try $0.user(ada)?.name } == names[ada])
        #expect(try await second.rows(in: "schema_versions") == Migrator.migrations.count)
        try second.close()
    }

    /// A killed server leaves a log that isn't merged into the database.
    @Test func writesInLogSurviveReopening() async throws {
        let folder = try TestFolder()
        let killed = try SQLiteEngine(path: folder.file())
        try await killed.moveIn(ada)
        for suffix in ["", "-wal"] {
            try FileManager.default.copyItem(
                atPath: folder.file() + suffix, toPath: folder.file("copy.db") + suffix)
        }
        let survivor = try SQLiteEngine(path: folder.file("copy.db"))
        #expect(try await survivor.read { try $0.user(ada)?.name } == names[ada])
        try survivor.close()
        try killed.close()
    }

    @Test func commitsAreFlushedToDisk() async throws {
        try await withEngine(.disk) { engine in
            let synchronous = try await engine.write(about: .none) {
                try $0.count("PRAGMA synchronous", [])
            }
            #expect(synchronous == 2)
            #expect(
                try await engine.write(about: .none) {
                    try $0.value("PRAGMA journal_mode", []) as String?
                }
                    == "wal")
            #expect(
                try await engine.write(about: .none) { try $0.count("PRAGMA foreign_keys", []) }
                    == 1)
        }
    }

    @Test func otherFilesAreLeftUnchanged() throws {
        let folder = try TestFolder()
        let letter = Data("Dear diary, this is not a database at all, whatever you may think.".utf8)
        try folder.write(letter)
        #expect(throws: DatabaseError.damaged(path: folder.file())) {
            try SQLiteEngine(path: folder.file())
        }
        #expect(FileManager.default.contents(atPath: folder.file()) == letter)
    }

    @Test func truncatedDatabaseIsDamaged() async throws {
        let folder = try TestFolder()
        let engine = try SQLiteEngine(path: folder.file())
        try engine.close()
        let whole = try #require(FileManager.default.contents(atPath: folder.file()))
        var broken = whole
        for index in 100..<broken.count { broken[index] = 0x5A }
        try folder.write(broken)
        #expect(throws: DatabaseError.damaged(path: folder.file())) {
            try SQLiteEngine(path: folder.file())
        }
    }

    @Test func openingFolderFails() throws {
        let folder = try TestFolder()
        #expect(throws: DatabaseError.cannotOpen(path: folder.path, reason: "it is a folder")) {
            try SQLiteEngine(path: folder.path)
        }
    }

    @Test func openingInMissingFolderFails() throws {
        let folder = try TestFolder()
        let error = #expect(throws: DatabaseError.self) {
            try SQLiteEngine(path: folder.file("nowhere/lifesignal.db"))
        }
        guard case .cannotOpen = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    /// Skipped for root, who may write to read-only files.
    @Test(.enabled(if: getuid() != 0)) func openingReadOnlyFileFails() throws {
        let folder = try TestFolder()
        try SQLiteEngine(path: folder.file()).close()
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o400], ofItemAtPath: folder.file())
        #expect(throws: DatabaseError.readOnly(path: folder.file())) {
            try SQLiteEngine(path: folder.file())
        }
    }

    @Test func forbiddenWriteThrowsReadOnly() async throws {
        try await withEngine(.disk) { engine in
            try await engine.write(about: .none) {
                _ = try $0.query("PRAGMA query_only = 1", []) { _ in }
            }
            let error = await #expect(throws: DatabaseError.self) { try await engine.moveIn(ada) }
            guard case .readOnly = error else {
                Issue.record("\(String(describing: error))")
                return
            }
        }
    }
}
