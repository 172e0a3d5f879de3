import Domain
import Foundation
import HTTPServer
import Persistence
import SafetyNetwork
import Settings

/// Where a server's data is: in its own file, or in PostgreSQL, which several servers can share.
enum DatabaseLocation: Sendable, CustomStringConvertible {
    case file(String)
    case postgreSQL(PostgreSQLAddress)

    static let standard = "./data/lifesignal.sqlite"
    private static let noSocket = "none"

    /// - Parameter option: the value of `--database`. A password isn't allowed here, because
    ///   everybody on the machine can read the command line. `LIFESIGNAL_DATABASE` may contain a
    ///   password.
    /// - Throws: `Failure`, or `DatabaseError` for a URL that can't be parsed.
    init(option: String?, environment: SettingValues) throws {
        let text = SettingReader(environment: environment)
            .text(option, "DATABASE", default: Self.standard)
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

    var hasFile: Bool {
        guard case .file(let path) = self else { return false }
        var status = stat()
        return stat(path, &status) == 0 && status.st_size > 0
    }

    var standardKeyPath: String {
        switch self {
        case .file(let path): path + ".key"
        case .postgreSQL: "./data/lifesignal.key"
        }
    }

    /// Returns the path of the socket for `lifesignal admin`; nil for none. Throws `SettingError`
    /// for a path that can't be meant.
    /// - Parameter option: the value of `--admin-socket`.
    func adminSocket(_ option: String?, _ read: SettingReader) throws -> String? {
        if let path = read.given(option, "ADMIN_SOCKET") {
            guard path != Self.noSocket else { return nil }
            guard path.contains("/"), path.utf8.count <= AdminSocket.longestPath else {
                throw read.refusal(
                    "ADMIN_SOCKET",
                    "must be none, or a path with a / of at most \(AdminSocket.longestPath) bytes")
            }
            return path
        }
        let standard =
            switch self {
            case .file(let path): path + ".admin"
            // Without a socket, the command works on the database, also beside running servers.
            case .postgreSQL: Self.noSocket
            }
        let path = read.text(nil, "ADMIN_SOCKET", default: standard)
        return path == Self.noSocket ? nil : path
    }

    var description: String {
        switch self {
        case .file(let path): URL(fileURLWithPath: path).standardizedFileURL.path
        case .postgreSQL(let address): address.description
        }
    }

    // MARK: For a running server

    /// The maximum age of a cached session, after which its row is read from the database; nil for
    /// no limit.
    var oldestCaller: Duration? {
        switch self {
        case .file: nil
        case .postgreSQL: CallerCache.ageBesideOthers
        }
    }

    /// Returns the age of the last verified backup in seconds; nil for PostgreSQL, which has its
    /// own backup tools.
    var backupAge: @Sendable (Date) -> Double? {
        switch self {
        case .file(let path): { BackupNote.age(besides: path, at: $0) }
        case .postgreSQL: { _ in nil }
        }
    }

    /// The free bytes on the database's disk; nil if the database is on another machine, or its
    /// folder is not in place (`DatabaseHealth.lostFile`).
    var freeDisk: Int64? {
        guard case .file(let path) = self else { return nil }
        var status = statvfs()
        let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
        guard statvfs(folder, &status) == 0 else { return nil }
        return FreeDisk.bytes(status)
    }
}
