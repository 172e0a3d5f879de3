import CPostgreSQL
import Foundation

/// Where a PostgreSQL database is: a URL with one host or several. The password may be in it, in
/// `PGPASSWORD` or in a pass file; none of the texts made here contains it.
public struct PostgreSQLAddress: Sendable, CustomStringConvertible {
    /// As given, with the password if it is there: for libpq alone.
    let url: String
    /// Hosts and the name of the database, without user and password.
    public let description: String
    /// True if the URL has a password in it, or that of a certificate's key.
    public let hasPassword: Bool

    private static let kind = "PostgreSQL"

    /// True for the description of one, and not for the path of a file.
    static func isDescription(_ text: String) -> Bool { text.hasPrefix("\(kind) ") }

    public static func isAddress(_ text: String) -> Bool {
        text.hasPrefix("postgres://") || text.hasPrefix("postgresql://")
    }

    /// Throws `DatabaseError.cannotOpen` for a URL that libpq can't read. The error doesn't repeat
    /// the URL, because a password with an unescaped character would be in it.
    public init(_ url: String) throws(DatabaseError) {
        guard Self.isAddress(url), let options = PQconninfoParse(url, nil) else {
            throw .cannotOpen(
                path: "the database",
                reason: """
                    the URL is not a PostgreSQL URL such as postgres://USER@HOST:5432/NAME. \
                    Escape special characters with % and two hexadecimal digits.
                    """)
        }
        defer { PQconninfoFree(options) }
        var values: [String: String] = [:]
        var option = options
        while let keyword = option.pointee.keyword {
            if let value = option.pointee.val {
                values[String(cString: keyword)] = String(cString: value)
            }
            option += 1
        }
        let hosts = (values["host"] ?? values["hostaddr"] ?? "").split(
            separator: ",", omittingEmptySubsequences: false)
        let ports = (values["port"] ?? "").split(separator: ",", omittingEmptySubsequences: false)
        let places = hosts.enumerated().map { index, host in
            let port = ports.count == hosts.count ? ports[index] : ports.first ?? ""
            return port.isEmpty || host.hasPrefix("/") ? "\(host)" : "\(host):\(port)"
        }
        let name = values["dbname"] ?? values["user"] ?? ""
        description = "\(Self.kind) \(places.joined(separator: ","))/\(name)"
        hasPassword = ["password", "sslpassword"].contains { values[$0]?.isEmpty == false }
        self.url = url
    }
}
