import Domain
import Foundation
import Synchronization
import Testing

@testable import Persistence

@Suite struct TransactionTimeTests {
    /// A clock that advances by a second each time it is read.
    private final class RunningClock: Sendable {
        private let asked = Mutex(0)

        func now() -> Date {
            asked.withLock { asked in
                asked += 1
                return noon.adding(.seconds(asked))
            }
        }
    }

    private func engine() throws -> SQLiteEngine {
        let clock = RunningClock()
        return SQLiteEngine(try InMemoryDatabase(), now: { clock.now() })
    }

    @Test func transactionHasOneTime() async throws {
        let engine = try engine()
        let moments = try await engine.write(about: .none) { transaction in
            _ = try transaction.isolated {}
            return [transaction.now, transaction.now]
        }
        #expect(moments[0] == moments[1])
        #expect(moments[0] > noon)
        try engine.close()
    }

    @Test func nextTransactionHasLaterTime() async throws {
        let engine = try engine()
        let first = try await engine.write(about: .none) { $0.now }
        let second = try await engine.write(about: .none) { $0.now }
        let read = try await engine.read { [$0.now, $0.now] }
        #expect(first < second && second < read[0])
        #expect(read[0] == read[1])
        try engine.close()
    }

    @Test func writesOfOneGroupHaveOwnTimes() async throws {
        let engine = try engine()
        let gate = Gate()
        let holding = await gate.hold(engine)
        async let first = engine.write(about: .none) { $0.now }
        async let second = engine.write(about: .none) { $0.now }
        while engine.queue.waitingCount < 2 { await Task.yield() }
        gate.open()
        try await holding.value
        let moments = try await [first, second]
        #expect(moments[0] != moments[1])
        try engine.close()
    }

    @Test func rowsCarryTransactionTime() async throws {
        let engine = try engine()
        let now = try await engine.write(about: .none) { transaction in
            try transaction.insertUser(ada, phoneNumber: number(of: ada))
            return transaction.now
        }
        #expect(try await engine.read { try $0.user(ada)?.createdAt } == now)
        try engine.close()
    }
}
