import Foundation
import Persistence
import Synchronization

/// A shared database that lets a write wait.
final class SlowDatabase: DatabaseEngine {
    private let engine: any DatabaseEngine
    private let wait = Mutex<(@Sendable () -> Void)?>(nil)

    var now: @Sendable () -> Date { engine.now }
    let isShared = true
    var health: DatabaseHealth { engine.health }

    init(_ engine: any DatabaseEngine) { self.engine = engine }

    /// - Parameter action: happens before the next transaction begins.
    func waitOnce(_ action: @escaping @Sendable () -> Void) { wait.withLock { $0 = action } }

    func write<Value: Sendable>(
        about subjects: Subjects, _ body: @escaping @Sendable (Transaction) throws -> Value
    ) async throws -> Value {
        let action = wait.withLock { action in
            defer { action = nil }
            return action
        }
        action?()
        return try await engine.write(about: subjects, body)
    }

    func read<Value: Sendable>(
        _ body: @escaping @Sendable (any SQLConnection) throws -> Value
    ) async throws -> Value { try await engine.read(body) }

    func backUp(to path: String) throws { try engine.backUp(to: path) }
    func probe() async throws { try await engine.probe() }
    func close() throws { try engine.close() }
}
