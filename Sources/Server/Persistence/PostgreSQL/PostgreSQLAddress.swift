import CPostgreSQL
import Foundation

/// The address of a PostgreSQL database: a URL with one or more hosts. `description` and the errors
/// of this type never contain the password.
public struct PostgreSQLAddress: Sendable, CustomStringConvertible {
    /// The URL as given, with any password.
    let url: String
    /// The hosts and the database name, without user and password.
    public let description: String
    /// True if the URL contains a password, or the password of a certificate's key.
    public let hasPassword: Bool

    private static let kind = "PostgreSQL"

    /// True if the text describes a PostgreSQL address, false if it is a file path.
    static func isDescription(_ text: String) -> Bool { text.hasPrefix("\(kind) ") }

    public static func isAddress(_ text: String) -> Bool {
        text.hasPrefix("postgres://") || text.hasPrefix("postgresql://")
    }

    /// Throws `DatabaseError.cannotOpen` if libpq can't parse the URL. The error omits the URL,
    /// which may contain a password.
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
