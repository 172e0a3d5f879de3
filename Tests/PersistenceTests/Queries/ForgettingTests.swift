import Domain
import Foundation
import Testing

@testable import Persistence

/// Which rows are deleted before they expire because a person has too many, and which news counts.
@Suite struct ForgettingTests {
    private func notifications(_ engine: any DatabaseEngine) async throws -> [UInt8] {
        let ids: [NotificationID] = try await engine.read {
            try $0.values("SELECT id FROM notifications ORDER BY id", [])
        }
        return ids.map(\.uuid.uuid.15)
    }

    @Test func newestNewsAboutThePersonStays() async throws {
        try await withLedger { engine, ledger in
            for number in 1...4 as ClosedRange<UInt8> {
                try await ledger.enter(
                    number, .ping, at: noon.adding(.seconds(Int(number))), about: ben)
                try await ledger.change(
                    number, "next_try_at = NULL, provider_id = 'SM\(number)'")
                try await engine.write(about: .none) {
                    try $0.note("SM\(number)", of: id(number), ada)
                }
            }
            try await ledger.enter(5, .ping, about: ben)
            try await ledger.enter(6, .ping, about: cleo)
            try await ledger.enter(7, .system)
            try await ledger.enter(8, .alert, alert: manualAlert(1, of: ben), about: ben)
            try await ledger.enter(9, .ping, to: cleo, about: ben)
            for number in 6...9 as ClosedRange<UInt8> {
                try await ledger.change(number, "next_try_at = NULL")
            }
            // Message 5 is still to be sent.
            try await engine.write(about: .none) {
                try $0.forgetNews(to: ada, about: ben, beyond: 2)
            }
            let left: [UInt8] = [3, 4, 5, 6, 7, 8, 9]
            #expect(try await notifications(engine) == left)
            #expect(try await ledger.numbers(where: "1 = 1") == left)
            let messages: [String] = try await engine.read {
                try $0.values("SELECT provider_id FROM provider_ids ORDER BY provider_id", [])
            }
            #expect(messages == ["SM3", "SM4"])
            for (kept, people) in [(0, [ada]), (1, [])] as [(Int, [UserID])] {
                let found = try await engine.write(about: .none) {
                    try $0.peopleWithNews(aboutNobodyBeyond: kept, among: [ada, ben])
                }
                #expect(found == people)
            }
            try await engine.write(about: .none) {
                try $0.forgetNews(to: ada, about: nil, beyond: 0)
            }
            #expect(try await notifications(engine) == [3, 4, 5, 6, 8, 9])
        }
    }

    /// Newer notifications could otherwise reset the limit on tests.
    @Test func testsOfTheLastHourStay() async throws {
        try await withLedger { engine, ledger in
            try await ledger.add(1, .test, by: .webhook, with: "next_try_at = NULL")
            try await ledger.add(2, .other, by: .webhook, with: "next_try_at = NULL")
            func left(at time: Date) async throws -> [UInt8] {
                try await engine.write(at: time) {
                    try $0.forgetNews(to: ada, about: nil, beyond: 0)
                }
                return try await notifications(engine)
            }
            let end = noon.adding(EndpointRules.testWindow)
            #expect(try await left(at: end.aMillisecondBefore) == [1])
            #expect(try await ledger.numbers(where: "1 = 1") == [1])
            #expect(try await left(at: end) == [])
            #expect(try await ledger.numbers(where: "1 = 1") == [])
        }
    }

    /// Newer notifications could otherwise reset the limit on last calls.
    @Test(arguments: [
        (DeliveryPurpose.lastCall, DeliveryChannel.sms), (.lastCall, .voice), (.reminder, .sms),
    ])
    func deadlineMessagesOfTheLastHourStay(
        purpose: DeliveryPurpose, channel: DeliveryChannel
    ) async throws {
        try await withLedger { engine, ledger in
            try await ledger.add(1, purpose, by: channel, with: "next_try_at = NULL")
            try await ledger.add(2, purpose, by: .webhook, with: "next_try_at = NULL")
            try await ledger.add(
                3, purpose, by: channel, with: "next_try_at = NULL, state = 'superseded'")
            let known = try await engine.read {
                try $0.deadlineMessages(to: [ada, ben], since: noon.aMillisecondBefore)
            }
            let message = DeadlineMessage(channel: channel, purpose: purpose, createdAt: noon)
            #expect(known == [ada: [message]])
            let later = try await engine.read { try $0.deadlineMessages(to: [ada], since: noon) }
            #expect(later == [:])
            let end = noon.adding(DeadlineMessageLimits.window)
            let times: [(Date, [UInt8])] = [(end.aMillisecondBefore, [1, 3]), (end, [])]
            for (time, left) in times {
                try await engine.write(at: time) {
                    try $0.forgetNews(to: ada, about: nil, beyond: 0)
                }
                #expect(try await notifications(engine) == left)
            }
        }
    }

