import Cryptography
import HTTPTypes

/// The session cookie. It contains only a secret. The server stores only the secret's hash.
struct SessionCookie: Sendable {
    let baseName: String
    /// True over TLS, where the cookie can be restricted to secure connections.
    let isSecure: Bool

    /// With this prefix, a browser accepts the cookie only from this host over TLS, so that another
    /// host of the domain can't set it.
    var name: String { isSecure ? "__Host-\(baseName)" : baseName }

    /// How long an unused device stays signed in.
    static let lifetimeInSeconds = 90 * 86_400

    /// Returns the cookie's header. The cookie is Lax instead of Strict, so that a person who
    /// follows a link to `/add/…` in a message is signed in. This is safe, because GET requests
    /// change nothing.
    func header(_ secret: Token) -> String {
        var text =
            """
            \(name)=\(secret.text); Path=/; Max-Age=\(Self.lifetimeInSeconds); HttpOnly; \
            SameSite=Lax
            """
        if isSecure { text += "; Secure" }
        return text
    }

    /// Returns the secret in a request; nil if it has none, or if two cookies have this name.
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
