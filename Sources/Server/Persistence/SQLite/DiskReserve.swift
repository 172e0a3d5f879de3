import CSQLite
import Foundation
import GRDB
import GRDBSQLite

/// Disk space that the database reserves for itself, so that it can be read and written after other
/// programs have filled the disk. An alert needs only a few kilobytes.
///
/// A write goes to the log, and a checkpoint copies the log's pages into the file and restarts the
/// log. So both the log and the file have a reserve. The operator is warned long before it is used.
enum DiskReserve {
    /// The size of each of the two reserves, in bytes.
    static let bytes = 4 * 1024 * 1024

    /// Prepares each connection that can write. Keeps the log and its index (`-wal`, `-shm`) when
    /// the last connection closes: on a full disk the next start could not create the index again,
    /// and nothing could be read. Makes the file grow in whole steps.
    static func prepare(_ database: GRDB.Database) {
        var (isKept, step): (CInt, CInt) = (1, 1024 * 1024)
        let connection = database.sqliteConnection
        sqlite3_file_control(connection, "main", SQLITE_FCNTL_PERSIST_WAL, &isKept)
        sqlite3_file_control(connection, "main", SQLITE_FCNTL_CHUNK_SIZE, &step)
    }

    /// Extends the file beyond its pages. A checkpoint undoes this, so it is called after each
    /// checkpoint.
    static func extend(_ database: GRDB.Database) throws {
        let (pages, size) = (
            try Int64.fetchOne(database, sql: "PRAGMA page_count") ?? 0,
            try Int64.fetchOne(database, sql: "PRAGMA page_size") ?? 0
        )
        var wanted = pages * size + Int64(bytes)
        sqlite3_file_control(
            database.sqliteConnection, "main", SQLITE_FCNTL_SIZE_HINT, &wanted)
    }

    /// Reserves disk blocks for the log of a database in WAL mode, without changing its content.
    /// Called while no connection is open, because closing a file releases the process's locks on
    /// it.
    ///
    /// An empty log is extended to the length of its header: GRDB writes to a database whose log
    /// has no bytes, which fails on a full disk. SQLite treats a log without frames as empty, and
    /// bytes beyond the end of a file take no space until they are written.
    static func prepareLog(of path: String) {
        guard isInWALMode(path) else { return }
        let header: off_t = 32
        let file = open(path + "-wal", O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        guard file >= 0 else { return }
        defer { close(file) }
        var status = stat()
        if fstat(file, &status) == 0, status.st_size == 0 { ftruncate(file, header) }
        csqlite_reserve(file, Int64(bytes))
    }

    /// Reads the versions in the file's header (https://www.sqlite.org/fileformat.html, 1.3.3).
    private static func isInWALMode(_ path: String) -> Bool {
        guard let file = FileHandle(forReadingAtPath: path) else { return false }
        defer { try? file.close() }
        return (try? file.read(upToCount: 20))?.dropFirst(18).elementsEqual([2, 2]) == true
    }
}
