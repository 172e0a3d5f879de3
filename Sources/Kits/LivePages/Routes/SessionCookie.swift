import Cryptography
import HTTPTypes

/// The cookie that stands for a session: a secret and nothing else. The server keeps its hash.
struct SessionCookie: Sendable {
    let baseName: String
    /// Over TLS, where the browser can be told to hold on to that.
    let isSecure: Bool

    /// The prefix makes a browser take the cookie from this host over TLS only, so that no
    /// neighbour can plant one.
    var name: String { isSecure ? "__Host-\(baseName)" : baseName }

    /// The time a device stays signed in unused.
    static let lifetimeInSeconds = 90 * 86_400

    /// Lax and not Strict: a link in a message that leads to `/add/…` opens signed in. Nothing is
    /// changed by a GET.
    func header(_ secret: Token) -> String {
        var text =
            """
            \(name)=\(secret.text); Path=/; Max-Age=\(Self.lifetimeInSeconds); HttpOnly; \
            SameSite=Lax
            """
        if isSecure { text += "; Secure" }
        return text
    }

    /// The secret in a request; nil without one. Of two cookies of this name none is believed.
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
