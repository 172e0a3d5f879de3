import Cryptography
import Foundation

/// The key that identifies the sender to push services (RFC 8292). Browsers subscribe with this
/// key, so a new key invalidates all subscriptions.
public struct VAPIDKey: Sendable {
    private let key: P256.PrivateKey

    /// - Parameter storedForm: 32 bytes.
    /// - Returns: nil if the bytes are not a private key of P-256.
    public init?(storedForm: Data) {
        guard let key = P256.PrivateKey(bytes: storedForm) else { return nil }
        self.key = key
    }

    /// Creates a new key.
    /// - Returns: nil if the source of randomness is broken.
    public init?(random: RandomBytes) {
        guard let key = P256.PrivateKey(random: random) else { return nil }
        self.key = key
    }

    /// The private key, 32 bytes.
    public var storedForm: Data { key.bytes }

    /// The value for a browser's `applicationServerKey`: the uncompressed point as 87 characters of
    /// base64url.
    public var publicKey: String { Base64URL.encode(key.publicKey.bytes) }

    /// Returns a JSON Web Token signed with ES256.
    /// - Parameter audience: the origin of the endpoint.
    /// - Returns: nil if libcrypto fails.
    func token(audience: String, contact: VAPIDContact, expiresAt: Date) -> String? {
        struct Claims: Encodable {
            var aud: String
            var exp: Int64
            var sub: String
        }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let seconds = Int64(exactly: expiresAt.timeIntervalSince1970.rounded(.down))
        guard let seconds,
            let claims = try? encoder.encode(
                Claims(aud: audience, exp: seconds, sub: contact.text))
        else { return nil }
        let header = Data(#"{"typ":"JWT","alg":"ES256"}"#.utf8)
        let message = "\(Base64URL.encode(header)).\(Base64URL.encode(claims))"
        guard let signature = key.signature(of: Data(message.utf8)) else { return nil }
        return "\(message).\(Base64URL.encode(signature))"
    }
}

/// The sender's contact address, for the operator of a push service.
public struct VAPIDContact: Sendable, Equatable {
    public static let lengthLimit = 254
    public let text: String

    /// Requires a domain with a dot, because Apple's service rejects `localhost`.
    /// - Parameter text: `mailto:` with an e-mail address, or an https URL.
    /// - Returns: nil if the text is neither.
    public init?(_ text: String) {
        guard text.utf8.count <= Self.lengthLimit,
            text.utf8.allSatisfy({ (0x21...0x7E).contains($0) && !"\"<>\\".utf8.contains($0) })
        else { return nil }
        let domain: Substring
        if text.hasPrefix("mailto:") {
            let parts = text.dropFirst("mailto:".count)
                .split(separator: "@", omittingEmptySubsequences: false)
            guard parts.count == 2, !parts[0].isEmpty else { return nil }
            domain = parts[1]
        } else {
            guard text.hasPrefix("https://"),
                let url = URL(string: text, encodingInvalidCharacters: false),
                url.user == nil, url.password == nil, let host = url.host
            else { return nil }
            domain = host[...]
        }
        let labels = domain.split(separator: ".", omittingEmptySubsequences: false)
        guard labels.count >= 2, labels.allSatisfy({ !$0.isEmpty }) else { return nil }
        self.text = text
    }
}
