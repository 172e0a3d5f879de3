import Domain
import Foundation
import Persistence
import Testing

@testable import Delivery

/// "Needs help" never arrives after "is fine", and expired messages aren't sent.
@Suite(.timeLimit(.minutes(5))) struct OrderTests {
    private let clock = TestClock()
    private let database: FaultyDatabase
    private let channel = FakeChannel()
    private let owner: UserID = id(50)

    init() async throws { database = try await .withAda(clock) }

    private func harness() -> WorkerHarness {
        WorkerHarness([channel], database: database)
    }

    private var sent: [UInt8] { channel.tries.map(\.record.id.uuid.uuid.15) }

    private func supersede(_ purposes: [DeliveryPurpose]? = nil) async throws {
        try await database.write(about: .none) { [owner] transaction in
            try transaction.supersedeDeliveries(
                ofAlert: id(200), owner: owner, purposes: purposes, reason: "ended")
        }
    }

    /// - Parameter stored: the reason of the replaced beginning.
    @Test(arguments: [
        (DeliveryReason(.timeout), "unconfirmed"), (DeliveryReason(.notConnected), "ended"),
    ])
    func endWaitsForTheBeginningInFlight(failure: DeliveryReason, stored: String) async throws {
        let (first, second) = (harness(), harness())
        channel.hold()
        try await first.queue(1, alertOwner: owner, purpose: .alertBegin)
        _ = try await first.worker.work()
        await channel.beginning(of: 1)
        try await supersede()
        try await first.queue(2, alertOwner: owner, purpose: .alertEnd)
        // While the first worker is sending the alarm, no worker sends the alert's end.
        _ = try await first.worker.work()
        _ = try await second.worker.work()
        #expect(sent == [1])
        #expect(try await database.row(2).state == .queued)

        channel.answer(.failed(failure))
        channel.letGo()
        await first.finished(1)
        #expect(try await database.row(1) == .init(state: .superseded, attempts: 1, nextTry: nil))
        #expect(try await database.reason(1) == stored)
        clock.advance(by: .seconds(2))
        try await first.work(finishing: 1)
        #expect(sent == [1, 2])
        #expect(try await database.row(2).state == .accepted)
    }

    @Test func beginningThatWaitsForARetryIsWithdrawn() async throws {
        let harness = harness()
        channel.answer(.failed(.timeout))
        try await harness.queue(1, alertOwner: owner, purpose: .alertBegin)
        try await harness.work(finishing: 1)
        try await harness.queue(2, alertOwner: owner, purpose: .alertEnd)
        try await supersede([.alertBegin, .alertNews])
        clock.advance(by: .seconds(2))
        try await harness.work(finishing: 1)
        #expect(sent == [1, 2])
        #expect(try await database.row(1) == .init(state: .superseded, attempts: 1, nextTry: nil))
    }

    @Test func replacedTryOfAFrozenServerIsReportedAsUnconfirmed() async throws {
        let (first, second) = (harness(), harness())
        channel.hold()
        try await first.queue(1, alertOwner: owner, purpose: .alertBegin)
        _ = try await first.worker.work()
        await channel.beginning(of: 1)
        try await supersede()
        clock.advance(by: .seconds(60))
        _ = try await second.worker.work()
        #expect(sent == [1])
        #expect(second.reports == [.superseded] && second.reasons == [.unconfirmed])
        // The late answer of the first server changes nothing.
        channel.letGo()
        await first.finished(1)
        #expect(try await database.row(1) == .init(state: .superseded, attempts: 1, nextTry: nil))
        #expect(try await database.reason(1) == "unconfirmed")
    }

    @Test func supersededButDeliveredMessageIsAccepted() async throws {
        let harness = harness()
        channel.hold()
        try await harness.queue(1, alertOwner: owner, purpose: .alertBegin)
        _ = try await harness.worker.work()
        await channel.beginning(of: 1)
        try await supersede()
        channel.letGo()
        await harness.finished(1)
        #expect(try await database.row(1).state == .accepted)
        #expect(try await database.reason(1) == nil)
    }

    @Test func postponedMessageIsSentAtItsTime() async throws {
        let harness = harness()
        let time = noon.adding(.minutes(10))
        try await harness.queue(1, notBefore: time)
        #expect(try await harness.worker.work() == time)
        clock.advance(by: .minutes(10) - .milliseconds(1))
        #expect(try await harness.worker.work() == time)
        #expect(sent == [])
        clock.advance(by: .milliseconds(1))
        try await harness.work(finishing: 1)
        #expect(sent == [1])
    }

    @Test(arguments: [(NotificationType.alert, Duration.hours(24)), (.ping, .hours(6))])
    func expiredMessageIsNotTried(type: NotificationType, useful: Duration) async throws {
        let harness = harness()
        try await harness.queue(1, type)
        clock.advance(by: useful)
        try await harness.work(finishing: 1)
        #expect(sent == [])
        #expect(try await database.row(1) == .init(state: .givenUp, attempts: 0, nextTry: nil))
        #expect(try await database.reason(1) == "too-late")
        #expect(harness.reports == [.givenUp])
    }

    @Test func alertNewsExpiresWithTheAlarm() async throws {
        try await database.write(about: .none) { transaction in
            let ada = try #require(try transaction.user(id(1)))
            let item = NotificationItem(
                id: id(1), type: .checkIn, title: "Ben checked in", body: "", createdAt: noon)
            try transaction.insert(item, of: id(1))
            try transaction.insert(
                NewDelivery(
                    id: id(1), recipient: Recipient(ada), item: item, channel: .webhook,
                    pushEndpointID: id(9), alertOwner: nil, purpose: .alertEnd, isUrgent: true))
        }
        clock.advance(by: .hours(24) - .milliseconds(1))
        try await harness().work(finishing: 1)
        #expect(sent == [1])
    }

    @Test func unsendableDeliveriesFailWithoutDelayingOthers() async throws {
        let harness = harness()
        for user in 1...4 as ClosedRange<UInt8> { try await harness.queue(user, to: user) }
        try await database.write(about: .none) { transaction in
            let first: NotificationID = id(1)
            try transaction.execute(
                "DELETE FROM notifications WHERE user_id = $1 AND id = $2",
                [.id(id(1) as UserID), .id(first)])
            _ = try transaction.deletePushEndpoint(id(9), of: id(2))
            let third: UserID = id(3)
            try transaction.execute(
                "UPDATE users SET phone_number = 'x' WHERE id = $1", [.id(third)])
        }
        _ = try await harness.worker.work()
        await harness.finished(2)
        #expect(sent == [4])
        let states = [try await harness.row(1), try await harness.row(2), try await harness.row(3)]
        #expect(states.map(\.state) == [.givenUp, .failed, .failed])
        #expect(states.allSatisfy { $0.nextTry == nil })
        #expect(try await database.reason(1) == "notification-deleted")
        #expect(try await database.reason(2) == "endpoint-removed")
        #expect(try await database.reason(3) == "recipient-unreadable")
        #expect(try await harness.worker.work() == nil)
    }
}
