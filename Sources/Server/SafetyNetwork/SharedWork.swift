import Domain
import Foundation
import Persistence
import Synchronization

/// The expiry of each lease that this server holds. With a lease, one server does a task for all
/// servers of the database.
final class SharedWork: Sendable {
    /// The duration of a lease. If its holder crashes, another server takes over within this time.
    static let lease: Duration = .seconds(60)

    private let ends = Mutex<[SharedTask: Date]>([:])

    func end(of task: SharedTask) -> Date? { ends.withLock { $0[task] } }
    func set(_ end: Date?, of task: SharedTask) { ends.withLock { $0[task] = end } }
}

extension Commands {
    /// Returns true if this server holds the lease for the task. Only one server at a time does it.
    public func isResponsible(for task: SharedTask) async throws -> Bool {
        guard database.isShared else { return true }
        let now = now()
        // The lease is renewed after half its duration, so it doesn't expire while its holder runs.
        if let end = sharedWork.end(of: task), end.since(now) > SharedWork.lease / 2 { return true }
        let end = now.adding(SharedWork.lease)
        let isTaken = try await database.write(about: .serverState) { [serverID] transaction in
            try transaction.takeOn(task, as: serverID, until: end)
        }
        sharedWork.set(isTaken ? end : nil, of: task)
        return isTaken
    }
}
