/// Database failures, described so that an operator can act on them.
public enum DatabaseError: Error, Equatable, Sendable, CustomStringConvertible {
    /// Another row already has the same unique key.
    case uniqueViolation
    /// A violation of another constraint of the schema (CHECK, foreign key, NOT NULL).
    case constraintViolation(String)
    case diskFull(path: String)
    case readOnly(path: String)
    /// The disk that holds a new backup, or a restored database, is full.
    case noRoomForCopy(path: String)
    /// The file is not a database, or is damaged.
    case damaged(path: String)
    /// A file of the open database was moved, deleted or replaced.
    case fileLost(path: String)
    /// The same at the stop, after a copy was written.
    case saved(path: String, copy: String)
    /// The same at the stop. No copy could be written.
    case notSaved(path: String, reason: String)
    /// The backup to be restored is not a database, or is damaged.
    case damagedBackup(path: String)
    /// The database is missing or empty, although a server with this key has used it before.
    case vanished(path: String)
    case cannotOpen(path: String, reason: String)
    /// Another server has this database open.
    case inUse(path: String)
    /// A newer LifeSignal wrote the schema; this older one must not touch it.
    case newerVersion(found: Int, known: Int)
    /// The schema is older, and the opener may not upgrade it.
    case olderVersion(found: Int, known: Int)
    /// A PostgreSQL database without LifeSignal's tables, which the opener may not create.
    case noTables(path: String)
    /// The database is missing, and a restore left its unfinished file beside the database's path.
    case restoreInterrupted(path: String)
    /// A row holds a value that the program doesn't expect.
    case unreadable(String)
    /// All retries conflicted with another server's transaction. Nothing was changed.
    case conflict
    /// The database server can't be reached, or accepts no connections.
    case unreachable(path: String, reason: String)
    /// The connection was lost during a commit, or the commit did not end in time. It may or may
    /// not take effect.
    case outcomeUnknown(path: String)
    case failed(String)
    case closed

    /// True if the disk, the file, the machine or the connection failed, not the written row. The
    /// next write will probably fail too.
    public var isOfTheDisk: Bool {
        switch self {
        case .diskFull, .readOnly, .damaged, .closed, .unreachable, .outcomeUnknown, .conflict,
            .cannotOpen, .inUse, .fileLost:
            true
        default: false
        }
    }

    private static let loss = "was moved, deleted or replaced while the server runs"

    /// Returns whether a problem that a running server reports is a lost file of its database.
    public static func isLoss(_ problem: String) -> Bool { problem.contains(loss) }

    public var isOfFullDisk: Bool {
        if case .diskFull = self { true } else { false }
    }

    /// True if the statement, its table or its permissions are at fault, so a retry would fail too.
    /// Excludes unique violations, which are ordinary results.
    var isRefusal: Bool {
        switch self {
        case .constraintViolation, .cannotOpen, .failed: true
        default: false
        }
    }

    /// True if the connection is at fault, so another connection may succeed.
    var isOfTheConnection: Bool {
        switch self {
        case .unreachable, .outcomeUnknown, .readOnly: true
        default: false
        }
    }

    public var description: String {
        switch self {
        case .uniqueViolation: "a row with this key exists already"
        case .constraintViolation(let rule): "a rule of the schema was broken: \(rule)"
        case .diskFull(let path):
            "the disk that holds \(path) is full. Free some space; the server continues by itself."
        case .noRoomForCopy(let path):
            "the disk that holds \(path) is full. Free some space there, and run this again."
        case .damagedBackup(let path):
            """
            \(path) is not a LifeSignal database or is damaged. Nothing was changed: restore \
            another backup.
            """
        case .vanished(let path):
            """
            there is no database at \(path), or an empty file, but this server has a key already. \
            If its disk is not mounted, mount it. If the database is lost, restore a backup: \
            lifesignal restore BACKUP --database \(path). To start with an empty database, start \
            once with --begin-anew.
            """
        case .readOnly(let path) where PostgreSQLAddress.isDescription(path):
            """
            \(path) can only be read: it is a standby, or has been made read-only. The server \
            continues by itself when it finds a primary.
            """
        case .damaged(let path) where PostgreSQLAddress.isDescription(path):
            """
            \(path) has damaged rows or indexes. Look at PostgreSQL's log, and restore a backup \
            with PostgreSQL's tools (pgBackRest, pg_basebackup).
            """
        case .readOnly(let path):
            "\(path) can't be written. Give this user write permission on the file and its folder."
        case .damaged(let path):
            """
            \(path) is not a LifeSignal database or is damaged. Move it away and restore a backup: \
            lifesignal restore BACKUP --database \(path)
            """
        case .fileLost(let path):
            """
            \(path) \(Self.loss), so nothing more is stored. If it was moved, put it back. Else \
            stop the server: it then saves what it has stored, and says where.
            """
        case .saved(let path, let copy):
            """
            \(path) was moved, deleted or replaced while the server ran. What the server had \
            stored is in \(copy). Restore it before the next start: lifesignal restore \(copy) \
            --database \(path)
            """
        case .notSaved(let path, let reason):
            """
            \(path) was moved, deleted or replaced while the server ran, and no copy of what the \
            server had stored could be written: \(reason). If the file was moved, put it back \
            before the next start. If it was deleted, restore a backup.
            """
        case .cannotOpen(let path, let reason): "\(path) can't be opened: \(reason)"
        case .inUse(let path):
            """
            another LifeSignal server has \(path) open. Stop it first, or give this one a \
            --database of its own.
            """
        case .newerVersion(let found, let known):
            """
            the database has schema version \(found), this program knows up to \(known). It was \
            not changed: start a newer LifeSignal.
            """
        case .olderVersion(let found, let known):
            """
            the database has schema version \(found), this program has \(known). It was not \
            changed: start the server first, or use the older program.
            """
        case .noTables(let path):
            """
            there is no LifeSignal database in \(path): check --database, or start the server once.
            """
        case .restoreInterrupted(let path):
            """
            a restore to \(path) was interrupted, and there is no database yet. Run it again: \
            lifesignal restore BACKUP --database \(path)
            """
        case .unreadable(let reason): "a row can't be read: \(reason)"
        case .conflict: "others change the same rows at this moment; nothing was changed"
        case .unreachable(let path, let reason): "\(path) can't be reached: \(reason)"
        case .outcomeUnknown(let path):
            """
            a commit to \(path) did not end in time, or lost its connection. It may or may not \
            take effect.
            """
        case .failed(let reason): "the database refused: \(reason)"
        case .closed: "the database is closed"
        }
    }
}
