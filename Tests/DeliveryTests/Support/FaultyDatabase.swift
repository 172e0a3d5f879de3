import Foundation
import Persistence
import Synchronization

/// A real database in memory that refuses everything while it is told to.
final class FaultyDatabase: DatabaseEngine {
    private let engine: any DatabaseEngine
    var now: @Sendable () -> Date { engine.now }
    var isShared: Bool { engine.isShared }
    private let isFailing = Mutex(false)
    private let writeCount = Mutex(0)

    let clock: TestClock

    init(_ engine: any DatabaseEngine, _ clock: TestClock) {
        self.engine = engine
        self.clock = clock
    }

    var writes: Int { writeCount.withLock { $0 } }
    func fail(_ fails: Bool) { isFailing.withLock { $0 = fails } }
    private func check() throws {
        if isFailing.withLock({ $0 }) { throw DatabaseError.diskFull(path: "/data") }
    }

    func write<Value: Sendable>(
        about subjects: Subjects, _ body: @escaping @Sendable (Transaction) throws -> Value
    ) async throws -> Value {
        try check()
        writeCount.withLock { $0 += 1 }
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