    /// Rate limits need the alerts of recent SMS, and of the last SMS to each person.
    @Test func alertsOfRecentTextsStay() async throws {
        try await withLedger { engine, ledger in
            for number in 1...6 as ClosedRange<UInt8> {
                var alert = manualAlert(
                    number, of: cleo, at: noon.adding(.seconds(Int(number))))
                if number < 6 { alert.endedAt = noon.adding(.minutes(1)) }
                try await engine.write(about: .none) { [alert] in
                    try $0.insert(alert)
                    try $0.update(alert)
                }
            }
            try await engine.write(about: .none) { try $0.insert(manualAlert(3, of: ben)) }
            let sent = "attempts = 1, next_try_at = NULL"
            try await ledger.add(1, .alertBegin, about: manualAlert(1, of: cleo), with: sent)
            try await ledger.add(
                2, .alertBegin, about: manualAlert(2, of: cleo), at: noon.aMillisecondAfter,
                with: sent)
            try await ledger.add(
                3, .alertBegin, by: .email, about: manualAlert(3, of: cleo), with: sent)
            try await ledger.add(4, .alertBegin, to: ben, about: manualAlert(3, of: cleo))
            try await ledger.add(5, .alertBegin, about: manualAlert(3, of: ben), with: sent)
            func left(at time: Date, beyond kept: Int = 3) async throws -> [UInt8] {
                try await engine.write(at: time) {
                    try $0.forgetAlerts(of: cleo, beyond: kept, since: noon, besides: id(6))
                    let ids: [AlertID] = try $0.values(
                        "SELECT id FROM alerts WHERE user_id = $1 ORDER BY id", [.id(cleo)])
                    return ids.map(\.uuid.uuid.15)
                }
            }
            let end = noon.adding(StormRules.window)
            #expect(try await left(at: end, beyond: 6) == [1, 2, 3, 4, 5, 6])
            #expect(try await left(at: end.aMillisecondBefore) == [1, 2, 4, 5, 6])
            #expect(try await left(at: end) == [2, 4, 5, 6])
            #expect(try await left(at: end.adding(.days(1))) == [2, 4, 5, 6])
            #expect(try await left(at: end, beyond: 4) == [2, 4, 5, 6])
            #expect(try await ledger.numbers(where: "1 = 1") == [2, 5])
            #expect(try await notifications(engine) == [2, 5])
            #expect(try await engine.rows(in: "alert_ids") == 5)
        }
    }

    // MARK: News that counts

    @Test func newsIsCountedByPersonAndType() async throws {
        try await withLedger { engine, ledger in
            let after = noon.aMillisecondAfter
            try await ledger.enter(1, .ping, at: after, about: ben)
            try await ledger.enter(2, .ping, at: after, about: ben)
            try await ledger.enter(3, .roleChanged, at: after, about: ben)
            try await ledger.enter(4, .ping, at: after, about: cleo)
            try await ledger.enter(5, .ping, at: noon, about: ben)
            try await ledger.enter(6, .ping, at: after)
            try await ledger.enter(
                7, .ping, at: after, alert: manualAlert(1, of: ben), about: ben)
            try await ledger.enter(8, .ping, to: cleo, at: after, about: ben)
            let counts = try await engine.read { try $0.countNews(to: [ada], since: noon) }
            let expected: [UserID: [UserID: [NotificationType: Int]]] = [
                ada: [ben: [.ping: 2, .roleChanged: 1], cleo: [.ping: 1]]
            ]
            #expect(counts == expected)
            let touched = try await engine.read {
                [
                    try $0.hasNotification(about: ben, of: ada),
                    try $0.hasNotification(about: ada, of: ben),
                    try $0.hasNotification(about: cleo, of: cleo),
                ]
            }
            #expect(touched == [true, false, false])
        }
    }

    /// Deletion could otherwise reset the limits.
    @Test func deletedNewsOfTheLastDayCounts() async throws {
        try await withLedger { engine, ledger in
            try await ledger.enter(1, .ping, about: ben)
            try await ledger.enter(2, .ping, about: ben)
            try await ledger.enter(3, .system)
            try await ledger.enter(4, .alert, alert: manualAlert(1, of: ben), about: ben)
            for number in 1...4 as ClosedRange<UInt8> {
                try await ledger.change(number, "next_try_at = NULL")
            }
            let since = noon.aMillisecondBefore
            func counted() async throws -> [Int] {
                try await engine.read {
                    [
                        try $0.countNews(to: [ada], since: since)[ada]?[ben]?[.ping] ?? 0,
                        try $0.countOwnNews(to: [ada], since: since)[ada]?["Title 3"] ?? 0,
                    ]
                }
            }
            func delete(_ some: SomeNotifications, at time: Date) async throws {
                try await engine.write(at: time) {
                    _ = try $0.deleteNotifications(some, of: ada)
                }
            }
            let end = noon.adding(NotificationRules.countedWhenDeleted)
            try await delete(.one(id(1)), at: end.aMillisecondBefore)
            #expect(try await counted() == [2, 1])
            try await delete(.one(id(2)), at: end)
            #expect(try await counted() == [1, 1])
            try await delete(.until(noon), at: noon)
            #expect(try await counted() == [1, 1])
            #expect(try await notifications(engine) == [1, 3])
            try await engine.write(about: .none) {
                try $0.forgetNews(to: ada, about: ben, beyond: 0)
                try $0.forgetNews(to: ada, about: nil, beyond: 0)
            }
            #expect(try await notifications(engine) == [])
            #expect(try await ledger.numbers(where: "1 = 1") == [2, 4])
        }
    }

    @Test func newsOfASessionCountsAfterTheTime() async throws {
        try await withLedger { engine, _ in
            var item = notification(1, .system)
            item.sessionID = id(5)
            try await engine.write(about: .none) { [item] in try $0.insert(item, of: ada) }
            func hasNews(
                _ user: UserID = ada, session: UInt8 = 5, titled title: String = "Title 1",
                since time: Date = noon.aMillisecondBefore
            ) async throws -> Bool {
                let caller = Caller(userID: user, sessionID: id(session))
                return try await engine.read {
                    try $0.hasNews(ofSession: caller, titled: title, since: time)
                }
            }
            #expect(try await hasNews())
            #expect(try await hasNews(ben) == false)
            #expect(try await hasNews(session: 6) == false)
            #expect(try await hasNews(titled: "Title 2") == false)
            #expect(try await hasNews(since: noon) == false)
        }
    }
}
