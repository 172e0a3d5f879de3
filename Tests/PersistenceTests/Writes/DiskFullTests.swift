import Domain
import Foundation
import Testing

@testable import Persistence

/// A limit on the database's pages simulates a full disk.
@Suite struct DiskFullTests {
    /// A row of this size exceeds the disk reserve.
    private static let large = DiskReserve.bytes + 2 * 1024 * 1024

    private func fillDisk(_ engine: SQLiteEngine) async throws {
        try await engine.write(about: .none) { transaction in
            let pages = try transaction.count("PRAGMA page_count", [])
            _ = try transaction.count("PRAGMA max_page_count = \(pages)", [])
        }
    }

    private func freeDisk(_ engine: SQLiteEngine) async throws {
        try await engine.write(about: .none) {
            _ = try $0.count("PRAGMA max_page_count = 1000000", [])
        }
    }

    private func event(_ length: Int) -> @Sendable (Transaction) throws -> Int64 {
        { transaction in
            let item = NotificationItem(
                id: id(1), type: .system, title: "", body: String(repeating: "x", count: length),
                createdAt: noon)
            try transaction.append(.notification(item), to: ada)
            try transaction.finish()
            return try transaction.eventRange(of: ada)?.upperBound ?? 0
        }
    }

    /// Returns a write of a row that is too large to be undone alone. SQLite then rolls back the
    /// whole transaction.
    private func large() -> @Sendable (Transaction) throws -> Int64 {
        { transaction in
            let code = CodeRow(
                id: ada.uuid, hash: Data(count: Self.large), expiresAt: noon, triesLeft: 5)
            try transaction.insertCode(
                code, phoneNumber: try number(of: ada), addressHash: Data())
            return 0
        }
    }

    @Test(arguments: Home.ofSQLite)
    func fullDiskLosesNoAnsweredWrite(home: Home) async throws {
        let reports = Reports()
        try await withEngine(home, reports: reports) { engine in
            #expect(try await engine.write(about: .none, event(10)) == 1)
            try await fillDisk(engine)
            reports.forget()
            let gate = Gate()
            let holding = await gate.hold(engine)
            let writes = await engine.enqueue([event(10), large(), event(10)])
            gate.open()
            try await holding.value

            // The large row undid them all, but two of them fit.
            #expect(try await writes[0].value == 2)
            let failure = try #require(await writes[1].databaseError)
            #expect(try await writes[2].value == 3)
            guard case .diskFull = failure else {
                Issue.record("the error does not name the full disk")
                return
            }
            #expect(reports.all.suffix(3).map(\.failure) == [nil, failure, nil])
            #expect(
                reports.all.suffix(3).map(\.outbox.events.isEmpty) == [false, true, false])
            #expect(engine.health.lastFailure == failure)
            #expect(try await engine.read { try $0.eventRange(of: ada) } == 1...3)

            try await freeDisk(engine)
            #expect(engine.health.lastFailure != nil)
            try await engine.probe()
            #expect(engine.health.lastFailure == nil)
            #expect(try await engine.write(about: .none, event(Self.large)) == 4)
        }
    }

    @Test(arguments: Home.ofSQLite)
    func fittingWritesSucceedAndFailureIsReported(home: Home) async throws {
        try await withEngine(home) { engine in
            _ = try await engine.write(about: .none, event(10))
            try await fillDisk(engine)
            let gate = Gate()
            let holding = await gate.hold(engine)
            let writes = await engine.enqueue([event(10), event(Self.large), event(10)])
            gate.open()
            try await holding.value
            #expect(try await writes[0].value == 2)
            let failure = try #require(await writes[1].databaseError)
            #expect(try await writes[2].value == 3)
            #expect(engine.health.lastFailure == failure)
            try await freeDisk(engine)
            #expect(try await engine.read { try $0.eventRange(of: ada) } == 1...3)
        }
    }

    @Test func successfulWriteClearsFailure() async throws {
        try await withEngine(.disk) { engine in
            try await fillDisk(engine)
            _ = try? await engine.write(about: .none, event(Self.large))
            #expect(engine.health.lastFailure != nil)
            try await freeDisk(engine)
            #expect(try await engine.write(about: .none, event(Self.large)) == 1)
            #expect(engine.health.lastFailure == nil)
        }
    }

    /// The disk fails here, so `isolated` must not blame the row.
    @Test func fullDiskDoesNotBlameRow() async throws {
        try await withEngine(.memory) { engine in
            try await fillDisk(engine)
            let write = Task { [event] in
                try await engine.write(about: .none) { transaction in
                    try transaction.isolated { _ = try event(Self.large)(transaction) } == nil
                }
            }
            guard case .diskFull = await write.databaseError else {
                Issue.record("a full disk was taken for a broken row")
                return
            }
            try await freeDisk(engine)
            #expect(try await engine.rows(in: "events") == 0)
        }
    }

    /// A deferred constraint makes the commit itself fail.
    @Test(arguments: Home.ofSQLite)
    func failedCommitFailsWholeGroup(home: Home) async throws {
        let reports = Reports()
        try await withEngine(home, reports: reports) { engine in
            try await engine.moveIn(ada)
            reports.forget()
            let gate = Gate()
            let holding = await gate.hold(engine)
            let orphan: @Sendable (Transaction) throws -> Int64 = { transaction in
                try transaction.execute("PRAGMA defer_foreign_keys = 1", [])
                try transaction.insert(checkIn(1, at: noon), of: ben)
                return 0
            }
            let writes = await engine.enqueue([event(10), orphan, event(10)])
            gate.open()
            try await holding.value
            for write in writes {
                guard case .constraintViolation = await write.databaseError else {
                    Issue.record("answered though the commit failed")
                    continue
                }
            }
            #expect(reports.all.last?.outbox.events.isEmpty == true)
            #expect(try await engine.rows(in: "events") == 0)
            #expect(try await engine.write(about: .none, event(10)) == 1)
            #expect(engine.health.lastFailure == nil)
        }
    }
}
