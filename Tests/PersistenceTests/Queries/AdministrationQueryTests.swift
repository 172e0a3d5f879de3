import Domain
import Foundation
import TestDatabase
import Testing

@testable import Persistence

@Suite struct AdministrationQueryTests {
    @Test func deletedPersonLeavesTheIndexAndTheLog() async throws {
        let engine = try TestDatabase.make(now: { noon })
        defer { try? engine.close() }
        try await engine.moveIn(ada, ben)
        let act = AdminAct(
            id: AdminActID(ada.uuid), time: noon, kind: .lock, reason: "Spam", doneBy: "root")
        try await engine.write(about: Subjects([ada])) { transaction in
            try transaction.updateUser(ada, name: "Ada", emergencyNote: "")
            try transaction.insert(AdminLogEntry(act: act, person: ada))
        }
        func found() async throws -> [UserID] {
            try await engine.read {
                try $0.people(named: Data("ad".utf8), after: nil, limit: 10).map(\.user)
            }
        }
        #expect(try await found() == [ada])
        #expect(
            try await engine.read { try $0.adminActs(about: ada, limit: 10) }
                == [AdminLogEntry(act: act, person: ada)])
        try await engine.write(about: Subjects([ada])) { transaction in
            if let user = try transaction.user(ada) { try transaction.deleteUser(user) }
        }
        #expect(try await found() == [])
        #expect(try await engine.read { try $0.adminActs(about: ada, limit: 10) } == [])
        #expect(
            try await engine.read { try $0.adminActs(about: nil, limit: 10) }
                == [AdminLogEntry(act: act, person: nil)])
    }

    @Test func newNameLeavesOthersWithTheFormerNameInTheIndex() async throws {
        let engine = try TestDatabase.make(now: { noon })
        defer { try? engine.close() }
        try await engine.moveIn(ada, ben)
        for person in [ada, ben] {
            try await engine.write(about: Subjects([person])) {
                try $0.updateUser(person, name: "Kim", emergencyNote: "")
            }
        }
        try await engine.write(about: Subjects([ada])) {
            try $0.updateUser(ada, name: "Ada", emergencyNote: "")
        }
        let found = try await engine.read {
            try $0.people(named: Data("ki".utf8), after: nil, limit: 10).map(\.user)
        }
        #expect(found == [ben])
    }

    /// Each person has one channel, and one person has none.
    @Test func peopleWithoutAWorkingChannelAreCounted() async throws {
        let engine = try TestDatabase.make(now: { noon })
        defer { try? engine.close() }
        try await engine.moveIn(ada, ben, cleo)
        let caller = try await engine.signIn(ada, 1)
        try await engine.save(try browser(5), of: caller)
        try await engine.write(about: .none) {
            _ = try $0.execute(
                "INSERT INTO email_addresses (user_id, address) VALUES ($1, $2)",
                [.id(ben), .text("ben@example.org")])
        }
        func count(_ carriers: Set<DeliveryChannel>) async throws -> Int {
            try await engine.read { try $0.countPeopleWithoutChannel(by: carriers) }
        }
        #expect(try await count([]) == 2)
        #expect(try await count([.email, .voice]) == 1)
        #expect(try await count([.sms]) == 0)
        try await engine.write(about: .none) {
            _ = try $0.execute("UPDATE users SET sms_stopped_at = 1", [])
            _ = try $0.execute("UPDATE push_subscriptions SET failing_since = 1", [])
        }
        #expect(try await count([.sms]) == 3)
        #expect(try await count([.email, .sms]) == 2)
        try await engine.write(about: .none) {
            _ = try $0.execute("UPDATE email_addresses SET failing_since = 1", [])
        }
        #expect(try await count([.email, .sms]) == 3)
    }

    @Test func appWithoutItsPushServiceIsNoChannel() async throws {
        try await withDatabase { engine in
            try await engine.moveIn(ada, ben)
            let caller = try await engine.signIn(ada, 1)
            try await engine.save(app(5), of: caller)
            func count(_ supported: Set<DeliveryChannel>) async throws -> Int {
                try await engine.read { try $0.countPeopleWithoutChannel(by: supported) }
            }
            #expect(try await count([.apns]) == 1)
            #expect(try await count([.apns, .fcm]) == 1)
            #expect(try await count([.fcm]) == 2)
            #expect(try await count([]) == 2)
            try await engine.write(about: .none) {
                _ = try $0.execute("UPDATE app_endpoints SET failing_since = 1", [])
            }
            #expect(try await count([.apns]) == 2)
        }
    }

    /// Ada has an endpoint of each kind and an e-mail address, and Ben a browser and an app.
    private func withEndpoints(
        _ story: (any DatabaseEngine) async throws -> Void
    ) async throws {
        try await withDatabase { engine in
            try await engine.moveIn(ada, ben)
            for (user, number) in [(ada, 1), (ben, 2)] as [(UserID, UInt8)] {
                let caller = try await engine.signIn(user, number)
                try await engine.save(browser(number), of: caller)
                try await engine.save(app(number + 10), of: caller)
            }
            let url = try #require(URL(string: "https://example.org/hook"))
            let hook = PushEndpoint(id: id(3), kind: .webhook, url: url, createdAt: noon)
            let address = try EmailAddress("ada@example.org")
            try await engine.write(about: .none) { transaction in
                try transaction.save(hook, of: ada, session: id(1))
                try transaction.insertEmailAddress(address, of: ada)
            }
            try await story(engine)
        }
    }

    private func fail(
        _ table: String, since milliseconds: Int, _ engine: any DatabaseEngine
    ) async throws {
        let time = noon.adding(.milliseconds(milliseconds))
        try await engine.write(about: .none) {
            _ = try $0.execute(
                "UPDATE \(table) SET failing_since = $1 WHERE user_id = $2",
                [.date(time), .id(ada)])
        }
    }

    @Test func personShowsTheWorkingChannels() async throws {
        try await withEndpoints { engine in
            func channels(_ supported: Set<DeliveryChannel>) async throws -> [[DeliveryChannel]] {
                try await engine.read { connection in
                    try connection.adminPeople([ada, ben], by: supported).map(\.channels)
                }
            }
            let bens: [DeliveryChannel] = [.apns, .sms, .webPush]
            #expect(
                try await channels([.apns, .email, .sms])
                    == [[.apns, .email, .sms, .webPush, .webhook], bens])
            // The server lacks the apps' push service.
            for others in [[], [.fcm]] as [Set<DeliveryChannel>] {
                #expect(try await channels(others) == [[.webPush, .webhook], [.webPush]])
            }
            #expect(
                try await channels([.apns, .voice])
                    == [[.apns, .voice, .webPush, .webhook], [.apns, .voice, .webPush]])
            for table in ["devices", "push_subscriptions", "app_endpoints", "email_addresses"] {
                try await fail(table, since: 0, engine)
            }
            try await engine.write(about: .none) {
                _ = try $0.execute(
                    "UPDATE users SET sms_stopped_at = 1 WHERE id = $1", [.id(ada)])
            }
            #expect(try await channels([.apns, .email, .sms]) == [[], bens])
        }
    }

    @Test func failingEndpointsAreListedOldestFirst() async throws {
        try await withEndpoints { engine in
            #expect(try await engine.read { try $0.failingEndpoints(limit: 9) } == [])
            for (table, since) in [
                ("devices", 2), ("push_subscriptions", 1), ("app_endpoints", 4),
                ("email_addresses", 3),
            ] {
                try await fail(table, since: since, engine)
            }
            let all = try await engine.read { try $0.failingEndpoints(limit: 9) }
            #expect(all.map(\.channel) == [.webPush, .webhook, .email, .apns])
            #expect(all.allSatisfy { $0.owner == ada })
            #expect(all.first?.failingSince == noon.aMillisecondAfter)
            let two = try await engine.read { try $0.failingEndpoints(limit: 2) }
            #expect(two == Array(all.prefix(2)))
        }
    }

    @Test func lateQueuesCountTheirDueMessages() async throws {
        try await withDatabase { engine in
            let ledger = try await Ledger(engine)
            for (number, channel, due) in [
                (1, .sms, "\(noon.milliseconds)"), (2, .sms, "\(noon.milliseconds - 1)"),
                (3, .sms, "\(noon.milliseconds + 1)"), (4, .email, "NULL"),
            ] as [(UInt8, DeliveryChannel, String)] {
                try await ledger.enter(number, by: channel)
                try await ledger.change(number, "next_try_at = \(due)")
            }
            let late = try await engine.read { try $0.lateQueues(dueBefore: noon) }
            #expect(
                late == [
                    AdminStuck.Queue(
                        channel: .sms, waiting: 2, oldestDue: noon.aMillisecondBefore)
                ])
        }
    }

    @Test func alertIsHeardByAResponderOnly() async throws {
        try await withLedger { engine, ledger in
            let alert = manualAlert(1, of: cleo)
            try await engine.write(about: .none) { try $0.insert([alert]) }
            for (number, user) in [(1, ben), (2, cleo)] as [(UInt8, UserID)] {
                try await ledger.enter(number, by: .sms, to: user, alert: alert)
            }
            func isUnheard() async throws -> Bool {
                try await engine.read { connection in
                    try !connection.unheardAlerts(olderThan: noon, limit: 9).isEmpty
                }
            }
            // The owner's own message says nothing about the responders.
            try await ledger.change(2, "state = 'seen'")
            for state in DeliveryState.allCases where state != .unknown {
                try await ledger.change(1, "state = '\(state.rawValue)', channel = 'sms'")
                let isHeard = [.accepted, .received, .seen, .acknowledged].contains(state)
                #expect(try await isUnheard() != isHeard, "\(state)")
            }
            try await ledger.change(1, "state = 'accepted', channel = 'console'")
            #expect(try await isUnheard())
        }
    }

    @Test func formerResponderDoesNotHear() async throws {
        try await withLedger { engine, ledger in
            let alert = manualAlert(1, of: cleo)
            try await engine.write(about: .none) { try $0.insert([alert]) }
            try await ledger.enter(1, by: .sms, to: ben, alert: alert)
            try await ledger.change(1, "state = 'acknowledged'")
            func unheard() async throws -> [AlertID] {
                try await engine.read {
                    try $0.unheardAlerts(olderThan: noon, limit: 9).map(\.id)
                }
            }
            #expect(try await unheard() == [])
            try await engine.write(about: Subjects([ben, cleo])) { transaction in
                try transaction.deleteContact(ben, of: cleo)
            }
            #expect(try await unheard() == [alert.id])
            // A message to a present responder counts as before.
            try await ledger.enter(2, by: .sms, to: ada, alert: alert)
            try await ledger.change(2, "state = 'accepted'")
            #expect(try await unheard() == [])
        }
    }

    /// Changes of locked accounts stay due, and must not hide the others.
    @Test func dueMovesAreReadInPages() async throws {
        let engine = try TestDatabase.make(now: { noon })
        defer { try? engine.close() }
        try await engine.moveIn(ada, ben)
        let new = try number(of: cleo)
        try await engine.write(about: .none) { transaction in
            for (user, due) in [(ada, noon), (ben, noon.adding(.milliseconds(1)))] {
                try transaction.insert(
                    NumberMove(phoneNumber: new, takesEffectAt: due), of: user)
            }
        }
        let (first, next) = try await engine.read {
            (
                try $0.dueNumberMoves(after: nil, limit: 2),
                try $0.dueNumberMoves(after: ada, limit: 2)
            )
        }
        #expect(first == [ada] && next == [])
    }

    @Test func onlyTheSessionThatBeganAMoveDeletesIt() async throws {
        let engine = try TestDatabase.make(now: { noon })
        defer { try? engine.close() }
        try await engine.moveIn(ada)
        let move = NumberMove(phoneNumber: try number(of: ben), takesEffectAt: noon)
        let (own, other): (SessionID, SessionID) = (id(1), id(2))
        try await engine.write(about: Subjects([ada])) { transaction in
            try transaction.insert(move, of: ada)
            #expect(try transaction.sessionOfNumberMove(of: ada) == nil)
            #expect(
                try !transaction.deleteNumberMove(begunBy: Caller(userID: ada, sessionID: own)))
            #expect(try transaction.deleteNumberMove(of: ada))
            try transaction.insert(move, of: ada, begunBy: own)
            #expect(try transaction.sessionOfNumberMove(of: ada) == own)
            #expect(
                try !transaction.deleteNumberMove(begunBy: Caller(userID: ada, sessionID: other)))
            #expect(
                try transaction.deleteNumberMove(begunBy: Caller(userID: ada, sessionID: own)))
        }
    }

    /// - Parameter hours: how far the clock was behind; negative if it was ahead.
    @Test(arguments: [(2, 24, 26), (-24, 48, 24), (-24, 12, 12)])
    func wrongClockLeavesADayToStopAMove(hours: Int, due: Int, corrected: Int) async throws {
        let engine = try TestDatabase.make(now: { noon })
        defer { try? engine.close() }
        try await engine.moveIn(ada)
        let move = NumberMove(
            phoneNumber: try number(of: ben), takesEffectAt: noon.adding(.hours(due)))
        let correction = ClockCorrection(
            by: .hours(hours), since: noon.adding(.hours(-1)), until: noon.adding(.hours(1)))
        let found = try await engine.write(about: Subjects([ada])) { transaction in
            try transaction.insert(move, of: ada)
            try transaction.correctMoments(by: correction)
            return try transaction.numberMove(of: ada)
        }
        #expect(found?.takesEffectAt == noon.adding(.hours(corrected)))
    }

    /// Otherwise a step of the clock would leave the owner a day instead of a week.
    @Test(arguments: [(-24, 168, 168), (-24, 192, 168), (-24, 48, 48), (2, 168, 170)])
    func wrongClockKeepsTheWeekOfAMoveWithTheLock(
        hours: Int, due: Int, corrected: Int
    ) async throws {
        let engine = try TestDatabase.make(now: { noon })
        defer { try? engine.close() }
        try await engine.moveIn(ada)
        let move = NumberMove(
            phoneNumber: try number(of: ben), takesEffectAt: noon.adding(.hours(due)))
        let correction = ClockCorrection(
            by: .hours(hours), since: noon.adding(.hours(-1)), until: noon.adding(.hours(1)))
        let found = try await engine.write(about: Subjects([ada])) { transaction in
            try transaction.insert(move, of: ada)
            try transaction.setSignInLock(SignInLockRow(), of: ada)
            try transaction.correctMoments(by: correction)
            return try transaction.numberMove(of: ada)
        }
        #expect(found?.takesEffectAt == noon.adding(.hours(corrected)))
    }

    @Test func maintenanceIsTheNextOneThatIsNotOver() async throws {
        let engine = try TestDatabase.make(now: { noon })
        defer { try? engine.close() }
        let hours = [(-2, -1), (5, 6), (-1, 1)]
        try await engine.write(about: .none) { transaction in
            for (number, period) in hours.enumerated() {
                try transaction.insert(
                    AnnouncementRow(
                        id: AdminActID(
                            UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, UInt8(number)))
                        ),
                        text: "Update",
                        maintenance: Maintenance(
                            from: noon.adding(.seconds(3_600 * period.0)),
                            until: noon.adding(.seconds(3_600 * period.1))), createdAt: noon))
            }
        }
        let next = try await engine.read { try $0.announcedMaintenance() }
        #expect(next?.until == noon.adding(.seconds(3_600)))
    }
}
