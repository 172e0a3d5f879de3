import CSQLite
import Foundation
import GRDB
import GRDBSQLite

/// Disk space that the database reserves for itself, so that it still works after other programs
/// have filled the disk. An alert needs only a few kilobytes.
///
/// Both the log and the file have a reserve: writes go to the log, and a checkpoint copies the log
/// into the file. The operator is warned long before a reserve is used.
enum DiskReserve {
    /// The size of each of the two reserves, in bytes.
    static let bytes = 4 * 1024 * 1024

    /// Prepares a connection that can write. Keeps the log and its index (`-wal`, `-shm`) when the
    /// last connection closes. Otherwise a start on a full disk could not create the index, and so
    /// not read the database. Makes the file grow in steps of a megabyte.
    static func prepare(_ database: GRDB.Database) {
        var (isKept, step): (CInt, CInt) = (1, 1024 * 1024)
        let connection = database.sqliteConnection
        sqlite3_file_control(connection, "main", SQLITE_FCNTL_PERSIST_WAL, &isKept)
        sqlite3_file_control(connection, "main", SQLITE_FCNTL_CHUNK_SIZE, &step)
    }

    /// Reserves space behind the file's pages. Called after each checkpoint, because a checkpoint
    /// frees that space.
    /// - Parameter file: a descriptor of the database's file; -1 to let SQLite reserve the space.
    ///   Debian's SQLite does that by a byte in each block, 4 MB of writes at each checkpoint.
    static func extend(_ database: GRDB.Database, in file: CInt) throws {
        let (pages, size) = (
            try Int64.fetchOne(database, sql: "PRAGMA page_count") ?? 0,
            try Int64.fetchOne(database, sql: "PRAGMA page_size") ?? 0
        )
        var wanted = pages * size + Int64(bytes)
        if file >= 0, csqlite_reserve(file, wanted) != 0 { return }
        sqlite3_file_control(
            database.sqliteConnection, "main", SQLITE_FCNTL_SIZE_HINT, &wanted)
    }

    /// Reserves disk space for the log of a database in WAL mode. No connection may be open,
    /// because closing a file here releases the process's locks on it.
    ///
    /// Extends an empty log to the length of its header. GRDB writes to a database with an empty
    /// log, and that write fails on a full disk. SQLite treats a header without frames as an empty
    /// log.
    static func prepareLog(of path: String) {
        guard isInWALMode(path) else { return }
        let header: off_t = 32
        let file = open(path + "-wal", O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        guard file >= 0 else { return }
        defer { close(file) }
        var status = stat()
        if fstat(file, &status) == 0, status.st_size == 0 { ftruncate(file, header) }
        _ = csqlite_reserve(file, Int64(bytes))
    }

    /// Reads the versions in the file's header (https://www.sqlite.org/fileformat.html, 1.3.3).
    private static func isInWALMode(_ path: String) -> Bool {
        guard let file = FileHandle(forReadingAtPath: path) else { return false }
        defer { try? file.close() }
        return (try? file.read(upToCount: 20))?.dropFirst(18).elementsEqual([2, 2]) == true
    }
}
