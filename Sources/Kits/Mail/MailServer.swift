import Foundation

/// A mail server that takes messages from this program (RFC 6409).
public struct MailServer: Sendable {
    public enum Security: Equatable, Sendable {
        /// TLS from the first byte.
        case tls
        /// TLS before anything that matters; a server without it gets nothing.
        case startTLS
        /// No TLS. The connection never leaves this machine, and no password is sent.
        case loopbackOnly
    }

    /// The name and the password of this program at the server.
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
    /// A file of certificates (PEM) to trust in place of the system's.
    public var certificates: String?

    /// Reads `smtp://HOST:PORT` or `smtps://HOST:PORT`. Throws `MailServerError`.
    /// - Parameter login: a server on this machine is spoken to without TLS only if there is none.
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

    /// The address for libcurl; its path is the name that this program greets with.
    func address(greeting: String) -> String {
        let name = host.contains(":") && !host.hasPrefix("[") ? "[\(host)]" : host
        return "\(security == .tls ? "smtps" : "smtp")://\(name):\(port)/\(greeting)"
    }
}

public enum MailServerError: Error, Equatable {
    case notAnAddress
    /// A command line can be read by everybody on the machine.
    case passwordInAddress
}

/// Why a server did not take a message.
public enum MailError: Error, Equatable, Sendable {
    /// The server's final no (5xx).
    case refused(Int)
    /// There is no such mailbox (550 to the recipient).
    case noMailbox(Int)
    /// It may work another time (4xx).
    case later(Int)
    /// The user name or the password is wrong.
    case signInRefused
    case timedOut
    case unresolved
    case offline
    case connectionRefused
    /// No TLS, or the server can't prove who it is.
    case insecure
    /// The connection broke before the message was whole.
    case interrupted
    /// The connection broke, or the time was up, after the whole message: the server may have taken
    /// it.
    case unconfirmed
    case failed(String)
}
