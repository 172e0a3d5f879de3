import Domain
import Foundation
import GRDB

/// Replaces a database with a backup. After a kill at any step, the path is empty or holds one of
/// the two databases, intact. The old database is never lost.
extension SQLiteFile {
    /// The steps of a restore. A restore that was killed after any of them can be run again.
    enum RestoreStep: CaseIterable {
        /// The backup was copied beside the database under a temporary name.
        case copied
        /// The copy was marked as restored.
        case marked
        /// The old database's log was merged into its file.
        case logEmptied
        /// The old database got its new name.
        case kept
        case replaced
    }

    private static let incomingSuffix = ".restoring"
    private static let companions = ["-wal", "-shm", "-journal"]

    /// Replaces a database with a backup. No server may have it open. A link to the database stays.
    /// Returns the new name of the old database, which is kept; nil if there was none. Throws
    /// `DatabaseError`.
    /// - Parameter now: the time since which data may be missing, if the backup contains no times.
    public static func restore(_ backup: String, to path: String, at now: Date = Date())
        throws(DatabaseError) -> String?
    {
        try restore(backup, to: path, at: now) { _ in }
    }

    static func restore(
        _ backup: String, to given: String, at now: Date, step: (RestoreStep) throws -> Void
    ) throws(DatabaseError) -> String? {
        let path = try target(of: given)
        do {
            let lock = try FileLock(for: path)
            defer { withExtendedLifetime(lock) {} }
            try verifyBackup(backup)
            let incoming = path + incomingSuffix
            // SQLite would replay the journal of an interrupted restore into the new copy.
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

    /// Returns a path and the target of each link on the way to the file. The last target is a
    /// file, or missing.
    private static func links(from path: String) -> [String] {
        var (path, paths) = (path, [path])
        // Linux follows as many (path_resolution(7)).
        for _ in 0..<40 {
            guard let next = try? FileManager.default.destinationOfSymbolicLink(atPath: path) else {
                break
            }
            let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
            path = next.hasPrefix("/") ? next : "\(folder)/\(next)"
            paths.append(path)
        }
        return paths
    }

    /// Returns the file to replace. Throws `cannotOpen` if root would follow the link of another
    /// user, who could name any file of root's.
    private static func target(of given: String) throws(DatabaseError) -> String {
        let paths = links(from: given)
        for link in paths.dropLast() {
            var status = stat()
            guard geteuid() == 0, lstat(link, &status) == 0, status.st_uid != 0 else { continue }
            throw .cannotOpen(
                path: link, reason: "it is a link of another user. Give the file it leads to.")
        }
        return paths.last ?? given
    }

    private static func verifyBackup(_ backup: String) throws(DatabaseError) {
        do throws(DatabaseError) {
            try verify(backup)
        } catch .damaged {
            throw .damagedBackup(path: backup)
        }
    }

    /// Throws if the database is missing and a restore left its file beside the path. Otherwise the
    /// server would create an empty database.
    static func checkNoRestoreWasInterrupted(_ given: String) throws(DatabaseError) {
        let path = links(from: given).last ?? given
        let leftovers = [path + incomingSuffix, path + incomingSuffix + partialSuffix]
        guard !FileManager.default.fileExists(atPath: path),
            leftovers.contains(where: FileManager.default.fileExists)
        else {
            return
        }
        throw .restoreInterrupted(path: path)
    }

    /// Marks the copy as restored, and records until when its data is complete.
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

    /// Keeps the database at `path` under another name, and also at `path` if that is safe.
    private static func setAside(
        _ path: String, as name: String, _ step: (RestoreStep) throws -> Void
    ) throws {
        let isLogEmpty = emptyLog(of: path)
        try step(.logEmptied)
        // The file is complete without a log, so it can stay until it is replaced.
        if isLogEmpty, link(path, name) == 0 {
            for suffix in companions { try? FileManager.default.removeItem(atPath: path + suffix) }
            return
        }
        // The log must be moved, because SQLite would replay it into the new database.
        for suffix in [""] + companions where FileManager.default.fileExists(atPath: path + suffix)
        {
            guard rename(path + suffix, name + suffix) == 0 else { throw systemError(path) }
        }
    }

    /// Empties the log of a database. Returns true if the file then holds all data.
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

    static func synchronize(_ path: String) throws {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw systemError(path) }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw systemError(path) }
    }

    /// Flushes the folder of the file to the disk, which makes a rename durable.
    static func synchronizeFolder(of path: String) throws {
        try synchronize(URL(fileURLWithPath: path).deletingLastPathComponent().path)
    }

    private static func systemError(_ path: String) -> DatabaseError {
        .cannotOpen(path: path, reason: String(cString: strerror(errno)))
    }
}

extension SQLConnection {
    /// Returns the newest time in the rows, for a database without a record of the server's time.
    fileprivate func newestMoment() throws -> Date? {
        let moments = try [
            "SELECT MAX(happened_at) FROM events", "SELECT MAX(received_at) FROM check_ins",
            "SELECT MAX(received_at) FROM alerts",
        ].compactMap { try value($0, []) as Date? }
        return moments.max()
    }
}
