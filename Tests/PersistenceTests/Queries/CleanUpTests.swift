import Domain
import Foundation
import Testing

@testable import Persistence

@Suite struct CleanUpTests {
    private func cleanUp(_ engine: SQLiteEngine, at time: Date, limit: Int = 100) async throws -> Int {
        try await engine.write { try $0.cleanUp(at: time, limit: limit) }
    }

    private func expectOneGone(_ engine: SQLiteEngine, at time: Date) async throws {
        #expect(try await cleanUp(engine, at: time.aMillisecondBefore) == 0)
        #expect(try await cleanUp(engine, at: time) == 1)
        #expect(try await cleanUp(engine, at: time) == 0)
    }

    @Test(arguments: Home.allCases)
    func aNotificationIsKeptThirtyDays(home: Home) async throws {
        try await withEngine(home) { engine in
            try await engine.moveIn(ada)
            try await engine.write { try $0.insert(notification(1), of: ada) }
            try await expectOneGone(engine, at: noon.adding(.days(30)))
        }
    }

    @Test func aReadOneSevenDaysFromReading() async throws {
        try await withEngine(.memory) { engine in
            try await engine.moveIn(ada)
            try await engine.write { transaction in
                try transaction.insert(notification(1), of: ada)
                try transaction.markRead(id(1), of: ada, at: noon.adding(.days(2)))
            }
            try await expectOneGone(engine, at: noon.adding(.days(9)))
        }
    }

    @Test func aReadOneNeverLongerThanAnUnreadOne() async throws {
        try await withEngine(.memory) { engine in
            try await engine.moveIn(ada)
            try await engine.write { transaction in
                try transaction.insert(notification(1), of: ada)
                try transaction.markRead(id(1), of: ada, at: noon.adding(.days(29)))
            }
            try await expectOneGone(engine, at: noon.adding(.days(30)))
        }
    }

    @Test func theLedgerOfAnAlertIsKeptAndTheRestThirtyDays() async throws {
        try await withEngine(.memory) { engine in
            let ledger = try await Ledger(engine)
            try await ledger.enter(1, by: .stream, alert: manualAlert(1, of: ada))
            try await ledger.enter(2, .ping, by: .stream)
            let end = noon.adding(.days(30))
            #expect(try await cleanUp(engine, at: end.aMillisecondBefore) == 0)
            #expect(try await cleanUp(engine, at: end) == 3)
            #expect(try await ledger.state(1) == .queued)
            #expect(try await ledger.state(2) == nil)
        }
    }

    @Test func aCodeIsRememberedForAsLongAsItCounts() async throws {
        try await withEngine(.memory) { engine in
            let code = CodeRow(id: ada.uuid, hash: Data(), expiresAt: noon.adding(.minutes(5)), triesLeft: 5)
            try await engine.write { try $0.insertCode(code, phoneNumber: try number(of: ada), addressHash: Data(), at: noon) }
            try await expectOneGone(engine, at: noon.adding(.hours(1)))
        }
    }

    @Test func aSessionEndsWithItsRefreshToken() async throws {
        try await withEngine(.memory) { engine in
            try await engine.moveIn(ada)
            try await engine.write {
                try $0.insertSession(
                    Caller(userID: ada, sessionID: id(1)), deviceName: "Phone", accessHash: Data([1]), refreshHash: Data([1]),
                    accessExpiresAt: noon, refreshExpiresAt: noon.adding(.days(90)), at: noon
                )
            }
            try await expectOneGone(engine, at: noon.adding(.days(90)))
        }
    }

    @Test func itIsDoneInPartsThatHoldNobodyUp() async throws {
        try await withEngine(.memory) { engine in
            try await engine.moveIn(ada)
            for number in 1...25 as ClosedRange<UInt8> { try await engine.write { try $0.insert(notification(number), of: ada) } }
            let end = noon.adding(.days(30))
            #expect(try await cleanUp(engine, at: end, limit: 10) == 10)
            #expect(try await cleanUp(engine, at: end, limit: 10) == 10)
            #expect(try await cleanUp(engine, at: end, limit: 10) == 5)
        }
    }
}
