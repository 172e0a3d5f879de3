import Domain
import Foundation
import GRDB

/// Putting a backup in the place of a database. Killed at any step, either database stands in the
/// place whole, or none does and `serve` says why; the old one is never lost.
extension SQLiteFile {
    /// Each of these steps leaves the disk in a state that the next run can begin with.
    enum RestoreStep: CaseIterable {
        /// The backup lies beside the database under another name.
        case copied
        /// It says that it was restored.
        case marked
        /// The old database's log is merged into it.
        case logEmptied
        /// The old database has its other name.
        case kept
        case replaced
    }

    private static let incomingSuffix = ".restoring"
    private static let companions = ["-wal", "-shm", "-journal"]

    /// Puts a backup in the place of a database that no server has open; what stood there is kept
    /// under another name. Returns that name, if there was something. Throws `DatabaseError`.
    /// - Parameters:
    ///   - now: since when knowledge is incomplete, for a backup that holds no moment itself.
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
            try verify(backup)
            let incoming = path + incomingSuffix
            // SQLite would play the journal of an interrupted run into the new copy.
            for suffix in companions {
                try? FileManager.default.removeItem(atPath: incoming + suffix)
            }
            try backUp(backup, to: incoming)
            try step(.copied)
            try mark(incoming, at: now)
            try synchronize(incoming)
            try step(.marked)
            let name = "\(path).before-restore-\(UUID().uuidString.lowercased())"
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

    /// A database that is missing beside an unfinished restore is not made anew.
    static func checkNoRestoreWasInterrupted(_ path: String) throws(DatabaseError) {
        let leftovers = [path + incomingSuffix, path + incomingSuffix + ".partial"]
        guard !FileManager.default.fileExists(atPath: path),
            leftovers.contains(where: FileManager.default.fileExists)
        else {
            return
        }
        throw .restoreInterrupted(path: path)
    }

    /// Writes into the copy that it was restored, and up to when it knows what happened.
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

    /// Gives what stands at `path` the name `name`. It stays at `path`, too, where that is safe.
    private static func setAside(
        _ path: String, as name: String, _ step: (RestoreStep) throws -> Void
    ) throws {
        let isLogEmpty = emptyLog(of: path)
        try step(.logEmptied)
        // A database that has everything in its one file can stand until the next takes its place.
        if isLogEmpty, link(path, name) == 0 {
            for suffix in companions { try? FileManager.default.removeItem(atPath: path + suffix) }
            return
        }
        // Else the log has to go before the new database comes: SQLite would play it into that.
        for suffix in [""] + companions where FileManager.default.fileExists(atPath: path + suffix)
        {
            guard rename(path + suffix, name + suffix) == 0 else { throw systemError(path) }
        }
    }

    /// True if everything is in the database file itself; false when it can't be read.
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

    /// Returns when the file is on the disk.
    static func synchronize(_ path: String) throws {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw systemError(path) }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw systemError(path) }
    }

    /// Returns when the names in the file's folder are on the disk.
    static func synchronizeFolder(of path: String) throws {
        try synchronize(URL(fileURLWithPath: path).deletingLastPathComponent().path)
    }

    private static func systemError(_ path: String) -> DatabaseError {
        .cannotOpen(path: path, reason: String(cString: strerror(errno)))
    }
}

extension SQLConnection {
    /// The last moment that is known to have been, in a database without a server's own notes.
    fileprivate func newestMoment() throws -> Date? {
        let moments = try [
            "SELECT MAX(happened_at) FROM events", "SELECT MAX(received_at) FROM check_ins",
            "SELECT MAX(received_at) FROM alerts",
        ].compactMap { try value($0, []) as Date? }
        return moments.max()
    }
}
