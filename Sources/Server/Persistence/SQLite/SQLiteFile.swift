import Foundation
import GRDB

public enum SQLiteFile {
    private static let magic = Data("SQLite format 3\0".utf8)
    static let partialSuffix = ".partial"

    /// Throws if the file is not a database, before SQLite creates files beside it.
    /// - Parameter forWriting: true to throw also if the file can't be written.
    static func check(_ path: String, forWriting: Bool = true) throws(DatabaseError) {
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else { return }
        guard !isFolder.boolValue else { throw .cannotOpen(path: path, reason: "it is a folder") }
        guard let file = FileHandle(forReadingAtPath: path) else {
            throw .cannotOpen(path: path, reason: "it can't be read")
        }
        let head = (try? file.read(upToCount: magic.count)) ?? Data()
        try? file.close()
        guard head.isEmpty || head == magic else { throw .damaged(path: path) }
        guard !forWriting || FileManager.default.isWritableFile(atPath: path) else {
            throw .readOnly(path: path)
        }
    }

    /// Throws for another program's database and for a newer schema. Doesn't open the database for
    /// writing, which would change it.
    /// - Parameter mayMigrate: false to throw also for an older schema.
    static func checkSchema(_ path: String, mayMigrate: Bool = true) throws {
        guard let size = try? FileManager.default.attributesOfItem(atPath: path)[.size] as? Int,
            size > 0
        else { return }
        do {
            try checkSchema(path, mayMigrate, isReadOnly: true)
        } catch let error as GRDB.DatabaseError
            where error.extendedResultCode == .SQLITE_READONLY_ROLLBACK
        {
            // An earlier start was killed while it created the file. SQLite must roll that back
            // before it can read, which only a writer may do.
            try checkSchema(path, mayMigrate, isReadOnly: false)
        }
    }

    private static func checkSchema(
        _ path: String, _ mayMigrate: Bool, isReadOnly: Bool
    ) throws {
        var configuration = Configuration()
        configuration.readonly = isReadOnly
        configuration.busyMode = .timeout(5)
        let queue = try DatabaseQueue(path: path, configuration: configuration)
        defer { try? queue.close() }
        try queue.read { database in
            let connection = SQLiteConnection(database: database, path: path, now: Date())
            let version = try Migrator.version(connection, dialect: .sqlite)
            let tables = try connection.count(
                "SELECT COUNT(*) FROM sqlite_master WHERE type = 'table'", [])
            if version == 0, tables > 0 { throw DatabaseError.damaged(path: path) }
            guard mayMigrate || version >= Migrator.newest else {
                throw version == 0
                    ? DatabaseError.vanished(path: path)
                    : .olderVersion(found: version, known: Migrator.newest)
            }
        }
    }

    /// Writes a consistent copy while a server runs. The copy has a temporary name until it is
    /// complete. Throws `DatabaseError`.
    public static func backUp(_ path: String, to destination: String) throws(DatabaseError) {
        do {
            guard FileManager.default.fileExists(atPath: path) else {
                throw DatabaseError.cannotOpen(path: path, reason: "there is no such file")
            }
            try check(path, forWriting: false)
            var configuration = Configuration()
            configuration.busyMode = .timeout(30)
            let source = try DatabaseQueue(path: path, configuration: configuration)
            try copy(from: source, to: destination)
            try source.close()
        } catch {
            throw SQLiteFailure.translate(error, path: path)
        }
    }

    /// Returns the schema version. Throws if the file is not an intact LifeSignal database of a
    /// known version.
    @discardableResult
    public static func verify(_ path: String) throws(DatabaseError) -> Int {
        do {
            var status = stat()
            guard stat(path, &status) == 0 else {
                let reason =
                    errno == ENOENT ? "there is no such file" : String(cString: strerror(errno))
                throw DatabaseError.cannotOpen(path: path, reason: reason)
            }
            try check(path, forWriting: false)
            let queue = try DatabaseQueue(path: path)
            defer { try? queue.close() }
            return try queue.inDatabase { database in
                guard try String.fetchOne(database, sql: "PRAGMA quick_check(1)") == "ok" else {
                    throw DatabaseError.damaged(path: path)
                }
                let version = try Migrator.version(
                    SQLiteConnection(database: database, path: path, now: Date()), dialect: .sqlite)
                // An empty file, or another program's database.
                guard version > 0 else { throw DatabaseError.damaged(path: path) }
                return version
            }
        } catch {
            throw SQLiteFailure.translate(error, path: path)
        }
    }

    /// Row counts of the tables that an operator recognises.
    public struct Contents: Codable, Equatable, Sendable {
        public var people: Int
        public var contacts: Int
        public var checkIns: Int
        public var alerts: Int
    }

