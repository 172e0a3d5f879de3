import Synchronization
import TestDatabase

@testable import Persistence

/// A shared database that can lose its answer to a commit. As with PostgreSQL, an idempotent write
/// then runs again, and any other write fails.
final class AnswerLosingDatabase: WrappingDatabase {
    let engine: any DatabaseEngine
    private let losesAnswer = Mutex(false)

    let isShared = true

    init(_ engine: any DatabaseEngine) { self.engine = engine }

    /// Commits the next write, but loses the answer.
    func loseAnswer() { losesAnswer.withLock { $0 = true } }

    func write<Value: Sendable>(
        about subjects: Subjects, _ body: @escaping @Sendable (Transaction) throws -> Value
    ) async throws -> Value {
        let value = try await engine.write(about: subjects, body)
        let isLost = losesAnswer.withLock { isLost in
            defer { isLost = false }
            return isLost
        }
        guard isLost else { return value }
        guard subjects.isRepeatable else { throw DatabaseError.outcomeUnknown(path: "/data") }
        return try await engine.write(about: subjects, body)
    }
}
