import Foundation

/// A mail server that accepts messages from this program (RFC 6409).
public struct MailServer: Sendable {
    public enum Security: Equatable, Sendable {
        /// TLS from the first byte.
        case tls
        /// STARTTLS before any other command. Sends nothing to a server without TLS.
        case startTLS
        /// No TLS. The connection stays on this machine, and no password is sent.
        case loopbackOnly
    }

    public struct Login: Sendable {
        public var user: String
        public var password: String

        public init(user: String, password: String) {
            self.user = user
            self.password = password
        }
    }

    public var host: String
    public var port: Int
    public var security: Security
    public var login: Login?
    /// A PEM file with certificates to trust instead of the system's.
    public var certificates: String?

    /// Parses `smtp://HOST:PORT` or `smtps://HOST:PORT`. Throws `MailServerError`.
    /// - Parameter login: must be nil for a server on this machine without TLS.
    public init(
        url text: String, login: Login? = nil, certificates: String? = nil
    ) throws(MailServerError) {
        guard let url = URLComponents(string: text), let scheme = url.scheme?.lowercased(),
            ["smtp", "smtps"].contains(scheme), let host = url.host, !host.isEmpty,
            url.path.isEmpty || url.path == "/", url.query == nil, url.fragment == nil
        else { throw .notAnAddress }
        guard url.user == nil, url.password == nil else { throw .passwordInAddress }
        self.host = host
        self.login = login
        self.certificates = certificates
        let isLoopback = ["localhost", "127.0.0.1", "::1", "[::1]"].contains(host.lowercased())
        switch scheme {
        case "smtps": (security, port) = (.tls, url.port ?? 465)
        default:
            security = isLoopback && login == nil && certificates == nil ? .loopbackOnly : .startTLS
            port = url.port ?? 587
        }
        guard (1...65_535).contains(port) else { throw .notAnAddress }
    }

    /// Returns the URL for libcurl. Its path is the host name for the SMTP greeting.
    func address(greeting: String) -> String {
        let name = host.contains(":") && !host.hasPrefix("[") ? "[\(host)]" : host
        return "\(security == .tls ? "smtps" : "smtp")://\(name):\(port)/\(greeting)"
    }
}

public enum MailServerError: Error, Equatable {
    case notAnAddress
    /// The URL contains a password, which everyone on the machine could read in the command line.
    case passwordInAddress
}

/// Why a server did not accept a message.
public enum MailError: Error, Equatable, Sendable {
    /// The server rejected the recipient permanently (5xx).
    case refused(Int)
    /// The mailbox doesn't exist (550 to the recipient).
    case noMailbox(Int)
    /// The server takes no mail from this sender: temporarily (4xx), or until the operator changes
    /// something (5xx to another command than RCPT).
    case later(Int)
    /// The server rejected the recipient temporarily (4xx), such as for a full mailbox, or for a
    /// policy that the operator may be able to satisfy (`5.7.x`).
    case mailboxLater(Int)
    /// The user name or the password is wrong.
    case signInRefused
    case timedOut
    case unresolved
    case offline
    case connectionRefused
    /// TLS is missing, or the server's certificate is not trusted.
    case insecure
    /// The connection was lost before the message was complete.
    case interrupted
    /// The connection was lost or timed out after the complete message. The server may have
    /// accepted it.
    case unconfirmed
    case failed(String)
}