    /// Checks every page, index and reference of a copy, and counts its rows. Throws
    /// `DatabaseError.damaged` if the copy is inconsistent.
    public static func verifyThoroughly(_ path: String) throws(DatabaseError) -> Contents {
        try verify(path)
        return try read(path) { connection in
            let problem: String? = try connection.value("PRAGMA integrity_check(1)", [])
            guard problem == "ok", try !connection.hasRow("PRAGMA foreign_key_check", []) else {
                throw DatabaseError.damaged(path: path)
            }
            return Contents(
                people: try connection.count("SELECT COUNT(*) FROM users", []),
                contacts: try connection.count("SELECT COUNT(*) FROM contacts", []),
                checkIns: try connection.count("SELECT COUNT(*) FROM check_ins", []),
                alerts: try connection.count("SELECT COUNT(*) FROM alerts", []))
        }
    }

    /// Reads a database that a server may have open. Throws `DatabaseError`.
    public static func read<Value>(
        _ path: String, _ body: (any SQLConnection) throws -> Value
    ) throws(DatabaseError) -> Value {
        do {
            var configuration = Configuration()
            configuration.readonly = true
            configuration.busyMode = .timeout(5)
            let queue = try DatabaseQueue(path: path, configuration: configuration)
            defer { try? queue.close() }
            return try queue.read {
                try body(SQLiteConnection(database: $0, path: path, now: Date()))
            }
        } catch {
            throw SQLiteFailure.translate(error, path: path)
        }
    }

    /// Writes to a database that a server may have open. The write must be short, because the
    /// server's writes wait for it. Throws `DatabaseError`.
    static func write(
        _ path: String, _ body: (any SQLConnection) throws -> Void
    ) throws(DatabaseError) {
        do {
            guard !isMissing(path) else {
                throw DatabaseError.cannotOpen(path: path, reason: "there is no such file")
            }
            try check(path)
            var configuration = Configuration()
            configuration.busyMode = .timeout(5)
            let queue = try DatabaseQueue(path: path, configuration: configuration)
            defer { try? queue.close() }
            try queue.write {
                try body(SQLiteConnection(database: $0, path: path, now: Date()))
            }
        } catch {
            throw SQLiteFailure.translate(error, path: path)
        }
    }

    /// Returns the server's last recorded time, or nil if there is none. Works while a server has
    /// the database open.
    public static func clockMemory(_ path: String) throws -> ClockMemory? {
        guard FileManager.default.fileExists(atPath: path) else { return nil }
        return try read(path) { try $0.serverState().clock }
    }

    /// - Parameter backUp: copies the pages to the new database; nil to read them from `source`.
    static func copy(
        from source: any DatabaseReader, to destination: String,
        backUp: ((GRDB.Database) throws -> Void)? = nil
    ) throws {
        try checkDestination(destination, of: source.path)
        let partial = destination + partialSuffix
        for suffix in ["", "-wal", "-shm", "-journal"] { unlink(partial + suffix) }
        do {
            let copy = try DatabaseQueue(path: partial)
            if let backUp {
                try copy.writeWithoutTransaction { try backUp($0) }
            } else {
                try source.backup(to: copy)
            }
            try copy.writeWithoutTransaction { try $0.execute(sql: "PRAGMA journal_mode = DELETE") }
            try copy.close()
            guard rename(partial, destination) == 0 else {
                throw DatabaseError.cannotOpen(
                    path: destination, reason: String(cString: strerror(errno)))
            }
        } catch {
            let failure = failure(of: error, copying: source.path, to: destination)
            unlink(partial)
            throw failure
        }
    }

    /// Translates an error of a copy and names the file at fault: the source for damage, otherwise
    /// the copy.
    private static func failure(
        of error: any Error, copying source: String, to destination: String
    ) -> any Error {
        guard error is GRDB.DatabaseError else { return error }
        return switch SQLiteFailure.translate(error, path: destination) {
        case .diskFull: DatabaseError.noRoomForCopy(path: destination)
        case .damaged: DatabaseError.damaged(path: source)
        case let failure: failure
        }
    }

    public static func isMissing(_ path: String) -> Bool {
        var status = stat()
        guard stat(path, &status) == 0 else { return errno == ENOENT || errno == ENOTDIR }
        return status.st_mode & S_IFMT == S_IFREG && status.st_size == 0
    }

    /// Throws if the destination, or the name that the copy has until it is complete, is a folder,
    /// or if the destination is the database itself, because the destination is replaced.
    private static func checkDestination(_ destination: String, of source: String)
        throws(DatabaseError)
    {
        var (ours, theirs) = (stat(), stat())
        let partial = destination + partialSuffix
        if lstat(partial, &theirs) == 0, theirs.st_mode & S_IFMT == S_IFDIR {
            throw .cannotOpen(path: partial, reason: "it is a folder")
        }
        guard stat(destination, &theirs) == 0 else { return }
        guard theirs.st_mode & S_IFMT != S_IFDIR else {
            throw .cannotOpen(path: destination, reason: "it is a folder")
        }
        guard stat(source, &ours) == 0, ours.st_ino == theirs.st_ino, ours.st_dev == theirs.st_dev
        else { return }
        throw .cannotOpen(path: destination, reason: "it is the database itself")
    }
}
