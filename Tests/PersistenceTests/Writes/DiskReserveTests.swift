import Domain
import Foundation
import GRDB
import Testing

@testable import Persistence

/// The database reserves disk space that it uses once the disk is full.
@Suite struct DiskReserveTests {
    private let folder: TestFolder

    init() throws { folder = try TestFolder() }

    private func status(_ suffix: String = "") throws -> stat {
        var status = stat()
        try #require(stat(folder.file() + suffix, &status) == 0)
        return status
    }

    private func fill(_ engine: SQLiteEngine, events: Int = 200) async throws {
        for _ in 0..<events {
            try await engine.write(about: .none) { try $0.append(.profileChanged, to: ada) }
        }
    }

    private func makeRoom(_ checkpointer: Checkpointer, _ engine: SQLiteEngine) async throws -> Bool
    {
        try await engine.writer.writeWithoutTransaction { checkpointer.makeRoom(on: $0) }
    }

    @Test func checkpointedLogIsReused() async throws {
        let engine = try SQLiteEngine(path: folder.file())
        let checkpointer = try Checkpointer(path: folder.file())
        try await fill(engine)
        let size = try status("-wal").st_size
        for _ in 0..<3 {
            #expect(try await makeRoom(checkpointer, engine))
            try await fill(engine)
        }
        #expect(try status("-wal").st_size < 2 * size)
        try engine.close()
    }

    @Test func logInUseIsNotCheckpointedOrRetriedImmediately() async throws {
        let engine = try SQLiteEngine(path: folder.file())
        let checkpointer = try Checkpointer(path: folder.file())
        try await fill(engine)
        var configuration = Configuration()
        configuration.readonly = true
        // Allows a transaction to stay open between two accesses.
        configuration.allowsUnsafeTransactions = true
        let reader = try DatabaseQueue(path: folder.file(), configuration: configuration)
        try reader.inDatabase {
            try $0.execute(sql: "BEGIN")
            _ = try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM events")
        }
        try await fill(engine)
        #expect(try await makeRoom(checkpointer, engine) == false)
        try reader.inDatabase { try $0.execute(sql: "COMMIT") }
        #expect(try await makeRoom(checkpointer, engine) == false)
        try engine.close()
    }

    /// The log's file keeps its size after a checkpoint. Only the pages in use count.
    @Test func reusedLogIsNotCheckpointedAgain() async throws {
        let engine = try SQLiteEngine(path: folder.file())
        let checkpointer = try Checkpointer(path: folder.file(), threshold: 100)
        try await engine.writer.writeWithoutTransaction { checkpointer.begin(on: $0) }
        // A checkpointer looks at the log after every sixteenth commit.
        let writer = engine.writer
        let look = { (0..<16).map { _ in checkpointer.checkpointIfLarge(finishingOn: writer) } }
        try await fill(engine, events: 1)
        #expect(look() == Array(repeating: false, count: 16))
        while checkpointer.logLength <= 100 { try await fill(engine, events: 1) }
        #expect(look() == Array(repeating: false, count: 15) + [true])
        while checkpointer.logLength > 100 {
            try await fill(engine, events: 1)
            await Task.yield()
        }
        let size = try status("-wal").st_size
        for _ in 0..<4 {
            try await fill(engine, events: 1)
            #expect(look() == Array(repeating: false, count: 16))
        }
        #expect(size > 100 * 2048)
        try engine.close()
        withExtendedLifetime(checkpointer) {}
    }

    #if os(Linux)
    @Test func fileHasBlocksBehindItsPagesAfterEachCheckpoint() async throws {
        let engine = try SQLiteEngine(path: folder.file())
        let checkpointer = try Checkpointer(path: folder.file())
        for _ in 0..<3 {
            let pages = try await engine.read { try $0.count("PRAGMA page_count", []) }
            let file = try status()
            #expect(Int(file.st_blocks) * 512 >= pages * 2048 + DiskReserve.bytes)
            // Writing the reserve would lengthen the file, and cost 4 MB at each checkpoint.
            #expect(file.st_size < pages * 2048 + DiskReserve.bytes)
            try await fill(engine)
            #expect(try await makeRoom(checkpointer, engine))
        }
        try engine.close()
    }
    #endif

    /// Where the system can't reserve blocks, SQLite lengthens the file.
    @Test func fileWithoutADescriptorIsLongerThanItsPages() async throws {
        let engine = try SQLiteEngine(path: folder.file())
        let pages = try await engine.read { try $0.count("PRAGMA page_count", []) }
        try await engine.writer.writeWithoutTransaction { try DiskReserve.extend($0, in: -1) }
        #expect(try status().st_size >= pages * 2048 + DiskReserve.bytes)
        try engine.close()
    }

    @Test func closedDatabaseKeepsLogAndIndex() async throws {
        let engine = try SQLiteEngine(path: folder.file())
        try await engine.moveIn(ada)
        try engine.close()
        #expect(try status("-shm").st_size > 0)
        let log = try status("-wal")
        #expect(log.st_size == 32)
        #if os(Linux)
        #expect(Int(log.st_blocks) * 512 >= DiskReserve.bytes)
        #endif
        let reopened = try SQLiteEngine(path: folder.file())
        #expect(try await reopened.rows(in: "users") == 1)
        try reopened.close()
    }

    /// Without WAL mode, an existing log would change how SQLite opens the file.
    @Test func onlyWALModeLogIsPrepared() throws {
        DiskReserve.prepareLog(of: folder.file())
        #expect(!FileManager.default.fileExists(atPath: folder.file() + "-wal"))
        let queue = try DatabaseQueue(path: folder.file())
        try queue.inDatabase { try $0.execute(sql: "CREATE TABLE a (b)") }
        try queue.close()
        DiskReserve.prepareLog(of: folder.file())
        #expect(!FileManager.default.fileExists(atPath: folder.file() + "-wal"))
    }

    @Test func logWithFramesIsUnchanged() async throws {
        let engine = try SQLiteEngine(path: folder.file())
        try await engine.moveIn(ada)
        let copy = folder.file("copy.db")
        for suffix in ["", "-wal"] {
            try FileManager.default.copyItem(
                atPath: folder.file() + suffix, toPath: copy + suffix)
        }
        try engine.close()
        let log = try Data(contentsOf: URL(filePath: copy + "-wal"))
        DiskReserve.prepareLog(of: copy)
        #expect(try Data(contentsOf: URL(filePath: copy + "-wal")) == log)
        let reopened = try SQLiteEngine(path: copy)
        #expect(try await reopened.rows(in: "users") == 1)
        try reopened.close()
    }
}
