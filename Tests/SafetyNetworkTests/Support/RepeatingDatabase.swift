import Foundation
import Persistence
import TestDatabase

/// A database that runs each write twice, like a retry after a deadlock. The first run is rolled
/// back.
final class RepeatingDatabase: WrappingDatabase {
    private struct Undone: Error {}

    let engine: any DatabaseEngine

    init(_ engine: any DatabaseEngine) { self.engine = engine }

    func write<Value: Sendable>(
        about subjects: Subjects, _ body: @escaping @Sendable (Transaction) throws -> Value
    ) async throws -> Value {
        do {
            try await engine.write(about: subjects) { transaction in
                _ = try body(transaction)
                throw Undone()
            }
        } catch is Undone {}
        return try await engine.write(about: subjects, body)
    }
}
