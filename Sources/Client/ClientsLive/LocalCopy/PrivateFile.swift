import Foundation
import GRDB

/// Opens databases of this device that only their owner can read.
enum PrivateFile {
    /// Why a file could not be used. Never contains its content.
    enum Failure: Error, Equatable {
        case notPrivate(path: String), failed(path: String, code: Int32)
    }

    /// Opens the database at `path` and migrates it. Creates the folder and the file for their
    /// owner only.
    /// - Parameter isSynchronous: true if a write returns only after it has reached the disk.
    static func open(
        _ path: String, isSynchronous: Bool, _ migrations: (inout DatabaseMigrator) -> Void
    ) throws -> DatabaseQueue {
        try prepare(path)
        var configuration = Configuration()
        configuration.busyMode = .timeout(5)
        configuration.journalMode = .wal
        configuration.prepareDatabase { database in
            // Saves memory. The file is read only once, so a larger page cache gains nothing.
            try database.execute(sql: "PRAGMA cache_size = -256")
            try database.execute(sql: "PRAGMA temp_store = MEMORY")
        }
        let queue = try DatabaseQueue(path: path, configuration: configuration)
        try queue.writeWithoutTransaction { database in
            try database.execute(
                sql: isSynchronous ? "PRAGMA synchronous = FULL" : "PRAGMA synchronous = NORMAL")
            guard try String.fetchOne(database, sql: "PRAGMA quick_check(1)") == "ok" else {
                throw DatabaseError(resultCode: .SQLITE_CORRUPT)
            }
        }
        var migrator = DatabaseMigrator()
        migrations(&migrator)
        try migrator.migrate(queue)
        return queue
    }

    /// True if the file itself is damaged. A retry can't help then.
    static func isDamage(_ error: any Error) -> Bool {
        guard let error = error as? DatabaseError else { return false }
        return [.SQLITE_CORRUPT, .SQLITE_NOTADB].contains(error.resultCode)
    }

    /// Renames a file and SQLite's additional files. Replaces any files that have the new names.
    static func setAside(_ path: String) throws {
        for suffix in suffixes where FileManager.default.fileExists(atPath: path + suffix) {
            let other = path + ".damaged" + suffix
            if FileManager.default.fileExists(atPath: other) {
                try FileManager.default.removeItem(atPath: other)
            }
            try FileManager.default.moveItem(atPath: path + suffix, toPath: other)
        }
    }

    static func remove(_ path: String) throws {
        for suffix in suffixes + suffixes.map({ ".damaged" + $0 })
        where FileManager.default.fileExists(atPath: path + suffix) {
            try FileManager.default.removeItem(atPath: path + suffix)
        }
    }

    private static let suffixes = ["", "-wal", "-shm"]

    private static func prepare(_ path: String) throws {
        let folder = URL(filePath: path).deletingLastPathComponent().path
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700])
        // Creates the file with its permissions first. SQLite then gives its additional files the
        // same permissions.
        let descriptor = Foundation.open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw Failure.failed(path: path, code: errno) }
        defer { close(descriptor) }
        var state = stat()
        guard fstat(descriptor, &state) == 0, state.st_mode & S_IFMT == S_IFREG,
            state.st_uid == geteuid()
        else { throw Failure.notPrivate(path: path) }
        if state.st_mode & 0o077 != 0 {
            guard fchmod(descriptor, 0o600) == 0 else { throw Failure.notPrivate(path: path) }
        }
    }
}
