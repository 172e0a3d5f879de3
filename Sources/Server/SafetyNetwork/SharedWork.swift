import Domain
import Foundation
import Persistence
import Synchronization

/// The tasks that this server has taken on for all, and until when.
final class SharedWork: Sendable {
    /// A server that dies leaves its tasks to another one after this time at the latest.
    static let lease: Duration = .seconds(60)

    private let ends = Mutex<[SharedTask: Date]>([:])

    func end(of task: SharedTask) -> Date? { ends.withLock { $0[task] } }
    func set(_ end: Date?, of task: SharedTask) { ends.withLock { $0[task] = end } }
}

extension SafetyNetwork {
    /// True if this server does a task that one server at a time does.
    public func isResponsible(for task: SharedTask) async throws -> Bool {
        guard database.isShared else { return true }
        let now = now()
        // The lease is renewed at half time, so that it never ends while its holder lives.
        if let end = sharedWork.end(of: task), end.since(now) > SharedWork.lease / 2 { return true }
        let end = now.adding(SharedWork.lease)
        let isTaken = try await database.write(about: Self.serverState) { [serverID] transaction in
            try transaction.takeOn(task, as: serverID, until: end)
        }
        sharedWork.set(isTaken ? end : nil, of: task)
        return isTaken
    }
}
