import Domain
import Foundation
import Persistence
import Synchronization
import Testing

@testable import Delivery

@Suite(.timeLimit(.minutes(5))) struct WorkersTogetherTests {
    private let clock = TestClock()
    private let database: FaultyDatabase

    init() async throws { database = try await .withAda(clock) }

    private func harness(_ channel: FakeChannel, limit: Int = 16) -> WorkerHarness {
        WorkerHarness([channel], limit: limit, database: database)
    }

    @Test func deadWorkersRowIsRetriedAfterItsLease() async throws {
        let dying = FakeChannel()
        dying.hold()
        let first = harness(dying)
        try await first.queue(1)
        _ = try await first.worker.work()
        await dying.beginning(of: 1)

        let living = FakeChannel()
        let second = harness(living)
        clock.advance(by: .seconds(60) - .milliseconds(1))
        #expect(try await second.worker.work() == noon.adding(.seconds(60)))
        #expect(living.tries.isEmpty)
        clock.advance(by: .milliseconds(1))
        try await second.work(finishing: 1)
        #expect(living.tries.map(\.record.attempts) == [2])
        #expect(living.tries.map(\.record.id) == dying.tries.map(\.record.id))
        #expect(try await database.row(1).state == .accepted)
        // The first worker was only slow. Its late result changes nothing.
        dying.answer(.refused(.http(400)))
        dying.letGo()
        await first.finished(1)
        #expect(try await database.row(1).state == .accepted)
    }

    @Test func leaseOfADeadServerExpires() async throws {
        let channel = FakeChannel()
        let harness = harness(channel)
        try await harness.queue(1)
        let leased = try await database.write(about: .none) {
            try $0.leaseDeliveries(channels: [.webhook], lease: .seconds(60), limit: 10)
        }
        #expect(leased.count == 1)
        #expect(try await harness.worker.work() == noon.adding(.seconds(60)))
        clock.advance(by: .seconds(60))
        try await harness.work(finishing: 1)
        #expect(try await database.row(1) == .init(state: .accepted, attempts: 2, nextTry: nil))
        #expect(harness.failures == 0 && harness.reports == [.accepted])
    }

    /// The server is paused between the lease and the try. Another one may send the message.
    @Test(arguments: [
        (Duration.seconds(20), true), (.milliseconds(20_001), false), (.seconds(61), false),
    ])
    func tryBeginsWithinTheLeasesFirst20Seconds(pause: Duration, begins: Bool) async throws {
        let (channel, attempts) = (FakeChannel(), HeldAttempts())
        let harness = harness(channel)
        try await harness.queue(1)
        let worker = DeliveryWorker(
            database: database, channels: [channel], limit: 1, jitter: { 0 },
            hooks: .init(wake: {}, start: { _, attempt in attempts.hold(attempt) }))
        _ = try await worker.work()
        clock.advance(by: pause)
        await attempts.run()
        #expect(channel.tries.count == (begins ? 1 : 0))
        #expect(try await database.row(1).state == (begins ? .accepted : .sending))
        guard !begins else { return }
        // The place is free again, and the lease expires.
        clock.advance(by: .seconds(60))
        _ = try await worker.work()
        await attempts.run()
        #expect(channel.tries.map(\.record.attempts) == [2])
        #expect(try await database.row(1).state == .accepted)
    }

    @Test func leaseOfUnknownOutcomeIsReleased() async throws {
        let channel = FakeChannel()
        let harness = harness(channel)
        try await harness.queue(1)
        database.loseAnswers(1)
        await #expect(throws: DatabaseError.self) { try await harness.worker.work() }
        #expect(channel.tries.isEmpty)
        // After the failure, the endpoint has a back-off of one second.
        clock.advance(by: .seconds(1))
        try await harness.work(finishing: 1)
        #expect(channel.tries.count == 1)
        #expect(try await database.row(1).state == .accepted)
    }

    @Test func doubtfulLeaseIsReleasedAfterADatabaseFailure() async throws {
        let channel = FakeChannel()
        let harness = harness(channel)
        try await harness.queue(1)
        database.loseAnswers(1)
        await #expect(throws: DatabaseError.self) { try await harness.worker.work() }
        database.fail(true)
        await #expect(throws: DatabaseError.self) { try await harness.worker.work() }
        database.fail(false)
        // The lease lasts 60 seconds. Then another server can lease the row.
        clock.advance(by: .seconds(60))
        let living = FakeChannel()
        living.hold()
        let other = self.harness(living)
        _ = try await other.worker.work()
        await living.beginning(of: 1)
        _ = try await harness.worker.work()
        #expect(channel.tries.isEmpty)
        #expect(
            try await database.row(1)
                == .init(state: .sending, attempts: 2, nextTry: noon.adding(.seconds(120))))
        living.letGo()
        await other.finished(1)
    }

    @Test func unwrittenOutcomeLeadsToARetry() async throws {
        let channel = FakeChannel(during: { [database] _ in database.fail(true) })
        let harness = harness(channel)
        try await harness.queue(1)
        try await harness.work(finishing: 1)
        #expect(harness.failures == 1 && harness.reports == [])
        await #expect(throws: DatabaseError.self) { try await harness.worker.work() }
        database.fail(false)
        #expect(
            try await database.row(1)
                == .init(state: .sending, attempts: 1, nextTry: noon.adding(.seconds(60))))
        clock.advance(by: .seconds(60))
        _ = try await harness.worker.work()
        await harness.finished(1)
        #expect(channel.tries.count == 2)
    }

    @Test func concurrentTriesStayWithinTheLimit() async throws {
        let channel = FakeChannel()
        channel.hold()
        let harness = harness(channel, limit: 3)
        for number in 1...8 as ClosedRange<UInt8> { try await harness.queue(number, to: number) }
        #expect(try await harness.worker.work() == nil)
        await channel.beginning(of: 3)
        #expect(try await harness.worker.work() == nil)
        #expect(channel.tries.count == 3)
        channel.letGo()
        await harness.finished(3)
        for count in [3, 2] { try await harness.work(finishing: count) }
        #expect(channel.tries.count == 8)
        #expect(channel.mostRunning == 3)
        #expect(Set(channel.tries.map(\.record.id)).count == 8)
    }

    @Test func workersNeverLeaseTheSameRow() async throws {
        let channels = [FakeChannel(), FakeChannel()]
        let harnesses = channels.map { harness($0) }
        for number in 1...20 as ClosedRange<UInt8> {
            try await harnesses[0].queue(number, to: number)
        }
        async let one = harnesses[0].worker.work()
        async let two = harnesses[1].worker.work()
        _ = try await (one, two)
        let rest = try await [harnesses[0].worker.work(), harnesses[1].worker.work()]
        #expect(rest.allSatisfy { ($0 ?? noon) <= noon.adding(.seconds(60)) })
        var sent = 0
        while sent < 20 {
            await Task.yield()
            sent = channels.map(\.tries.count).reduce(0, +)
        }
        #expect(Set(channels.flatMap(\.tries).map(\.record.id)).count == 20)
        #expect(sent == 20)
    }

    @Test func alertsAreSentFirst() async throws {
        let channel = FakeChannel()
        let harness = harness(channel, limit: 1)
        try await harness.queue(1, .ping)
        try await harness.queue(2, .contactAdded)
        clock.advance(by: .seconds(5))
        try await harness.queue(3, .alert)
        for _ in 0..<3 { try await harness.work(finishing: 1) }
        #expect(channel.tries.map(\.record.id) == [id(3), id(1), id(2)])
    }

    @Test func workersOfDifferentChannelsAreIndependent() async throws {
        let (webhooks, texts) = (FakeChannel(.webhook), FakeChannel(.sms))
        webhooks.hold()
        let lanes = [harness(webhooks, limit: 1), harness(texts, limit: 1)]
        try await lanes[0].queue(1, channel: .webhook)
        try await lanes[0].queue(2, channel: .webhook)
        try await lanes[0].queue(3, channel: .sms)
        _ = try await lanes[0].worker.work()
        await webhooks.beginning(of: 1)
        try await lanes[1].work(finishing: 1)
        #expect(texts.tries.map(\.record.id) == [id(3)])
        #expect(webhooks.tries.count == 1)
        #expect(try await lanes[1].worker.work() == nil)
        webhooks.letGo()
        await lanes[0].finished(1)
    }

    @Test func workersIgnoreStreamDeliveries() async throws {
        let channel = FakeChannel()
        let harness = harness(channel)
        try await harness.queue(1, channel: .stream)
        #expect(try await harness.worker.work() == nil)
        #expect(try await database.row(1) == .init(state: .queued, attempts: 0, nextTry: nil))
    }

    @Test func workerWithoutChannelsDoesNothing() async throws {
        let harness = WorkerHarness([], database: database)
        try await harness.queue(1)
        #expect(try await harness.worker.work() == nil)
        #expect(try await database.row(1).state == .queued)
    }
}

/// Tries that begin when the test says so.
private final class HeldAttempts: Sendable {
    private let held = Mutex<[@Sendable () async -> Void]>([])

    func hold(_ attempt: @escaping @Sendable () async -> Void) {
        held.withLock { $0.append(attempt) }
    }

    func run() async {
        let attempts = held.withLock { held in
            defer { held = [] }
            return held
        }
        for attempt in attempts { await attempt() }
    }
}
