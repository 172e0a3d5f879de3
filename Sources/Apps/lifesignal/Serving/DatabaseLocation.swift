import Foundation
import Persistence

/// The place of a server's data: a file of its own, or PostgreSQL, which several servers share.
enum DatabaseLocation: Sendable, CustomStringConvertible {
    case file(String)
    case postgreSQL(PostgreSQLAddress)

    static let standard = "./data/lifesignal.sqlite"

    /// - Parameter option: `--database`. The command line can be read by everybody on the machine,
    ///   so a password in it is refused; in `LIFESIGNAL_DATABASE` it may be.
    /// Throws `Failure`, or `DatabaseError` for a URL that can't be read.
    init(option: String?, environment: [String: String]) throws {
        let text = option ?? environment["LIFESIGNAL_DATABASE"] ?? Self.standard
        guard text.contains("://") else {
            self = .file(text)
            return
        }
        let address = try PostgreSQLAddress(text)
        guard option == nil || !address.hasPassword else {
            throw Failure(
                """
                a password on the command line can be read by everybody on this machine. Leave it \
                out of the URL, and set PGPASSWORD or put it into a pass file (PGPASSFILE).
                """)
        }
        self = .postgreSQL(address)
    }

    /// The path of the file. Throws `Failure` with the words given for PostgreSQL.
    func path(orElse refusal: String) throws -> String {
        switch self {
        case .file(let path): return path
        case .postgreSQL: throw Failure(refusal)
        }
    }

    /// The key's file, where no option names it.
    var standardKeyPath: String {
        switch self {
        case .file(let path): path + ".key"
        case .postgreSQL: "./data/lifesignal.key"
        }
    }

    var description: String {
        switch self {
        case .file(let path): URL(fileURLWithPath: path).standardizedFileURL.path
        case .postgreSQL(let address): address.description
        }
    }
}
