import Foundation
import Persistence
import Synchronization
import TestDatabase

final class FaultyDatabase: WrappingDatabase {
    let engine: any DatabaseEngine
    let isShared: Bool
    private let failure = Mutex<DatabaseError?>(nil)
    private let stuck = Mutex(Duration.zero)
    private let isShortOfSpace = Mutex(false)
    private let commitsAreLate = Mutex(false)
    private let lostLock = Mutex<String?>(nil)
    private let probes = Mutex<
        (isHeld: Bool, held: [CheckedContinuation<Void, Never>], count: Int)
    >(
        (false, [], 0))
    private let afterNextRead = Mutex<(@Sendable () async throws -> Void)?>(nil)

    /// - Parameter isShared: whether other servers use the database; nil for the engine's own
    ///   value.
    init(_ engine: any DatabaseEngine, isShared: Bool? = nil) {
        self.engine = engine
        self.isShared = isShared ?? engine.isShared
    }

    func fail(with error: DatabaseError?) { failure.withLock { $0 = error } }
    /// Runs an action after the next read, before the read returns.
    func afterNextRead(_ action: @escaping @Sendable () async throws -> Void) {
        afterNextRead.withLock { $0 = action }
    }
    func pretendToWait(for duration: Duration) { stuck.withLock { $0 = duration } }
    func pretendCommitsAreLate(_ areLate: Bool) { commitsAreLate.withLock { $0 = areLate } }
    func pretendToLoseLock(_ path: String?) { lostLock.withLock { $0 = path } }
    func pretendToLackSpace(_ isShort: Bool) { isShortOfSpace.withLock { $0 = isShort } }

    /// Delays all probes, as an unreachable database would.
    func holdProbes() { probes.withLock { $0.isHeld = true } }

    func releaseProbes() {
        let held = probes.withLock { state in
            defer { (state.isHeld, state.held) = (false, []) }
            return state.held
        }
        for probe in held { probe.resume() }
    }

    var probeCount: Int { probes.withLock { $0.count } }

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

    var health: DatabaseHealth {
        var health = engine.health
        health.lastFailure = failure.withLock { $0 } ?? health.lastFailure
        health.oldestWaiting = max(health.oldestWaiting, stuck.withLock { $0 })
        health.commitsAreLate = commitsAreLate.withLock { $0 }
        health.isShortOfSpace = isShortOfSpace.withLock { $0 }
        health.lostLock = lostLock.withLock { $0 }
        return health
    }

    func probe() async throws {
        await withCheckedContinuation { continuation in
            let isHeld = probes.withLock { state in
                state.count += 1
                if state.isHeld { state.held.append(continuation) }
                return state.isHeld
            }
            if !isHeld { continuation.resume() }
        }
        try check()
        try await engine.probe()
    }
}
