import Domain
import Foundation
import TestDatabase
import Testing

@testable import Persistence

@Suite struct CleanUpTests {
    private func cleanUp(
        _ kind: CleanUp, _ engine: any DatabaseEngine, at time: Date, limit: Int = 100
    ) async throws -> Int {
        try await engine.write(at: time) { try $0.cleanUp(kind, limit: limit) }
    }

    private func expectOneGone(
        _ kind: CleanUp, _ engine: any DatabaseEngine, at time: Date
    ) async throws {
        #expect(try await cleanUp(kind, engine, at: time.aMillisecondBefore) == 0)
        #expect(try await cleanUp(kind, engine, at: time) == 1)
        #expect(try await cleanUp(kind, engine, at: time) == 0)
    }

    @Test(arguments: Home.all)
    func notificationIsKeptThirtyDays(home: Home) async throws {
        try await withDatabase(home) { engine in
            try await engine.moveIn(ada)
            try await engine.write(about: .none) { try $0.insert(notification(1), of: ada) }
            try await expectOneGone(.notifications, engine, at: noon.adding(.days(30)))
        }
    }

    @Test func journeyIsKeptADayFromItsEnd() async throws {
        try await withDatabase { engine in
            try await engine.moveIn(ada)
            var journey = Journey(
                id: id(7), name: "Zugspitze", note: "Alone", startedAt: noon,
                expectedReturn: noon.adding(.hours(2)), graceMinutes: 10, responders: nil,
                tellsResponders: false)
            journey.end(at: noon)
            try await engine.write(about: .none) { [journey] in try $0.save(journey, of: ada) }
            try await expectOneGone(.journeys, engine, at: noon.adding(.days(1)))
            #expect(try await engine.read { try $0.journey(of: ada) } == nil)
        }
    }

    @Test func emptiedJourneyKeepsItsRow() async throws {
        try await withDatabase { engine in
            try await engine.moveIn(ada)
            var journey = Journey(
                id: id(7), name: "Zugspitze", note: "Alone", startedAt: noon,
                expectedReturn: noon.adding(.hours(2)), graceMinutes: 10, responders: [ben],
                tellsResponders: false)
            journey.end(at: noon)
            try await engine.write(about: .none) { [journey] in try $0.save(journey, of: ada) }
            func empty(at time: Date) async throws -> Int {
                try await engine.write(at: time) { try $0.emptyEndedJourneys(limit: 10) }
            }
            let end = noon.adding(.days(1))
            #expect(try await empty(at: end.aMillisecondBefore) == 0)
            #expect(try await engine.read { try $0.journey(of: ada) } == journey)
            #expect(try await empty(at: end) == 1)
            #expect(try await empty(at: end) == 0)
            (journey.note, journey.responders) = ("", nil)
            #expect(try await engine.read { try $0.journey(of: ada) } == journey)
        }
    }

    @Test func readNotificationIsKeptSevenDaysFromReading() async throws {
        try await withDatabase { engine in
            try await engine.moveIn(ada)
            try await engine.write(at: noon.adding(.days(2))) { transaction in
                try transaction.insert(notification(1), of: ada)
                try transaction.markRead(.one(id(1)), of: ada)
            }
            try await expectOneGone(.readNotifications, engine, at: noon.adding(.days(9)))
        }
    }

    @Test func readNotificationIsNotKeptLongerThanUnread() async throws {
        try await withDatabase { engine in
            try await engine.moveIn(ada)
            try await engine.write(at: noon.adding(.days(29))) { transaction in
                try transaction.insert(notification(1), of: ada)
                try transaction.markRead(.one(id(1)), of: ada)
            }
            try await expectOneGone(.notifications, engine, at: noon.adding(.days(30)))
        }
    }

    /// Messages about the account expire before.
    @Test func deletedAccountNewsIsKeptADayWhileItIsSent() async throws {
        try await withDatabase { engine in
            let ledger = try await Ledger(engine)
            try await ledger.enter(1, .system)
            try await engine.write(at: noon) {
                _ = try $0.deleteNotifications(.one(id(1)), of: ada)
            }
            try await expectOneGone(.readNotifications, engine, at: noon.adding(.days(1)))
        }
    }

