import Foundation
import Persistence

/// A test database that changes some calls and forwards all others to an engine.
public protocol WrappingDatabase: DatabaseEngine {
    var engine: any DatabaseEngine { get }
}

extension WrappingDatabase {
    public var now: @Sendable () -> Date { engine.now }
    public var isShared: Bool { engine.isShared }
    public var health: DatabaseHealth { engine.health }

    public func write<Value: Sendable>(
        about subjects: Subjects, _ body: @escaping @Sendable (Transaction) throws -> Value
    ) async throws -> Value {
        try await engine.write(about: subjects, body)
    }

    /// Also serves urgent reads, unless the wrapper implements those.
    public func read<Value: Sendable>(
        _ body: @escaping @Sendable (any SQLConnection) throws -> Value
    ) async throws -> Value {
        try await engine.read(body)
    }

    public func backUp(to path: String) throws { try engine.backUp(to: path) }
    public var lifeNote: LifeNote? { engine.lifeNote }
    public func leave(_ note: LifeNote) -> Bool { engine.leave(note) }
    public func probe() async throws { try await engine.probe() }
    public func close() throws { try engine.close() }
}
