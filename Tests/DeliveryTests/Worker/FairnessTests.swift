import Domain
import Foundation
import Persistence
import Testing

@testable import Delivery

/// One person's failing endpoints or long backlog don't delay messages to others.
@Suite(.timeLimit(.minutes(5))) struct FairnessTests {
    private let clock = TestClock()
    private let database: FaultyDatabase
    private let channel = FakeChannel()

    init() async throws { database = try await .withAda(clock) }

    private func harness(limit: Int = 16) -> WorkerHarness {
        WorkerHarness([channel], limit: limit, database: database)
    }

    private var sent: [UInt8] { channel.tries.map(\.record.id.uuid.uuid.15) }

    @Test func endpointHasOneTryAtATime() async throws {
        let harness = harness()
        channel.hold()
        try await harness.queue(1)
        try await harness.queue(2)
        try await harness.queue(3, device: 10)
        _ = try await harness.worker.work()
        await channel.beginning(of: 2)
        #expect(sent.sorted() == [1, 3])
        channel.letGo()
        await harness.finished(2)
        try await harness.work(finishing: 1)
        #expect(sent.last == 2)
    }

    @Test func personHasFourTriesAtATime() async throws {
        let harness = harness()
        channel.hold()
        for device in 9...14 as ClosedRange<UInt8> {
            try await harness.queue(device, device: device)
        }
        _ = try await harness.worker.work()
        await channel.beginning(of: 4)
        #expect(sent.sorted() == [9, 10, 11, 12])
        _ = try await harness.worker.work()
        #expect(sent.count == 4)
        channel.letGo()
        await harness.finished(4)
        try await harness.work(finishing: 2)
        #expect(sent.sorted() == [9, 10, 11, 12, 13, 14])
    }

    @Test func hangingEndpointsOfOnePersonDontDelayOthers() async throws {
        let harness = harness()
        channel.hold(id(1))
        for device in 10...29 as ClosedRange<UInt8> {
            for round in 0...2 as ClosedRange<UInt8> {
                try await harness.queue(device + 20 * round, device: device)
            }
        }
        _ = try await harness.worker.work()
        await channel.beginning(of: 4)
        clock.advance(by: .seconds(1))
        try await harness.queue(200, to: 2)
        try await harness.work(finishing: 1)
        #expect(sent.count == 5 && sent.last == 200)
        channel.letGo()
        await harness.finished(4)
    }

    /// The backlog of user 1 is longer than one page. All of it is due before the message to user
    /// 2.
    @Test func longBacklogOfOnePersonDoesNotDelayOthers() async throws {
        let harness = harness()
        channel.hold(id(1))
        try await harness.queue(1)
        let count = 2 * DeliveryQueue.page + 100
        try await database.write(about: .none) { transaction in
            for number in 0..<count {
                let copy = ID<DeliveryRecord>(UUID())
                try transaction.execute(
                    """
                    INSERT INTO deliveries SELECT user_id, $1, notification_id, channel, device_id,
                        recipient_name, alert_user_id, alert_id, purpose, priority, state, reason,
                        superseded, attempts, next_try_at + $2, useful_until, created_at,
                        updated_at, provider_id, NULL, NULL FROM deliveries
                    WHERE user_id = $3 AND id = $4
                    """,
                    [
                        .id(copy), .int(number / 100), .id(id(1) as UserID),
                        .id(id(1) as DeliveryID),
                    ])
            }
        }
        clock.advance(by: .seconds(1))
        try await harness.queue(200, to: 2)
        _ = try await harness.worker.work()
        await channel.beginning(of: 2)
        #expect(sent.contains(200))
        #expect(channel.tries.filter { $0.record.userID == id(1) }.count == 1)
        channel.letGo()
        await harness.finished(2)
        // The worker sends the rest of the backlog one message at a time.
        for _ in 0..<10 { try await harness.work(finishing: 1) }
        #expect(channel.tries.count == 12)
    }

    @Test func failingEndpointBacksOffForAllItsMessages() async throws {
        let harness = harness()
        channel.answer(.failed(.timeout))
        try await harness.queue(1)
        try await harness.work(finishing: 1)
        try await harness.queue(2)
        try await harness.queue(3, device: 10)
        try await harness.work(finishing: 1)
        #expect(sent == [1, 3])
        clock.advance(by: .seconds(2) - .milliseconds(1))
        _ = try await harness.worker.work()
        #expect(sent == [1, 3])
        clock.advance(by: .milliseconds(1))
        try await harness.work(finishing: 1)
        try await harness.work(finishing: 1)
        #expect(Set(sent[2...]) == [1, 2])
    }

    @Test func backOffGrowsWithTheStoredFailureTime() async throws {
        channel.answer(.failed(.timeout), .failed(.timeout))
        let first = harness()
        try await first.queue(1)
        try await first.work(finishing: 1)
        clock.advance(by: .seconds(40))
        // `second` is the worker of another server. It knows only the database.
        let second = harness()
        try await second.work(finishing: 1)
        try await second.queue(2)
        clock.advance(by: .seconds(40) - .milliseconds(1))
        _ = try await second.worker.work()
        #expect(sent == [1, 1])
        clock.advance(by: .milliseconds(1))
        try await second.work(finishing: 1)
        #expect(sent.count == 3)
    }

    @Test func failedEndpointsShareHalfOfThePlaces() async throws {
        let harness = harness(limit: 4)
        for user in 1...4 as ClosedRange<UInt8> { try await harness.queue(user, to: user) }
        channel.answer(.failed(.timeout), .failed(.timeout), .failed(.timeout), .failed(.timeout))
        try await harness.work(finishing: 4)
        clock.advance(by: .seconds(2))
        channel.hold()
        _ = try await harness.worker.work()
        await channel.beginning(of: 4 + 2)
        #expect(sent.count == 6)
        for user in 5...7 as ClosedRange<UInt8> { try await harness.queue(user, to: user) }
        _ = try await harness.worker.work()
        await channel.beginning(of: 2)
        #expect(Set(sent[6...]) == [5, 6])
        channel.letGo()
        await harness.finished(4)
        _ = try await harness.worker.work()
        await harness.finished(3)
        #expect(sent.count == 11)
    }

    @Test func alertOvertakesOtherRowsOfEndpointAndPerson() async throws {
        let harness = harness(limit: 1)
        channel.hold(id(2))
        try await harness.queue(100, .ping, to: 2)
        _ = try await harness.worker.work()
        await channel.beginning(of: 1)
        for device in 9...14 as ClosedRange<UInt8> {
            try await harness.queue(device, .ping, device: device)
        }
        clock.advance(by: .seconds(1))
        _ = try await harness.worker.work()
        try await harness.queue(20, device: 9)
        try await harness.queue(21, device: 15)
        channel.letGo()
        await harness.finished(1)
        for _ in 0..<8 { try await harness.work(finishing: 1) }
        #expect(Set(sent[1...2]) == [20, 21])
        #expect(Set(sent) == Set(9...14).union([20, 21, 100]))
    }

    @Test func alarmOvertakesOtherPeoplesReminders() async throws {
        let harness = harness(limit: 4)
        channel.hold()
        for user in 10...40 as ClosedRange<UInt8> {
            try await harness.queue(user, .system, to: user, purpose: .reminder)
        }
        _ = try await harness.worker.work()
        await channel.beginning(of: 4)
        clock.advance(by: .seconds(1))
        try await harness.queue(200, to: 2)
        channel.letGo()
        await harness.finished(4)
        try await harness.work(finishing: 4)
        #expect(sent.count == 8)
        #expect(sent[4...].contains(200))
    }

    @Test func concurrentOutcomesShareCommits() async throws {
        let harness = harness(limit: 60)
        channel.hold()
        for user in 1...50 as ClosedRange<UInt8> { try await harness.queue(user, to: user) }
        _ = try await harness.worker.work()
        await channel.beginning(of: 50)
        let before = database.writes
        channel.letGo()
        await harness.finished(50)
        #expect(database.writes - before < 50)
        #expect(harness.reports == Array(repeating: .accepted, count: 50))
    }
}
