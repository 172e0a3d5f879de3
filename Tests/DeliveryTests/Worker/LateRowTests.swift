import Dispatch
import Domain
import Foundation
import Persistence
import TestDatabase
import Testing

@testable import Delivery

/// Rows become due in one order and are committed in another.
@Suite(.timeLimit(.minutes(5))) struct LateRowTests {
    private func row(_ number: UInt8, dueAt: Date = noon) -> DueDelivery {
        let endpoint = DeliveryEndpoint(userID: id(number), channel: .sms, pushEndpointID: nil)
        return DueDelivery(id: id(number), endpoint: endpoint, priority: 0, dueAt: dueAt)
    }

    private func queue(isShared: Bool) -> DeliveryQueue {
        var queue = DeliveryQueue(channels: [.sms], limit: 600, isShared: isShared)
        queue.begin(at: noon)
        return queue
    }

    /// Returns the row after which the next page begins; nil for the start of the queue.
    private func start(_ queue: DeliveryQueue) throws -> DueDelivery? {
        let position = queue.position(in: queue.lanes[0])
        return try #require(position).after
    }

    @Test(arguments: [(false, Duration.milliseconds(20)), (true, .seconds(2))])
    func readingOverlapsThePreviousOne(isShared: Bool, overlap: Duration) throws {
        var queue = queue(isShared: isShared)
        let lane = queue.lanes[0]
        _ = queue.offer([row(1)], in: lane, at: noon)
        #expect(try start(queue)?.dueAt == noon.adding(.zero - overlap))
        // The next page contains the same row, because pages overlap. The queue takes it only once.
        _ = queue.offer([row(1)], in: lane, at: noon)
        let taken = queue.take()
        #expect(taken == [row(1)])
    }

    @Test(arguments: [(false, Duration.seconds(5)), (true, .seconds(1))])
    func sweepReadsFromTheBeginning(isShared: Bool, sweep: Duration) throws {
        var queue = queue(isShared: isShared)
        let lane = queue.lanes[0]
        _ = queue.offer([row(1)], in: lane, at: noon)
        queue.begin(at: noon.adding(sweep - .milliseconds(1)))
        #expect(try start(queue) != nil)
        queue.begin(at: noon.adding(sweep))
        #expect(try start(queue) == nil)
    }

    @Test func longQueueIsSweptLessOften() throws {
        var queue = queue(isShared: true)
        let lane = queue.lanes[0]
        let page = Array(repeating: row(1), count: DeliveryQueue.page)
        let mayHaveMore = queue.offer(page, in: lane, at: noon)
        #expect(mayHaveMore)
        #expect(try start(queue) == row(1))
        queue.begin(at: noon.adding(.seconds(5) - .milliseconds(1)))
        #expect(try start(queue) != nil)
        queue.begin(at: noon.adding(.seconds(5)))
        #expect(try start(queue) == nil)
        // The sweep found less than one page, so the next one comes a second later.
        _ = queue.offer([row(1)], in: lane, at: noon.adding(.seconds(5)))
        queue.begin(at: noon.adding(.seconds(6)))
        #expect(try start(queue) == nil)
    }

    /// Of two overlapping transactions, the first commits last. Before that commit, the worker
    /// reads the other transaction's row.
    @Test(.enabled(if: TestDatabase.isPostgreSQL))
    func lateCommittedRowIsSentAtOnce() async throws {
        let clock = TestClock()
        let database = try await FaultyDatabase.withAda(clock)
        let harness = WorkerHarness([FakeChannel()], database: database)
        for user in [2, 3] as [UInt8] { try await database.moveIn(user, device: id(9)) }
        let (began, gate) = (AsyncStream.makeStream(of: Void.self), DispatchSemaphore(value: 0))
        let late = Task {
            try await database.write(about: .none) { transaction in
                try transaction.insert(1, for: id(1))
                _ = try transaction.count("SELECT 1", [])
                began.continuation.yield()
                guard gate.wait(timeout: .now() + 240) == .success else { throw Unexpected() }
            }
        }
        var iterator = began.stream.makeAsyncIterator()
        await iterator.next()
        clock.advance(by: .milliseconds(60))
        try await database.write(about: .none) { try $0.insert(2, for: id(2)) }
        clock.advance(by: .milliseconds(70))
        try await harness.work(finishing: 1)
        #expect(try await database.row(2).state == .accepted)
        gate.signal()
        try await late.value
        clock.advance(by: .milliseconds(20))
        _ = try await harness.worker.work()
        try #require(try await database.row(1).attempts == 1)
        await harness.finished(1)
        #expect(try await database.row(1).state == .accepted)
    }
}

extension Transaction {
    /// Inserts a webhook delivery of an alert, due at the start of the transaction.
    fileprivate func insert(_ number: UInt8, for user: UserID) throws {
        guard let recipient = try self.user(user) else { throw Unexpected() }
        let item = NotificationItem(
            id: id(number), type: .alert, title: "Title", body: "Body", createdAt: now)
        try insert(item, of: user)
        try insert(
            NewDelivery(
                id: id(number), recipient: Recipient(recipient), item: item, channel: .webhook,
                pushEndpointID: id(9), alertOwner: nil))
    }
}
