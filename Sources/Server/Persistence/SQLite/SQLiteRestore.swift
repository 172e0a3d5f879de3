import Domain
import Foundation
import GRDB

/// Replaces a database with a backup. If the process is killed at any step, either one of the two
/// databases is intact at the path, or the path is empty and `serve` explains why. The old database
/// is never lost.
extension SQLiteFile {
    /// The steps of a restore. After each, the disk is in a state that the next run can start from.
    enum RestoreStep: CaseIterable {
        /// The backup was copied beside the database under another name.
        case copied
        /// The copy was marked as restored.
        case marked
        /// The log of the old database was merged into its file.
        case logEmptied
        /// The old database was kept under its other name.
        case kept
        case replaced
    }

    private static let incomingSuffix = ".restoring"
    private static let companions = ["-wal", "-shm", "-journal"]

    /// Replaces a database that no server has open with a backup. The old database is kept under
    /// another name. Returns that name; nil if there was no old database. Throws `DatabaseError`.
    /// - Parameters:
    ///   - now: the time since which data may be missing, if the backup contains no times.
    ///   - step: called after each step.
    public static func restore(_ backup: String, to path: String, at now: Date = Date())
        throws(DatabaseError) -> String?
    {
        try restore(backup, to: path, at: now) { _ in }
    }

    static func restore(
        _ backup: String, to path: String, at now: Date, step: (RestoreStep) throws -> Void
    ) throws(DatabaseError) -> String? {
        do {
            let lock = try FileLock(for: path)
            defer { withExtendedLifetime(lock) {} }
            try verifyBackup(backup)
            let incoming = path + incomingSuffix
            // Otherwise, SQLite would replay the journal of an interrupted run into the new copy.
            for suffix in companions {
                try? FileManager.default.removeItem(atPath: incoming + suffix)
            }
            try backUp(backup, to: incoming)
            try step(.copied)
            try mark(incoming, at: now)
            try synchronize(incoming)
            try step(.marked)
            let name = "\(path).before-restore-\(UUID.random().uuidString.lowercased())"
            let isKept = FileManager.default.fileExists(atPath: path)
            try setAside(path, as: name, step)
            try synchronizeFolder(of: path)
            try step(.kept)
            guard rename(incoming, path) == 0 else { throw systemError(path) }
            try synchronizeFolder(of: path)
            try step(.replaced)
            return isKept ? name : nil
        } catch {
            throw SQLiteFailure.translate(error, path: path)
        }
    }

    private static func verifyBackup(_ backup: String) throws(DatabaseError) {
        do throws(DatabaseError) {
            try verify(backup)
        } catch .damaged {
            throw .damagedBackup(path: backup)
        }
    }

    /// Throws if the database is missing and the file of an unfinished restore lies beside it, so
    /// that no empty database is created in its place.
    static func checkNoRestoreWasInterrupted(_ path: String) throws(DatabaseError) {
        let leftovers = [path + incomingSuffix, path + incomingSuffix + ".partial"]
        guard !FileManager.default.fileExists(atPath: path),
            leftovers.contains(where: FileManager.default.fileExists)
        else {
            return
        }
        throw .restoreInterrupted(path: path)
    }

    /// Marks the copy as restored, and records the time up to which its data is complete.
    private static func mark(_ incoming: String, at now: Date) throws {
        let queue = try DatabaseQueue(path: incoming)
        try queue.inDatabase { database in
            let connection = SQLiteConnection(database: database, path: incoming, now: now)
            try Migrator.migrate(connection, dialect: .sqlite)
            try connection.execute("BEGIN IMMEDIATE", [])
            let old = try connection.serverState()
            var new = old
            let known = try old.clock?.time ?? connection.newestMoment() ?? now
            new.restoredFrom = min(known, old.restoredFrom ?? known)
            try connection.saveServerState(new, replacing: old)
            try connection.execute("COMMIT", [])
        }
        try queue.close()
    }

    /// Keeps the database at `path` under the name `name`. If that is safe, it also stays at
    /// `path`.
    private static func setAside(
        _ path: String, as name: String, _ step: (RestoreStep) throws -> Void
    ) throws {
        let isLogEmpty = emptyLog(of: path)
        try step(.logEmptied)
        // A database that is complete in its one file can stay until its replacement arrives.
        if isLogEmpty, link(path, name) == 0 {
            for suffix in companions { try? FileManager.default.removeItem(atPath: path + suffix) }
            return
        }
        // Otherwise the log must be moved before the new database arrives, because SQLite would
        // replay the log into it.
        for suffix in [""] + companions where FileManager.default.fileExists(atPath: path + suffix)
        {
            guard rename(path + suffix, name + suffix) == 0 else { throw systemError(path) }
        }
    }

    /// Empties the log of a database. Returns true if all data is then in the database file itself;
    /// false if not, or if the file can't be read.
    private static func emptyLog(of path: String) -> Bool {
        guard FileManager.default.fileExists(atPath: path), (try? check(path)) != nil else {
            return false
        }
        do {
            let queue = try DatabaseQueue(path: path)
            try queue.inDatabase { _ = try $0.checkpoint(.truncate) }
            try queue.close()
        } catch {
            return false
        }
        var log = stat()
        return stat(path + "-wal", &log) != 0 || log.st_size == 0
    }

    /// Flushes the file to the disk.
    static func synchronize(_ path: String) throws {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw systemError(path) }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw systemError(path) }
    }

    /// Flushes the names in the file's folder to the disk.
    static func synchronizeFolder(of path: String) throws {
        try synchronize(URL(fileURLWithPath: path).deletingLastPathComponent().path)
    }

    private static func systemError(_ path: String) -> DatabaseError {
        .cannotOpen(path: path, reason: String(cString: strerror(errno)))
    }
}

extension SQLConnection {
    /// Returns the newest time in the rows of a database that lacks the server's own record of
    /// time.
    fileprivate func newestMoment() throws -> Date? {
        let moments = try [
            "SELECT MAX(happened_at) FROM events", "SELECT MAX(received_at) FROM check_ins",
            "SELECT MAX(received_at) FROM alerts",
        ].compactMap { try value($0, []) as Date? }
        return moments.max()
    }
}
