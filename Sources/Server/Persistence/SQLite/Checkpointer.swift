import Foundation
import GRDB
import Synchronization

/// Moves the write-ahead log into the database in the background, so that no commit has to wait for
/// it. The bulk goes over a connection of its own; the little that was written meanwhile is
/// finished on the writer, which then starts the log from its beginning again.
final class Checkpointer: Sendable {
    private static let threshold: Int64 = 48 * 1024 * 1024
    private static let commitsBetweenLooks = 16

    private struct State {
        var isRunning = false
        var commits = 0
    }

    private let log: String
    private let connection: DatabaseQueue
    private let work = DispatchQueue(label: "lifesignal.checkpoint")
    private let state = Mutex(State())

    init(path: String) throws {
        log = path + "-wal"
        connection = try DatabaseQueue(path: path)
    }

    func checkpointIfLarge(finishingOn writer: any DatabaseWriter) {
        let isTimeToLook = state.withLock { state in
            state.commits += 1
            guard !state.isRunning, state.commits >= Self.commitsBetweenLooks else { return false }
            state.commits = 0
            return true
        }
        guard isTimeToLook, size > Self.threshold else { return }
        state.withLock { $0.isRunning = true }
        work.async { [self] in
            try? connection.inDatabase { _ = try $0.checkpoint(.passive) }
            writer.asyncWriteWithoutTransaction { [self] database in
                _ = try? database.checkpoint(.passive)
                state.withLock { $0.isRunning = false }
            }
        }
    }

    /// Empties the log and lets go of the file.
    func finish(on writer: any DatabaseWriter) throws {
        work.sync {}
        writer.writeWithoutTransaction { _ = try? $0.checkpoint(.truncate) }
        try connection.close()
    }

    private var size: Int64 {
        var status = stat()
        return stat(log, &status) == 0 ? Int64(status.st_size) : 0
    }
}
