import Domain
import Foundation
import Synchronization
import TestDatabase
import Testing

@testable import Persistence

/// Runs an act of another server after this server has read candidates or looked up people, and
/// before it locks them.
final class Interruption: Sendable {
    private struct State {
        var person: UserID?
        var act: (@Sendable () async throws -> Void)?
    }

    private let state = Mutex(State())

    /// Runs `act` once, before the next lock of this person.
    func beforeLock(of person: UserID, _ act: @escaping @Sendable () async throws -> Void) {
        state.withLock { $0 = State(person: person, act: act) }
    }

    /// Whether the act has started.
    var isOver: Bool { state.withLock { $0.act == nil } }

    /// Blocks a thread of the engine, not one of Swift's task threads.
    fileprivate func interrupt(lockOf people: [UserID]) {
        let act = state.withLock { state in
            guard let person = state.person, people.contains(person) else {
                return nil as (@Sendable () async throws -> Void)?
            }
            defer { state = State() }
            return state.act
        }
        guard let act else { return }
        let done = DispatchSemaphore(value: 0)
        Task {
            do { try await act() } catch { Issue.record(error) }
            done.signal()
        }
        done.wait()
    }
}

struct InterruptedDatabase: WrappingDatabase {
    let engine: any DatabaseEngine
    let interruption: Interruption

    func write<Value: Sendable>(
        about subjects: Subjects, _ body: @escaping @Sendable (Transaction) throws -> Value
    ) async throws -> Value {
        var subjects = subjects
        if let search = subjects.search {
            subjects.search = { [interruption] connection in
                let found = try search(connection)
                interruption.interrupt(lockOf: found)
                return found
            }
        }
        return try await engine.write(about: subjects) { [interruption] outer in
            let connection = InterruptedConnection(base: outer, interruption: interruption)
            let transaction = Transaction(connection, now: outer.now)
            defer { outer.outbox = transaction.outbox }
            let value = try body(transaction)
            try transaction.finish()
            return value
        }
    }

    func readUrgently<Value: Sendable>(
        _ body: @escaping @Sendable (any SQLConnection) throws -> Value
    ) async throws -> Value {
        try await engine.readUrgently(body)
    }
}

private struct InterruptedConnection: WrappingConnection {
    let base: any SQLConnection
    let interruption: Interruption

    func tryLock(_ people: [UserID]) throws -> Set<UserID> {
        interruption.interrupt(lockOf: people)
        return try base.tryLock(people)
    }
}
