import Domain
import Foundation
import Testing

@testable import Persistence

@Suite struct DeliveryTests {
    @Test(arguments: Home.all)
    func attemptIsCountedBeforeItIsMade(home: Home) async throws {
        let reports = Reports()
        try await withDatabase(home, reports: reports) { engine in
            let ledger = try await Ledger(engine)
            reports.forget()
            try await ledger.enter(1)
            #expect(reports.all.contains { $0.outbox.hasDeliveries })
            #expect(try await ledger.nextTry() == noon)
            #expect(try await ledger.lease(at: noon.aMillisecondBefore).isEmpty)

            let leased = try await ledger.lease(at: noon)
            #expect(leased.numbers == [1])
            #expect(leased.first?.record.attempts == 1)
            #expect(leased.first?.phoneNumber == (try number(of: ada)))
            #expect(leased.first?.record.notification == notification(1))
            #expect(try await ledger.state(1) == .sending)
        }
    }

    @Test func rowOfDeadWorkerIsLeasedAgain() async throws {
        try await withDatabase { engine in
            let ledger = try await Ledger(engine)
            try await ledger.enter(1)
            _ = try await ledger.lease(at: noon)
            let expiry = noon.adding(Ledger.lease)
            #expect(try await ledger.nextTry() == expiry)
            #expect(try await ledger.lease(at: expiry.aMillisecondBefore).isEmpty)
            let again = try await ledger.lease(at: expiry)
            #expect(again.numbers == [1])
            #expect(again.first?.record.attempts == 2)
        }
    }

    /// The clock was two hours behind for an hour. A message of that hour would expire too early.
    @Test func expiryByASlowClockMovesForward() async throws {
        try await withDatabase { engine in
            let ledger = try await Ledger(engine)
            for (number, seconds) in [(1, -1), (2, 0), (3, 3_600), (4, 3_601), (5, 0)]
                as [(UInt8, Int)]
            {
                try await ledger.enter(number, at: noon.adding(.seconds(seconds)))
                try await ledger.change(number, "useful_until = 1000")
            }
            try await ledger.change(5, "next_try_at = NULL")
            let correction = ClockCorrection(
                by: .hours(2), since: noon, until: noon.adding(.hours(1)))
            try await engine.write(about: .none) { try $0.correctMoments(by: correction) }
            let moved = 1_000 + Duration.hours(2).milliseconds
            #expect(try await ledger.numbers(where: "useful_until = \(moved)") == [2, 3])
            #expect(try await ledger.numbers(where: "useful_until = 1000") == [1, 4, 5])
        }
    }

    @Test func settledDeliveryIsNotRetried() async throws {
        try await withDatabase { engine in
            let ledger = try await Ledger(engine)
            for number in 1...3 as ClosedRange<UInt8> { try await ledger.enter(number) }
            let leased = try await ledger.lease(at: noon)
            try await ledger.settle(leased[0], as: .accepted)
            try await ledger.settle(leased[1], as: .retrying, nextTry: noon.adding(.seconds(2)))
            try await ledger.settle(leased[2], as: .givenUp)
            #expect(try await engine.read { try $0.openDeliveries(at: noon) } == [.retrying: 1])
            #expect(try await ledger.lease(at: noon.adding(.seconds(2)).aMillisecondBefore).isEmpty)
            #expect(try await ledger.lease(at: noon.adding(.hours(23))).numbers == [2])
        }
    }

    /// A limit of news, for example, holds a delivery back.
    @Test(arguments: Home.all)
    func queuedDeliveryIsOpenOnceItIsDue(home: Home) async throws {
        try await withDatabase(home) { engine in
            let ledger = try await Ledger(engine)
            try await ledger.enter(1)
            try await ledger.enter(2, .ping, by: .console)
            try await ledger.enter(3)
            let due = noon.adding(.seconds(30))
            for number in 1...2 as ClosedRange<UInt8> {
                try await ledger.change(number, "next_try_at = \(due.milliseconds)")
            }
            try await ledger.change(3, "next_try_at = NULL")
            let open = { @Sendable (time: Date, limit: Int) in
                try await engine.read { try $0.openDeliveries(at: time, limit: limit) }
            }
            #expect(try await open(due.aMillisecondBefore, 10) == [:])
            #expect(try await open(due, 10) == [.queued: 2])
            #expect(try await open(due, 1) == [.queued: 1])
        }
    }

