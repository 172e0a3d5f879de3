import Domain
import Persistence
import Synchronization
import Testing

@testable import Delivery

@Suite struct StreamLedgerTests {
    private final class Written: Sendable {
        private let state = Mutex((batches: [[NotificationID]](), failures: 0))
        var batches: [[NotificationID]] { state.withLock { $0.batches } }
        func fail(_ times: Int) { state.withLock { $0.failures = times } }

        func write(_ items: [(user: UserID, notification: NotificationID)]) throws {
            try state.withLock { state in
                if state.failures > 0 {
                    state.failures -= 1
                    throw DatabaseError.diskFull(path: "/data")
                }
                state.batches.append(items.map(\.notification))
            }
        }
    }

    private let written = Written()
    private let ledger: StreamLedger

    init() { ledger = StreamLedger { [written] in try written.write($0) } }

    @Test func onlyTheFirstWaitingNotificationRequestsAFlush() async throws {
        #expect(ledger.note(id(1), user: id(100)))
        #expect(!ledger.note(id(1), user: id(100)))
        #expect(!ledger.note(id(2), user: id(100)))
        #expect(!ledger.note(id(1), user: id(101)))
        try await ledger.flush()
        #expect(ledger.note(id(1), user: id(100)))
    }

    @Test func duplicateNotificationsAreWrittenOnce() async throws {
        for _ in 0..<3 {
            for number in 1...5 as ClosedRange<UInt8> { _ = ledger.note(id(number), user: id(100)) }
        }
        try await ledger.flush()
        #expect(written.batches.map { $0.sorted() } == [[id(1), id(2), id(3), id(4), id(5)]])
        try await ledger.flush()
        #expect(written.batches.count == 1)
    }

    @Test func aThousandNotificationsNeedFiveWrites() async throws {
        for user in 0..<4 as Range<UInt8> {
            for number in 0..<250 as Range<UInt8> { _ = ledger.note(id(number), user: id(user)) }
        }
        try await ledger.flush()
        #expect(written.batches.map(\.count) == [200, 200, 200, 200, 200])
    }

    @Test func failedFlushIsRepeatedWithTheNext() async throws {
        for number in 1...3 as ClosedRange<UInt8> { _ = ledger.note(id(number), user: id(100)) }
        written.fail(1)
        await #expect(throws: DatabaseError.self) { try await ledger.flush() }
        _ = ledger.note(id(4), user: id(100))
        try await ledger.flush()
        #expect(written.batches.map { $0.sorted() } == [[id(1), id(2), id(3), id(4)]])
    }

    @Test func streamDeliveryIsAcceptedOnce() async throws {
        let database = try await FaultyDatabase.withAda()
        let harness = WorkerHarness([], database: database)
        try await harness.queue(1, channel: .stream)
        let ledger = StreamLedger { items in
            try await database.write(about: .none) { try $0.markStreamed(items) }
        }
        for _ in 0..<2 {
            _ = ledger.note(id(1), user: id(1))
            try await ledger.flush()
        }
        #expect(try await database.row(1) == .init(state: .accepted, attempts: 1, nextTry: nil))
    }
}
