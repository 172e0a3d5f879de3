import Foundation
import Synchronization

@testable import Persistence

/// A real database in memory that refuses everything while it is told to.
final class FaultyDatabase: DatabaseEngine {
    private let engine: any DatabaseEngine
    var now: @Sendable () -> Date { engine.now }
    var isShared: Bool { engine.isShared }
    private let isFailing = Mutex(false)
    private let writeCount = Mutex(0)
    private let answersToLose = Mutex(0)

    let clock: TestClock

    init(_ engine: any DatabaseEngine, _ clock: TestClock) {
        self.engine = engine
        self.clock = clock
    }

    var writes: Int { writeCount.withLock { $0 } }
    /// The next so many writes are committed, and nobody gets to know.
    func loseAnswers(_ count: Int) { answersToLose.withLock { $0 = count } }
    func fail(_ fails: Bool) { isFailing.withLock { $0 = fails } }
    private func check() throws {
        if isFailing.withLock({ $0 }) { throw DatabaseError.diskFull(path: "/data") }
    }

    func write<Value: Sendable>(
        about subjects: Subjects, _ body: @escaping @Sendable (Transaction) throws -> Value
    ) async throws -> Value {
        try check()
        writeCount.withLock { $0 += 1 }
        let value = try await engine.write(about: subjects, body)
        let isLost = answersToLose.withLock { count in
            defer { count = max(0, count - 1) }
            return count > 0
        }
        guard isLost else { return value }
        guard subjects.isRepeatable else { throw DatabaseError.outcomeUnknown(path: "/data") }
        return try await engine.write(about: subjects, body)
    }

    func read<Value: Sendable>(_ body: @escaping @Sendable (any SQLConnection) throws -> Value)
        async throws -> Value
    {
        try check()
        return try await engine.read(body)
    }

    func backUp(to path: String) throws { try engine.backUp(to: path) }
    var health: DatabaseHealth { engine.health }
    func probe() async throws { try await engine.probe() }
    func close() throws { try engine.close() }
}
