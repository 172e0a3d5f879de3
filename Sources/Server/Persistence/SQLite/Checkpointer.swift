import Foundation
import GRDB
import Synchronization

/// Checkpoints SQLite's write-ahead log in the background, so that no commit waits for a
/// checkpoint. A separate connection copies most of the log into the file. The writer then copies
/// the rest and reuses the log from its beginning.
final class Checkpointer: Sendable {
    private static let threshold: Int64 = 48 * 1024 * 1024
    private static let commitsBetweenLooks = 16
    /// The maximum time before even a small log is checkpointed. Then the file has nearly all pages
    /// when the disk becomes full.
    private static let longestPause: Duration = .seconds(30)
    /// The minimum time between checkpoints on a full disk. Each of them reads the whole log and
    /// fails.
    private static let pauseBetweenRescues: Duration = .seconds(1)

    private struct State {
        var isRunning = false
        var commits = 0
        var movedAt = ContinuousClock.now
        /// When a checkpoint last failed on a full disk.
        var failedAt: ContinuousClock.Instant?
    }

    private let log: String
    private let connection: DatabaseQueue
    private let work = DispatchQueue(label: "lifesignal.checkpoint")
    private let state = Mutex(State())

    init(path: String) throws {
        log = path + "-wal"
        var configuration = Configuration()
        configuration.prepareDatabase { DiskReserve.prepare($0) }
        connection = try DatabaseQueue(path: path, configuration: configuration)
    }

    /// Checkpoints the log on a full disk, so that the next write can reuse the log's space. Called
    /// on the writer's thread, outside a transaction.
    /// - Returns: true if a retry of the write may succeed.
    func makeRoom(on database: GRDB.Database) -> Bool {
        let now = ContinuousClock.now
        let isTime = state.withLock { state in
            state.failedAt.map { now - $0 >= Self.pauseBetweenRescues } ?? true
        }
        guard isTime else { return false }
        let hasMoved = moveLog(on: database)
        state.withLock { $0.failedAt = hasMoved ? nil : now }
        return hasMoved
    }

    /// Called once after the database is opened.
    func begin(on database: GRDB.Database) { _ = moveLog(on: database) }

    /// Copies the log into the file. Returns true if all of it was copied.
    private func moveLog(on database: GRDB.Database) -> Bool {
        guard let result = try? database.checkpoint(.passive) else { return false }
        try? DiskReserve.extend(database)
        return result.checkpointedFrameCount >= result.walFrameCount
    }

    func checkpointIfLarge(finishingOn writer: any DatabaseWriter) {
        let now = ContinuousClock.now
        let (isTimeToLook, isOld) = state.withLock { state in
            state.commits += 1
            let isOld = now - state.movedAt >= Self.longestPause
            guard !state.isRunning, isOld || state.commits >= Self.commitsBetweenLooks else {
                return (false, false)
            }
            state.commits = 0
            return (true, isOld)
        }
        guard isTimeToLook, isOld || size > Self.threshold else { return }
        state.withLock { ($0.isRunning, $0.movedAt) = (true, now) }
        work.async { [self] in
            connection.inDatabase { _ = try? $0.checkpoint(.passive) }
            writer.asyncWriteWithoutTransaction { [self] database in
                _ = moveLog(on: database)
                state.withLock { $0.isRunning = false }
            }
        }
    }

    /// Empties the log and closes the file.
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
