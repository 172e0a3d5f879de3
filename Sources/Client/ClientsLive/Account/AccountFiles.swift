import Domain
import Foundation

/// The two files of a signed-in user on a device. The queue has one of its own for each user: what
/// somebody did is not sent in another's name, and not lost either.
struct AccountFiles: Sendable {
    private let queue: QueueFile
    let copy: LocalCopy
    private let paths: (queue: String, copy: String)
    private let runsOnCallersThread: Bool

    var storage: Account.Storage { Account.Storage(queue: queue, copy: copy) }

    /// Throws what the disk throws.
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

    func close() async {
        let (queue, copy) = (queue, copy)
        await Blocking.run(here: runsOnCallersThread) {
            try? queue.close()
            try? copy.close()
        }
    }

    /// Removes the files; called after `close`.
    func remove(withQueue: Bool) async {
        let paths = paths
        await Blocking.run(here: runsOnCallersThread) {
            try? PrivateFile.remove(paths.copy)
            if withQueue { try? PrivateFile.remove(paths.queue) }
        }
    }
}

/// Work that blocks, on a thread of its own kind and not on those that all tasks share.
enum Blocking {
    /// - Parameter here: on the caller's thread after all, for a simulation of one thread.
    static func run<Value: Sendable, Failure: Error>(
        here: Bool = false, _ work: @escaping @Sendable () throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        guard !here else { return try work() }
        let result: Result<Value, Failure> = await withCheckedContinuation { continuation in
            // A queue of its own each time: on Linux the threads of concurrent queues are those of
            // all tasks.
            DispatchQueue(label: "lifesignal.disk").async {
                do throws(Failure) { continuation.resume(returning: .success(try work())) } catch {
                    continuation.resume(returning: .failure(error))
                }
            }
        }
        return try result.get()
    }
}
