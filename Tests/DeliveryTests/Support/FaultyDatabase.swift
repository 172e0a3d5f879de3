import Foundation
import Synchronization
import TestDatabase

@testable import Persistence

final class FaultyDatabase: WrappingDatabase {
    let engine: any DatabaseEngine
    private let isFailing = Mutex(false)
    private let writeCount = Mutex(0)
    private let answersToLose = Mutex(0)

    let clock: TestClock

    init(_ engine: any DatabaseEngine, _ clock: TestClock) {
        self.engine = engine
        self.clock = clock
    }

    var writes: Int { writeCount.withLock { $0 } }
    /// Commits the next `count` writes, but reports their outcomes as unknown. A repeatable write
    /// runs again; any other write throws `outcomeUnknown`.
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
}
