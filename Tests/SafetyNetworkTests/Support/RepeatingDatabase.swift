import Foundation
import Persistence

/// Runs each write twice, as after a deadlock: what the first run did to rows is undone.
final class RepeatingDatabase: DatabaseEngine {
    private struct Undone: Error {}

    private let engine: any DatabaseEngine
    var now: @Sendable () -> Date { engine.now }
    var isShared: Bool { engine.isShared }
    var health: DatabaseHealth { engine.health }

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

    func read<Value: Sendable>(
        _ body: @escaping @Sendable (any SQLConnection) throws -> Value
    ) async throws -> Value { try await engine.read(body) }

    func backUp(to path: String) throws { try engine.backUp(to: path) }
    func probe() async throws { try await engine.probe() }
    func close() throws { try engine.close() }
}
