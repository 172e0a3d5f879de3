import API
import Domain
import Foundation
import Synchronization

@testable import ClientsLive

/// Kills a process at one of its steps. No later step reaches the disk or the server.
final class FaultInjector: Sendable {
    struct Killed: Error {}

    private let state = Mutex((steps: 0, isDead: false))
    private let deadly: Int?

    /// - Parameter deadly: the number of the step that kills the process; nil if it survives.
    init(deadly: Int? = nil) { self.deadly = deadly }

    var steps: Int { state.withLock { $0.steps } }
    var isDead: Bool { state.withLock { $0.isDead } }

    func cross() throws {
        let isDead = state.withLock { state in
            state.steps += 1
            if state.steps == deadly { state.isDead = true }
            return state.isDead
        }
        if isDead { throw Killed() }
    }

    /// Counts two steps: one before the work, and one before the caller gets its result.
    func around<Value>(_ work: () async throws -> Value) async throws -> Value {
        try cross()
        let value = try await work()
        try cross()
        return value
    }
}

struct MortalQueue: QueueStore {
    let file: QueueFile
    let faults: FaultInjector

    func load() async throws -> QueueContents { try await file.load() }
    func append(_ entry: QueuedEntry) async throws {
        try await faults.around { try await file.append(entry) }
    }
    func prepend(_ entry: QueuedEntry) async throws {
        try await faults.around { try await file.prepend(entry) }
    }
    func remove(_ id: UUID, noting alias: Alias?) async throws {
        try await faults.around { try await file.remove(id, noting: alias) }
    }
    func hold(_ ids: Set<UUID>, until time: Date?) async throws {
        try await faults.around { try await file.hold(ids, until: time) }
    }
    func release(_ ids: Set<UUID>) async throws {
        try await faults.around { try await file.release(ids) }
    }
    func refuse(_ id: UUID, _ error: UserFacingError) async throws {
        try await faults.around { try await file.refuse(id, error) }
    }
}

struct MortalCopy: CopyStore {
    let file: LocalCopy
    let faults: FaultInjector

    func load(of user: UserID) async throws -> CopyContents { try await file.load(of: user) }
    func save(_ new: CopyContents, replacing old: CopyContents) async throws {
        try await faults.around { try await file.save(new, replacing: old) }
    }
    func setting(_ key: String) async throws -> String? { try await file.setting(key) }
    func set(_ value: String?, _ key: String) async throws { try await file.set(value, key) }
}

struct MortalTransport: Transport {
    let transport: any Transport
    let faults: FaultInjector

    func send(_ request: TransportRequest) async throws -> TransportResponse {
        try await faults.around { try await transport.send(request) }
    }

    func stream(_ request: TransportRequest) async throws -> TransportStream {
        guard !faults.isDead else { throw FaultInjector.Killed() }
        return try await transport.stream(request)
    }
}
