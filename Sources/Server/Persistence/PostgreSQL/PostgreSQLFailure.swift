import CPostgreSQL
import Foundation

/// Translates PostgreSQL's error codes. Source: Appendix A of its manual.
enum PostgreSQLFailure {
    /// - Parameter place: the database's description without its password.
    static func translate(
        state: String, message: String, constraint: String?, place: String
    ) -> DatabaseError {
        switch state {
        case "23505": return .uniqueViolation
        case _ where state.hasPrefix("23"): return .constraintViolation(constraint ?? message)
        // A deadlock, a serialization failure, or a lock that exceeded `lock_timeout`.
        case "40P01", "40001", "55P03": return .conflict
        case "53100": return .diskFull(path: place)
        case "25006": return .readOnly(path: place)
        case "53300": return .unreachable(path: place, reason: tooManyConnections)
        // A cancelled statement, an idle or slow transaction, exhausted memory, or a failed disk.
        // The row is not the cause.
        case "57014", "25P03", "25P04",
            _ where ["08", "53", "57P", "58"].contains(where: state.hasPrefix):
            return .unreachable(path: place, reason: message)
        case "42501": return .cannotOpen(path: place, reason: "\(message): \(missingRights)")
        case "XX001", "XX002": return .damaged(path: place)
        default: return .failed("\(message) (PostgreSQL \(state))")
        }
    }

    /// Translates a result's error. Omits PostgreSQL's `DETAIL`, which repeats the statement's
    /// values.
    static func translate(_ result: OpaquePointer, place: String) -> DatabaseError {
        translate(
            state: field(result, PG_DIAG_SQLSTATE) ?? "",
            message: field(result, PG_DIAG_MESSAGE_PRIMARY) ?? "no reason was given",
            constraint: field(result, PG_DIAG_CONSTRAINT_NAME), place: place)
    }

    /// Translates a failure to connect by its text, because libpq gives no error code.
    static func translate(connection: OpaquePointer, place: String) -> DatabaseError {
        let text = String(cString: PQerrorMessage(connection))
            .replacing("\t", with: "").split(separator: "\n").joined(separator: "; ")
        let reason =
            if text.contains("password authentication failed")
                || text.contains("no password supplied")
            {
                """
                the password is wrong or missing: set PGPASSWORD, or put it into a pass file \
                (PGPASSFILE)
                """
            } else if text.contains("session is read-only") {
                // libpq's words for a standby, too.
                """
                it can only be read: name the primary, or all hosts separated by commas. If it is \
                the primary, set default_transaction_read_only to off
                """
            } else if text.contains("is in hot standby")
                || text.contains("server is in hot standby mode")
            {
                """
                it is a standby that can only be read: name the primary, or all hosts separated \
                by commas
                """
            } else if text.contains("too many clients") || text.contains("too many connections")
                || text.contains("connection slots are reserved")
            {
                tooManyConnections
            } else if text.contains("database \"") && text.contains("\" does not exist") {
                "there is no such database: createdb -O ROLE NAME makes one"
            } else if text.contains("server does not support SSL") {
                """
                it does not support TLS: set ssl = on in its postgresql.conf, or leave sslmode out \
                of the URL within a network of your own
                """
            } else if text.contains("role \"") && text.contains("\" does not exist") {
                "there is no such role: createuser --pwprompt ROLE makes one"
            } else {
                text
            }
        return .unreachable(path: place, reason: reason)
    }

    private static let tooManyConnections =
        "it accepts no more connections: raise max_connections, or lower --database-connections"

    private static let missingRights =
        "the role has to own the database: ALTER DATABASE NAME OWNER TO ROLE"

    // C macros of characters, which Swift can't import.
    private static let PG_DIAG_SQLSTATE = Int32(UInt8(ascii: "C"))
    private static let PG_DIAG_MESSAGE_PRIMARY = Int32(UInt8(ascii: "M"))
    private static let PG_DIAG_CONSTRAINT_NAME = Int32(UInt8(ascii: "n"))

    private static func field(_ result: OpaquePointer, _ code: Int32) -> String? {
        PQresultErrorField(result, code).map { String(cString: $0) }
    }
}
