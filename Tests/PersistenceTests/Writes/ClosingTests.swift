import Domain
import Foundation
import Testing

@testable import Persistence

@Suite struct ClosingTests {
    /// More writes than fit into one group, so some still wait when the first ones are answered.
    @Test(arguments: Home.ofSQLite)
    func closingAnswersWaitingWrites(home: Home) async throws {
        let folder = try TestFolder()
        let engine = try home == .disk ? SQLiteEngine(path: folder.file()) : SQLiteEngine()
        let gate = Gate()
        let holding = await gate.hold(engine)
        let writes = await engine.enqueue(
            (0..<400).map { _ in { @Sendable in try $0.append(.profileChanged, to: ada) }
            })
        let closing = Task { try await engine.closeOnAnotherThread() }
        while !engine.queue.isClosed { await Task.yield() }
        gate.open()
        try await holding.value
        for write in writes { try await write.value }
        try await closing.value

        guard home == .disk else { return }
        let reopened = try SQLiteEngine(path: folder.file())
        #expect(try await reopened.read { try $0.eventRange(of: ada) }?.upperBound == 400)
        try reopened.close()
    }

    @Test(arguments: Home.ofSQLite)
    func closedDatabaseRefusesWork(home: Home) async throws {
        let folder = try TestFolder()
        let engine = try home == .disk ? SQLiteEngine(path: folder.file()) : SQLiteEngine()
        try await engine.moveIn(ada)
        try engine.close()
        await #expect(throws: DatabaseError.closed) { try await engine.moveIn(ben) }
        await #expect(throws: DatabaseError.closed) { try await engine.probe() }
        await #expect(throws: DatabaseError.closed) { try await engine.rows(in: "users") }
    }

    @Test(arguments: Home.ofSQLite)
    func closingTwiceIsHarmless(home: Home) async throws {
        let folder = try TestFolder()
        let engine = try home == .disk ? SQLiteEngine(path: folder.file()) : SQLiteEngine()
        try engine.close()
        try engine.close()
        await #expect(throws: DatabaseError.closed) { try await engine.probe() }
    }

    @Test func closingEmptiesTheLog() async throws {
        let folder = try TestFolder()
        let engine = try SQLiteEngine(path: folder.file())
        try await engine.moveIn(ada)
        try engine.close()
        // The log is only a header, without frames.
        #expect(try Data(contentsOf: URL(filePath: folder.file() + "-wal")) == Data(count: 32))
    }

    @Test func healthReportsOldestWaitingWrite() async throws {
        try await withEngine(.memory) { engine in
            #expect(engine.health.oldestWaiting == .zero)
            let gate = Gate()
            let holding = await gate.hold(engine)
            #expect(engine.health.oldestWaiting > .zero)
            gate.open()
            try await holding.value
            try await engine.probe()
            while engine.queue.isBusy { await Task.yield() }
            #expect(engine.health.oldestWaiting == .zero)
        }
    }
}
