import Domain
import Foundation
import Persistence
import Synchronization

/// The leases that this server holds, with their expiry. The holder of a lease does a task for all
/// servers of the database.
final class SharedWork: Sendable {
    /// If the holder crashes, another server takes over after this time.
    static let lease: Duration = .seconds(60)

    private let ends = Mutex<[SharedTask: Date]>([:])

    func end(of task: SharedTask) -> Date? { ends.withLock { $0[task] } }
    func set(_ end: Date?, of task: SharedTask) { ends.withLock { $0[task] = end } }
}

extension Commands {
    /// Takes or renews the task's lease. Returns true if this server holds it; at most one does.
    public func isResponsible(for task: SharedTask) async throws -> Bool {
        guard database.isShared else { return true }
        let now = now()
        // Renews the lease after half its duration, so that it doesn't expire while its holder
        // runs.
        if let end = sharedWork.end(of: task), end.since(now) > SharedWork.lease / 2 { return true }
        let end = now.adding(SharedWork.lease)
        let isTaken = try await database.write(about: .serverState) { [serverID] transaction in
            try transaction.takeOn(task, as: serverID, until: end)
        }
        sharedWork.set(isTaken ? end : nil, of: task)
        return isTaken
    }
}
