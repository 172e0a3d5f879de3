/// Failures below the queries, in words an operator can act on.
public enum DatabaseError: Error, Equatable, Sendable, CustomStringConvertible {
    /// A second row where a key allows one.
    case uniqueViolation
    /// Another rule of the schema (CHECK, foreign key, NOT NULL).
    case constraintViolation(String)
    case diskFull(path: String)
    case readOnly(path: String)
    /// The file is not a database, or is damaged.
    case damaged(path: String)
    case cannotOpen(path: String, reason: String)
    /// Another server has this database open.
    case inUse(path: String)
    /// The schema was written by a newer LifeSignal; an older one leaves it alone.
    case newerVersion(found: Int, known: Int)
    /// There is no database, and beside its place lies what a restore was about to put there.
    case restoreInterrupted(path: String)
    /// A row does not hold what the program expects.
    case unreadable(String)
    /// Another server's transaction was in the way each time; nothing was changed.
    case conflict
    /// The database server can't be reached, or takes no connection.
    case unreachable(path: String, reason: String)
    /// The connection was lost while a transaction was committed: it may be in force or not.
    case outcomeUnknown(path: String)
    case failed(String)
    case closed

    /// The disk or the file is at fault, which is nobody's row: the next write will hardly fare
    /// better.
    var isOfTheDisk: Bool {
        switch self {
        case .diskFull, .readOnly, .damaged, .closed, .unreachable, .outcomeUnknown, .conflict: true
        default: false
        }
    }

    /// The connection is at fault: another one may fare better.
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
            "the disk that holds \(path) is full. Free some space; the server goes on by itself."
        case .readOnly(let path) where PostgreSQLAddress.isDescription(path):
            """
            \(path) can only be read: it is a standby, or has been made read-only. The server goes \
            on by itself when it finds a primary.
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
        case .cannotOpen(let path, let reason): "\(path) can't be opened: \(reason)"
        case .inUse(let path):
            """
            another LifeSignal server has \(path) open. Stop it first, or give this one a \
            --database of its own.
            """
        case .newerVersion(let found, let known):
            """
            the database has schema version \(found), this program knows up to \(known). It was \
            left untouched: start a newer LifeSignal.
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
            "the connection to \(path) was lost during a commit: it may be in force or not"
        case .failed(let reason): "the database refused: \(reason)"
        case .closed: "the database is closed"
        }
    }
}
