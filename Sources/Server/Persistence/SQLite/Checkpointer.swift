import Foundation
import GRDB
import GRDBSQLite
import Synchronization

/// Checkpoints SQLite's write-ahead log in the background, so that no commit waits for a
/// checkpoint. A separate connection copies most of the log into the file. The writer then copies
/// the rest and reuses the log from its beginning.
final class Checkpointer: Sendable {
    /// The length of a log that is checkpointed, in pages; 48 MB at 2 KiB.
    static let threshold = 24_000
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

    private let threshold: Int
    /// The log's length after the last commit, in pages. The size of its file doesn't tell, because
    /// SQLite reuses the file without shortening it.
    private let pages = Atomic<Int>(0)
    private let connection: DatabaseQueue
    /// The descriptor for `DiskReserve.extend`; -1 if it isn't open. It may close only after the
    /// last connection, because closing it releases the process's locks on the database.
    private let file: Mutex<CInt>
    private let work = DispatchQueue(label: "lifesignal.checkpoint")
    private let state = Mutex(State())

    init(path: String, threshold: Int = Checkpointer.threshold) throws {
        self.threshold = threshold
        var configuration = Configuration()
        configuration.prepareDatabase { DiskReserve.prepare($0) }
        connection = try DatabaseQueue(path: path, configuration: configuration)
        file = Mutex(open(path, O_RDWR | O_CLOEXEC))
    }

    deinit {
        try? connection.close()
        releaseFile()
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

    var logLength: Int { pages.load(ordering: .relaxed) }

    /// Called once after the database is opened, on the writer's connection.
    func begin(on database: GRDB.Database) {
        sqlite3_wal_hook(
            database.sqliteConnection,
            { context, _, _, length in
                guard let context else { return SQLITE_OK }
                Unmanaged<Checkpointer>.fromOpaque(context).takeUnretainedValue()
                    .pages.store(Int(length), ordering: .relaxed)
                return SQLITE_OK
            }, Unmanaged.passUnretained(self).toOpaque())
        _ = moveLog(on: database)
    }

    /// Copies the log into the file. Returns true if all of it was copied.
    private func moveLog(on database: GRDB.Database) -> Bool {
        guard let result = try? database.checkpoint(.passive) else { return false }
        try? DiskReserve.extend(database, in: file.withLock { $0 })
        return result.checkpointedFrameCount >= result.walFrameCount
    }

    /// Returns true if a checkpoint begins.
    @discardableResult
    func checkpointIfLarge(finishingOn writer: any DatabaseWriter) -> Bool {
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
        guard isTimeToLook, isOld || logLength > threshold else { return false }
        state.withLock { ($0.isRunning, $0.movedAt) = (true, now) }
        work.async { [self] in
            connection.inDatabase { _ = try? $0.checkpoint(.passive) }
            writer.asyncWriteWithoutTransaction { [self] database in
                _ = moveLog(on: database)
                state.withLock { $0.isRunning = false }
            }
        }
        return true
    }

    /// Empties the log and closes the connection.
    func finish(on writer: any DatabaseWriter) throws {
        work.sync {}
        writer.writeWithoutTransaction { _ = try? $0.checkpoint(.truncate) }
        try connection.close()
    }

    /// Called after the last connection was closed.
    func releaseFile() {
        file.withLock { file in
            if file >= 0 { close(file) }
            file = -1
        }
    }
}
