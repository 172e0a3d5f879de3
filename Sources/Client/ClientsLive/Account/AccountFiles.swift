import Clients
import Domain
import Foundation
import TaskWork

/// The queue and the local copy of a signed-in user. Each user has a separate queue file, so an
/// action is never sent as another user.
struct AccountFiles: Sendable {
    private let queue: QueueFile
    let copy: LocalCopy
    private let paths: (queue: String, copy: String)
    private let runsOnCallersThread: Bool

    var storage: Account.Storage { Account.Storage(queue: queue, copy: copy) }

    /// Throws the errors of the disk.
    /// - Parameter runsOnCallersThread: see `LiveClients.Options`.
    init(folder: URL, user: UserID, runsOnCallersThread: Bool = false) async throws {
        let paths = (
            queue: folder.appending(path: "queue-\(user).sqlite").path,
            copy: folder.appending(path: "copy.sqlite").path
        )
        self.paths = paths
        self.runsOnCallersThread = runsOnCallersThread
        (queue, copy) = try await Blocking.run(here: runsOnCallersThread) {
            (
                try QueueFile(path: paths.queue, runsOnCallersThread: runsOnCallersThread),
                try LocalCopy(path: paths.copy, runsOnCallersThread: runsOnCallersThread)
            )
        }
    }

    /// Returns the alerts that this folder's queues hold unsent. Skips queues that can't be read.
    /// - Parameter user: whose queue; nil for all.
    static func unsentAlerts(in folder: URL, of user: UserID? = nil) async -> [WaitingAction] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        let prefix = user.map { "queue-\($0)." } ?? "queue-"
        var alerts: [WaitingAction] = []
        for name in names where name.hasPrefix(prefix) && name.hasSuffix(".sqlite") {
            let path = folder.appending(path: name).path
            let queue = try? await Blocking.run { try QueueFile(path: path, keepsDamage: true) }
            let entries = try? await queue?.load().entries
            _ = await Blocking.run { try? queue?.close() }
            alerts += (entries ?? []).unsentAlerts.map(\.waiting)
        }
        return alerts
    }

    func close() async {
        let (queue, copy) = (queue, copy)
        await Blocking.run(here: runsOnCallersThread) {
            try? queue.close()
            try? copy.close()
        }
    }

    /// Removes the files. Requires `close` first. Returns true if the queue is gone.
    func remove(withQueue: Bool) async -> Bool {
        let paths = paths
        return await Blocking.run(here: runsOnCallersThread) {
            // If the disk fails, the next user's process empties the copy.
            try? PrivateFile.remove(paths.copy)
            guard withQueue else { return false }
            return (try? PrivateFile.remove(paths.queue)) != nil
        }
    }
}
