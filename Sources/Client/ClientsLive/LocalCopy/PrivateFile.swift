import Foundation
import GRDB

/// A database of this device: only its user can read it.
enum PrivateFile {
    /// Why a file could not be used; says nothing of what is in it.
    enum Failure: Error, Equatable {
        case notPrivate(path: String), failed(path: String, code: Int32)
    }

    /// Opens the database at `path` and brings it up to date. The folder and the file are made for
    /// their user alone.
    /// - Parameter isSynchronous: a write has reached the disk when it returns, whatever that
    ///   costs.
    static func open(
        _ path: String, isSynchronous: Bool, _ migrations: (inout DatabaseMigrator) -> Void
    ) throws -> DatabaseQueue {
        try prepare(path)
        var configuration = Configuration()
        configuration.busyMode = .timeout(5)
        configuration.journalMode = .wal
        configuration.prepareDatabase { database in
            // Little memory for a file that is read once.
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

    /// True if the file itself is at fault, so that no other try can read it.
    static func isDamage(_ error: any Error) -> Bool {
        guard let error = error as? DatabaseError else { return false }
        return [.SQLITE_CORRUPT, .SQLITE_NOTADB].contains(error.resultCode)
    }

    /// Gives a file another name, with what belongs to it. What had that name before goes.
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
        // SQLite gives the files beside it the same rights.
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
