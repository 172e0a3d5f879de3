import Cryptography
import HTTPTypes

/// The session cookie. It contains a secret; the server stores only the secret's hash.
struct SessionCookie: Sendable {
    let baseName: String
    let isSecure: Bool
    /// See ``PageApp/base``.
    var base = ""

    /// Over TLS, the prefix makes browsers accept the cookie only from this host. Other hosts of
    /// the domain can't set it. Browsers allow this prefix only for the path `/`. The prefix of
    /// other paths only requires TLS.
    var name: String {
        guard isSecure else { return baseName }
        return base.isEmpty ? "__Host-\(baseName)" : "__Secure-\(baseName)"
    }

    /// The longest lifetime that browsers accept (draft rfc6265bis, 5.5). The server decides when a
    /// session ends. The browser gets the cookie with a page only, but taps and received messages
    /// keep the session, too, so a shorter-lived cookie could expire before its session.
    static let lifetimeInSeconds = 400 * 86_400

    /// Returns the cookie's header. The cookie is Lax, not Strict, so that a user who opens a link
    /// from a message is signed in. Lax is safe, because GET requests change nothing.
    func header(_ secret: Token) -> String {
        var text =
            """
            \(name)=\(secret.text); Path=\(base.isEmpty ? "/" : base); \
            Max-Age=\(Self.lifetimeInSeconds); HttpOnly; SameSite=Lax
            """
        if isSecure { text += "; Secure" }
        return text
    }

    /// Returns the secret in a request. Returns nil if there is none, or if two cookies have the
    /// name.
    func secret(in headers: HTTPFields) -> Token? {
        let values = headers[values: .cookie].flatMap { $0.split(separator: ";") }.compactMap {
            pair -> Token? in
            let parts = pair.split(separator: "=", maxSplits: 1).map {
                $0.trimmingPrefix { $0 == " " }
            }
            guard parts.count == 2, parts[0] == name else { return nil }
            return Token(String(parts[1]))
        }
        return values.count == 1 ? values.first : nil
    }
}
