import Domain
import Foundation
import Persistence
import Synchronization

/// A real engine on a disk that can fail, and on a machine that can die.
final class SimulatedDisk: DatabaseEngine {
    enum Condition: Sendable {
        case fine
        /// Refuses a write before its start.
        case full
        /// Fails a write after its statements, so that the engine must roll them back.
        case fullAtCommit
        /// The process was killed. Work in progress changes nothing.
        case dead
    }

    /// Stops an endless loop. No real moment needs as many writes.
    private static let writesAtOneMoment = 20_000

    private let engine: SQLiteEngine
    var now: @Sendable () -> Date { engine.now }
    var isShared: Bool { engine.isShared }
    private let state = Mutex((condition: Condition.fine, writes: 0))

    init(_ engine: SQLiteEngine) { self.engine = engine }

    var condition: Condition {
        get { state.withLock { $0.condition } }
        set { state.withLock { $0.condition = newValue } }
    }

    /// Resets the count of writes when time moves on.
    func beginMoment() { state.withLock { $0.writes = 0 } }

    private static let full = DatabaseError.diskFull(path: "simulated")

    /// Makes the engine undo a write. At `full` it would also look for space, which takes 1,000
    /// calls of the system.
    private struct Undone: Error {}

    func write<Value: Sendable>(
        about subjects: Subjects, _ body: @escaping @Sendable (Transaction) throws -> Value
    ) async throws -> Value {
        let condition = try state.withLock { state in
            state.writes += 1
            guard state.writes <= Self.writesAtOneMoment else {
                throw DatabaseError.failed("no rest")
            }
            return state.condition
        }
        switch condition {
        case .fine: return try await engine.write(about: subjects, body)
        case .full: throw Self.full
        case .fullAtCommit:
            do {
                return try await engine.write(about: .none) { transaction in
                    _ = try body(transaction)
                    throw Undone()
                }
            } catch is Undone {
                throw Self.full
            }
        case .dead: throw DatabaseError.closed
        }
    }

    func read<Value: Sendable>(
        _ body: @escaping @Sendable (any SQLConnection) throws -> Value
    ) async throws -> Value {
        guard condition != .dead else { throw DatabaseError.closed }
        return try await engine.read(body)
    }

    func backUp(to path: String) throws { try engine.backUp(to: path) }
    var health: DatabaseHealth { engine.health }
    func probe() async throws { try await write(about: .none) { _ in } }
    var lifeNote: LifeNote? { engine.lifeNote }
    func leave(_ note: LifeNote) -> Bool { condition == .fine && engine.leave(note) }
    func close() throws { try engine.close() }
}