    @Test func deliveryWithoutAlertIsKeptThirtyDays() async throws {
        try await withDatabase { engine in
            let ledger = try await Ledger(engine)
            try await ledger.enter(1, by: .stream, alert: manualAlert(1, of: ada))
            try await ledger.enter(2, .ping, by: .stream)
            try await expectOneGone(.deliveries, engine, at: noon.adding(.days(30)))
            #expect(try await ledger.state(1) == .queued)
            #expect(try await ledger.state(2) == nil)
        }
    }

    /// Adds an alert that was sent to Ben on two channels and acknowledged by him.
    private func enterAlert(_ number: UInt8, endedAt end: Date?, _ ledger: Ledger) async throws {
        var alert = manualAlert(number, of: ada)
        let helper = try #require(try await ledger.engine.recipient(ben))
        try await ledger.engine.write(about: .none) { [alert] transaction in
            try transaction.insert(alert)
            try transaction.enter(.acknowledged, by: helper, about: alert)
        }
        for place in 0...1 as ClosedRange<UInt8> {
            try await ledger.enter(number + place, to: ben, alert: alert)
        }
        alert.endedAt = end
        try await ledger.engine.write(about: .none) { [alert] in try $0.update(alert) }
    }

    @Test func alertAndLedgerAreDeletedYearAfterEnd() async throws {
        try await withDatabase { engine in
            let ledger = try await Ledger(engine, users: ada, ben)
            let end = noon.adding(.days(3))
            try await enterAlert(10, endedAt: end, ledger)
            try await enterAlert(20, endedAt: nil, ledger)
            let year = end.adding(.days(365))
            #expect(try await cleanUp(.alerts, engine, at: year.aMillisecondBefore) == 0)
            #expect(try await cleanUp(.alerts, engine, at: year) == 3)
            #expect(try await engine.rows(in: "alerts") == 1)
            #expect(try await engine.rows(in: "alert_actions") == 1)
            #expect(try await engine.rows(in: "deliveries") == 2)
            // An open alert and its deliveries are never deleted.
            let later = year.adding(.days(10_000))
            for kind in CleanUp.allCases { _ = try await cleanUp(kind, engine, at: later) }
            #expect(try await ledger.state(20) == .queued)
            #expect(try await engine.rows(in: "alerts") == 1)
        }
    }

    @Test func operatorConfiguresLedgerRetention() async throws {
        try await withDatabase { engine in
            let ledger = try await Ledger(engine, users: ada, ben)
            try await enterAlert(10, endedAt: noon, ledger)
            var kept = CleanUp.Retention()
            kept.ledger = .days(7)
            for (time, rows) in [
                (noon.adding(.days(7)).aMillisecondBefore, 0), (noon.adding(.days(7)), 3),
            ] {
                let deleted = try await engine.write(at: time) { [kept] in
                    try $0.cleanUp(.alerts, keeping: kept, limit: 100)
                }
                #expect(deleted == rows)
            }
        }
    }

    @Test func longLedgerIsDeletedInParts() async throws {
        try await withDatabase { engine in
            let ledger = try await Ledger(engine, users: ada, ben)
            try await enterAlert(10, endedAt: noon, ledger)
            try await enterAlert(20, endedAt: noon, ledger)
            let end = noon.adding(.days(365))
            var parts: [Int] = []
            for _ in 0..<7 { parts.append(try await cleanUp(.alerts, engine, at: end, limit: 1)) }
            #expect(parts == [1, 1, 1, 1, 1, 1, 0])
            #expect(try await engine.rows(in: "alerts") == 0)
        }
    }

    @Test func knownDeviceExpiresAfterFourHundredDays() async throws {
        try await withDatabase { engine in
            try await engine.moveIn(ada)
            _ = try await engine.write(about: .none) { transaction in
                try transaction.execute(
                    """
                    INSERT INTO known_devices (user_id, key_hash, last_used_at)
                    VALUES ($1, \(TestDatabase.zeroes(32)), $2)
                    """, [.id(ada), .date(noon)])
            }
            try await expectOneGone(.knownDevices, engine, at: noon.adding(.days(400)))
        }
    }