    @Test func alertsAreLeasedFirstThenOldest() async throws {
        try await withDatabase { engine in
            let ledger = try await Ledger(engine)
            try await ledger.enter(1, .ping, at: noon)
            try await ledger.enter(2, .alert, at: noon.adding(.seconds(2)))
            try await ledger.enter(3, .alert, at: noon.adding(.seconds(1)))
            try await ledger.enter(4, .system, at: noon.adding(.seconds(-1)))
            #expect(
                try await ledger.lease(at: noon.adding(.seconds(2)), limit: 3).numbers == [3, 2, 4])
            #expect(try await ledger.lease(at: noon.adding(.seconds(2)), limit: 3).numbers == [1])
        }
    }

    @Test func workerLeasesOnlyItsChannels() async throws {
        try await withDatabase { engine in
            let ledger = try await Ledger(engine)
            try await ledger.enter(1, by: .sms)
            try await ledger.enter(2, by: .console)
            try await ledger.enter(3, by: .stream)
            #expect(try await engine.read { try $0.nextDelivery(channels: [.webhook]) } == nil)
            #expect(try await ledger.lease(at: noon, channels: [.console]).numbers == [2])
            #expect(
                try await ledger.lease(at: noon, channels: DeliveryChannel.allCases).numbers == [1])
        }
    }

    @Test func readNotificationIsNotRetried() async throws {
        try await withDatabase { engine in
            let ledger = try await Ledger(engine, users: ada, ben)
            for number in 1...3 as ClosedRange<UInt8> { try await ledger.enter(number) }
            try await ledger.enter(4, to: ben)
            let leased = try await ledger.lease(at: noon, limit: 1)
            try await engine.write(about: .none) {
                _ = try $0.markRead(.one(leased[0].record.notification.id), of: ada)
            }
            // The attempt ends after the message was read, so its outcome changes nothing.
            try await ledger.settle(leased[0], as: .retrying, nextTry: noon)
            #expect(try await ledger.state(1) == .seen)
            try await engine.write(about: .none) { _ = try $0.markRead(.until(noon), of: ada) }
            #expect(try await ledger.lease(at: noon).numbers == [4])
        }
    }

    @Test func deletedNotificationCountsAsSeen() async throws {
        try await withDatabase { engine in
            let ledger = try await Ledger(engine)
            for number in 1...3 as ClosedRange<UInt8> { try await ledger.enter(number) }
            let deleted = try await engine.write(about: .none) {
                try $0.deleteNotifications(.one(id(1)), of: ada)
            }
            #expect(deleted == 1)
            #expect(try await ledger.state(1) == .seen)
            #expect(try await ledger.lease(at: noon).numbers == [2, 3])
            try await engine.write(about: .none) {
                _ = try $0.deleteNotifications(.until(noon), of: ada)
            }
            #expect(try await ledger.nextTry() == nil)
            #expect(try await engine.read { try $0.notifications(of: ada, page: Page()) } == [])
            #expect(try await engine.rows(in: "deliveries") == 3)
        }
    }

    /// A thief with a session could otherwise withdraw news of the account before it is sent.
    @Test func accountNewsIsSentAfterItIsRead() async throws {
        try await withDatabase { engine in
            let ledger = try await Ledger(engine)
            try await ledger.enter(1, .system)
            try await ledger.enter(2, .system, by: .stream)
            try await ledger.enter(3, .ping)
            try await ledger.enter(4, .system, about: ben)
            try await ledger.add(5, .reminder)
            try await ledger.add(6, .other, with: "state = 'accepted', next_try_at = NULL")
            try await ledger.add(7, .other, with: "state = 'retrying'")
            let read = try await engine.write(about: .none) {
                try $0.markRead(.until(noon), of: ada)
            }
            #expect(read == 7)
            #expect(try await ledger.numbers(where: "state = 'seen'") == [2, 3, 4, 5, 6])
            #expect(try await ledger.lease(at: noon).numbers == [1, 7])
        }
    }

    @Test func accountNewsIsSentAfterItsDeletion() async throws {
        try await withDatabase { engine in
            let ledger = try await Ledger(engine)
            try await ledger.enter(1, .system)
            try await ledger.add(2, .other, with: "state = 'accepted', next_try_at = NULL")
            try await ledger.enter(3, .ping)
            func delete(_ some: SomeNotifications) async throws -> Int {
                try await engine.write(about: .none) {
                    try $0.deleteNotifications(some, of: ada)
                }
            }
            #expect(try await delete(.until(noon)) == 3)
            #expect(try await delete(.until(noon)) == 0)
            #expect(try await delete(.one(id(1))) == 0)
            #expect(try await engine.read { try $0.notifications(of: ada, page: Page()) } == [])
            #expect(try await engine.read { try $0.notification(id(1), of: ada) } == nil)
            let leased = try await ledger.lease(at: noon)
            #expect(leased.map(\.record.notification.title) == ["Title 1"])
        }
    }

    @Test func providerReportAffectsOnlyItsMessage() async throws {
        try await withDatabase { engine in
            let ledger = try await Ledger(engine)
            for number in 1...3 as ClosedRange<UInt8> { try await ledger.enter(number) }
            for delivery in try await ledger.lease(at: noon) {
                try await ledger.settle(
                    delivery, as: .accepted, providerID: "SM\(delivery.record.id.uuid.uuid.15)")
            }
            let report = { @Sendable (provider: String, state: DeliveryState) in
                let report = ProviderReport(state: state, providerID: provider)
                return try await engine.write(about: .none) { try $0.reportDelivery(report) }
            }
            #expect(try await report("SM1", .seen))
            #expect(try await report("SM2", .failed))
            #expect(try await report("SM9", .failed) == false)
            #expect(try await report("SM1", .failed) == false)
            let states = [
                try await ledger.state(1), try await ledger.state(2), try await ledger.state(3),
            ]
            #expect(states == [.seen, .failed, .accepted])
        }
    }
}
