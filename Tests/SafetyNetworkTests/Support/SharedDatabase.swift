import Foundation
import Persistence

/// A database to which other servers write, too.
struct SharedDatabase: DatabaseEngine {
    let base: any DatabaseEngine

    var isShared: Bool { true }
    var now: @Sendable () -> Date { base.now }
    var health: DatabaseHealth { base.health }

    func write<Value: Sendable>(
        about subjects: Subjects, _ body: @escaping @Sendable (Transaction) throws -> Value
    ) async throws -> Value {
        try await base.write(about: subjects, body)
    }

    func read<Value: Sendable>(
        _ body: @escaping @Sendable (any SQLConnection) throws -> Value
    ) async throws -> Value {
        try await base.read(body)
    }

    func backUp(to path: String) throws { try base.backUp(to: path) }
    func probe() async throws { try await base.probe() }
    func close() throws { try base.close() }
}