    /// A pass without an index once scanned 300,000 deliveries and delayed an alert by 27 s.
    @Test(.enabled(if: !TestDatabase.isPostgreSQL), arguments: CleanUp.allCases)
    func passReadsOnlyDeletedRows(kind: CleanUp) async throws {
        try await withDatabase { engine in
            let ledger = try await Ledger(engine, users: ada, ben)
            try await enterAlert(10, endedAt: noon, ledger)
            try await insertSession(engine)
            let plans = PlanRecorder.Plans()
            try await engine.write(about: .none) { transaction in
                let recorder = Transaction(
                    PlanRecorder(connection: transaction, plans: plans),
                    now: noon.adding(.days(500)))
                _ = try recorder.cleanUp(kind, limit: 100)
            }
            #expect(plans.all.contains { $0.contains("SEARCH") })
            #expect(plans.careless == [])
            for sql in plans.statements {
                #expect(ShardingRules.violations(in: sql) == [], "\(sql)")
            }
        }
    }

    @Test func usedChallengeIsKeptADayFromItsExpiry() async throws {
        try await withDatabase { engine in
            try await engine.write(about: .none) {
                _ = try $0.usePasskeyChallenge(hash: Data(count: 32), expiresAt: noon)
            }
            try await expectOneGone(.passkeyChallenges, engine, at: noon.adding(.days(1)))
        }
    }

    @Test func codeIsKeptWhileItCounts() async throws {
        try await withDatabase { engine in
            let code = CodeRow(
                id: ada.uuid, hash: Data(), expiresAt: noon.adding(.minutes(5)), triesLeft: 5)
            try await engine.write(about: .none) {
                try $0.insertCode(
                    code, phoneNumber: try number(of: ada), addressHash: Data())
            }
            try await expectOneGone(.signInCodes, engine, at: noon.adding(.days(1)))
        }
    }

    private func insertSession(_ engine: any DatabaseEngine) async throws {
        let caller = Caller(userID: ada, sessionID: id(1))
        let url = try #require(URL(string: "https://example.org"))
        try await engine.write(about: .none) { transaction in
            try transaction.insertSession(
                caller, deviceName: "Phone",
                TokenHashes(
                    access: Data([1]), refresh: Data([1]), family: nil, accessExpiresAt: noon,
                    refreshExpiresAt: noon.adding(.days(90))))
            try transaction.bindWebSession(caller, secretHash: Data(repeating: 1, count: 32))
            let device = PushEndpoint(id: id(1), kind: .webhook, url: url, createdAt: noon)
            try transaction.save(device, of: ada, session: caller.sessionID)
            try transaction.save(
                PushEndpoint(id: id(2), kind: .webhook, url: url, createdAt: noon), of: ada,
                session: id(2))
        }
    }

    @Test func expiredSessionIsDeletedWithItsDevices() async throws {
        let reports = Reports()
        try await withDatabase(reports: reports) { engine in
            try await engine.moveIn(ada)
            try await insertSession(engine)
            try await expectOneGone(.sessions, engine, at: noon.adding(.days(90)))
            #expect(reports.all.flatMap(\.outbox.endedSessions) == [id(1)])
            #expect(try await engine.rows(in: "web_sessions") == 0)
            #expect(try await engine.read { try $0.pushEndpoints(of: ada) }.map(\.id) == [id(2)])
        }
    }

    @Test func passDeletesAtMostLimitRows() async throws {
        try await withDatabase { engine in
            try await engine.moveIn(ada)
            for number in 1...25 as ClosedRange<UInt8> {
                try await engine.write(about: .none) {
                    try $0.insert(notification(number), of: ada)
                }
            }
            let end = noon.adding(.days(30))
            #expect(try await cleanUp(.notifications, engine, at: end, limit: 10) == 10)
            #expect(try await cleanUp(.notifications, engine, at: end, limit: 10) == 10)
            #expect(try await cleanUp(.notifications, engine, at: end, limit: 10) == 5)
        }
    }
}
