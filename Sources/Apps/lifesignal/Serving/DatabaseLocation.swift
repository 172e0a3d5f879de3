import Foundation
import Persistence

/// Where a server's data is: in its own file, or in PostgreSQL, which several servers can share.
enum DatabaseLocation: Sendable, CustomStringConvertible {
    case file(String)
    case postgreSQL(PostgreSQLAddress)

    static let standard = "./data/lifesignal.sqlite"

    /// - Parameter option: the value of `--database`. It must not contain a password, because
    ///   everybody on the machine can read the command line. `LIFESIGNAL_DATABASE` may contain one.
    /// - Throws: `Failure`, or `DatabaseError` for a URL that can't be parsed.
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

    /// Returns the path of the file. For PostgreSQL, throws `Failure` with the given text.
    func path(orElse refusal: String) throws -> String {
        switch self {
        case .file(let path): return path
        case .postgreSQL: throw Failure(refusal)
        }
    }

    /// Whether the file exists and is not empty.
    var hasFile: Bool {
        guard case .file(let path) = self else { return false }
        var status = stat()
        return stat(path, &status) == 0 && status.st_size > 0
    }

    /// The path of the key file if no option names one.
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
