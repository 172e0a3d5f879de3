import Foundation

/// The path of a server that shares its host with other sites, such as `/lifesignal`.
public struct PathPrefix: Equatable, Sendable {
    /// Empty for a server that has its host to itself.
    public let text: String

    public static let root = PathPrefix()

    /// Names that a prefix can't begin with, because the server's own paths do. Otherwise the
    /// server couldn't tell whether a proxy has removed the prefix.
    public static let reserved: Set<String> = [
        ".well-known", "a", "add", "alerts", "d", "dependents", "favicon.ico", "health", "i",
        "join", "manifest.webmanifest", "metrics", "notifications", "openapi.json", "profile",
        "responders", "robots.txt", "s", "scan", "settings", "sw.js", "v1", "web",
    ]

    private init() { text = "" }

    /// Returns nil for a path with empty names, with characters that need percent-encoding, or with
    /// a reserved first name. One slash at the end is removed.
    public init?(_ path: String) {
        let text = path.hasSuffix("/") ? String(path.dropLast()) : path
        let names = text.split(separator: "/", omittingEmptySubsequences: false).dropFirst()
        guard text.isEmpty || text.hasPrefix("/"), names.allSatisfy(Self.isName),
            !Self.reserved.contains(String(names.first ?? ""))
        else { return nil }
        self.text = text
    }

    /// Returns the prefix in a server's public URL.
    public init(of server: URL) {
        self = PathPrefix(server.path(percentEncoded: true)) ?? .root
    }

    private static func isName(_ text: Substring) -> Bool {
        text != "." && text != ".." && !text.isEmpty
            && text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "-_.".contains($0)) }
    }

    /// Returns a request's path and query without the prefix; nil if they don't begin with it.
    public func removed(from target: String) -> String? {
        guard target.hasPrefix(text) else { return nil }
        let rest = target.dropFirst(text.count)
        switch rest.first {
        case "/": return String(rest)
        case nil, "?": return "/\(rest)"
        default: return nil
        }
    }

    /// Returns `ID` of a link such as `https://example.org/alerts/ID`, on any server. Returns nil
    /// for other links.
    /// - Parameter folder: the name before the id, such as `alerts`.
    public static func name(in folder: String, of link: URL) -> String? {
        let names = link.pathComponents
        guard ["https", "http"].contains(link.scheme?.lowercased()), names.count >= 3,
            names[names.count - 2] == folder,
            PathPrefix("/" + names.dropFirst().dropLast(2).joined(separator: "/")) != nil
        else { return nil }
        return names[names.count - 1]
    }
}
