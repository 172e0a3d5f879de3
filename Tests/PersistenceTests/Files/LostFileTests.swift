import Foundation
import Testing

@testable import Persistence

@Suite struct LostFileTests {
    private func failure(_ work: () throws -> Void) -> DatabaseError? {
        do {
            try work()
            return nil
        } catch {
            return error as? DatabaseError
        }
    }

    @Test(arguments: ["", "-wal", "-shm"])
    func missingFileRefusesWritesUntilItIsBack(suffix: String) async throws {
        let folder = try TestFolder()
        let engine = try SQLiteEngine(path: folder.file())
        try await engine.moveIn(ada)
        #expect(engine.health.lostFile == nil)
        let (file, away) = (folder.file() + suffix, folder.file("away"))
        try FileManager.default.moveItem(atPath: file, toPath: away)
        #expect(engine.health.lostFile?.hasPrefix("\(file) was moved") == true)
        await #expect(throws: DatabaseError.fileLost(path: file)) { try await engine.moveIn(ben) }
        try FileManager.default.moveItem(atPath: away, toPath: file)
        try await engine.moveIn(ben)
        #expect(engine.health.lostFile == nil)
        #expect(try await engine.rows(in: "users") == 2)
        try engine.close()
    }

    @Test func replacedDatabaseIsSavedAtTheStop() async throws {
        let folder = try TestFolder()
        let engine = try SQLiteEngine(path: folder.file())
        try await engine.moveIn(ada)
        let other = Data("another file".utf8)
        try FileManager.default.removeItem(atPath: folder.file())
        try folder.write(other)
        guard case .saved(_, let copy)? = failure({ try engine.close() }) else {
            Issue.record("no copy is named")
            return
        }
        #expect(try Data(contentsOf: URL(filePath: folder.file())) == other)
        let saved = try SQLiteEngine(path: copy)
        #expect(try await saved.rows(in: "users") == 1)
        try saved.close()
    }

    /// `backup` and `doctor` know the running server's report by its text.
    @Test func onlyALostFileIsReportedAsALoss() {
        let path = "/data/lifesignal.sqlite"
        let errors: [DatabaseError] = [
            .fileLost(path: path + "-wal"), .diskFull(path: path), .damaged(path: path),
            .vanished(path: path),
        ]
        #expect(errors.map { DatabaseError.isLoss("\($0)") } == [true, false, false, false])
    }

    @Test func lostFolderIsNamedAtTheStop() async throws {
        let folder = try TestFolder()
        let engine = try SQLiteEngine(path: folder.file())
        try await engine.moveIn(ada)
        try FileManager.default.removeItem(atPath: folder.path)
        guard case .notSaved? = failure({ try engine.close() }) else {
            Issue.record("the loss is not named")
            return
        }
    }

    /// The last checkpoint writes the open log into the database.
    @Test func lostLogLosesNothingAtTheStop() async throws {
        let folder = try TestFolder()
        let engine = try SQLiteEngine(path: folder.file())
        try await engine.moveIn(ada)
        try FileManager.default.removeItem(atPath: folder.file() + "-wal")
        try engine.close()
        let reopened = try SQLiteEngine(path: folder.file())
        #expect(try await reopened.rows(in: "users") == 1)
        try reopened.close()
    }

    @Test func lostLockIsAWarningAndWritesContinue() async throws {
        let folder = try TestFolder()
        let engine = try SQLiteEngine(path: folder.file())
        #expect(engine.health.lockWarning == nil)
        try FileManager.default.removeItem(atPath: folder.file() + ".lock")
        #expect(engine.health.lockWarning?.contains(".lock was moved or deleted") == true)
        try await engine.moveIn(ada)
        #expect(engine.health.lastFailure == nil)
        try engine.close()
    }
}
