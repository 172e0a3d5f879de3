import Foundation
import Persistence
import Synchronization
import TestDatabase

/// A shared database that can delay a write.
final class SlowDatabase: WrappingDatabase {
    let engine: any DatabaseEngine
    private let wait = Mutex<(@Sendable () -> Void)?>(nil)

    let isShared = true

    init(_ engine: any DatabaseEngine) { self.engine = engine }

    /// Runs an action once, before the next transaction begins.
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
}
