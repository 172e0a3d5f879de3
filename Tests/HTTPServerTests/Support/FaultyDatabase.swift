import Foundation
import Persistence
import Synchronization

/// A real database in memory that refuses everything while it is told to.
final class FaultyDatabase: DatabaseEngine {
    private let engine: any DatabaseEngine
    var now: @Sendable () -> Date { engine.now }
    let isShared: Bool
    private let failure = Mutex<DatabaseError?>(nil)
    private let stuck = Mutex(Duration.zero)
    private let afterNextRead = Mutex<(@Sendable () async throws -> Void)?>(nil)

    /// - Parameter isShared: as the engine says, if nil; SQLite plays a shared database with true.
    init(_ engine: any DatabaseEngine, isShared: Bool? = nil) {
        self.engine = engine
        self.isShared = isShared ?? engine.isShared
    }

    func fail(with error: DatabaseError?) { failure.withLock { $0 = error } }
    /// Happens between the next read and whoever waits for what it found.
    func afterNextRead(_ action: @escaping @Sendable () async throws -> Void) {
        afterNextRead.withLock { $0 = action }
    }
    func pretendToWait(for duration: Duration) { stuck.withLock { $0 = duration } }

    private func check() throws { if let error = failure.withLock({ $0 }) { throw error } }

    func write<Value: Sendable>(
        about subjects: Subjects, _ body: @escaping @Sendable (Transaction) throws -> Value
    ) async throws -> Value {
        try check()
        return try await engine.write(about: subjects, body)
    }

    func read<Value: Sendable>(_ body: @escaping @Sendable (any SQLConnection) throws -> Value)
        async throws -> Value
    {
        try check()
        let found = try await engine.read(body)
        let action = afterNextRead.withLock { action in
            defer { action = nil }
            return action
        }
        try await action?()
        return found
    }

    func backUp(to path: String) throws { try engine.backUp(to: path) }

    var health: DatabaseHealth {
        var health = engine.health
        health.lastFailure = failure.withLock { $0 } ?? health.lastFailure
        health.oldestWaiting = max(health.oldestWaiting, stuck.withLock { $0 })
        return health
    }

    func probe() async throws {
        try check()
        try await engine.probe()
    }

    func close() throws { try engine.close() }
}
