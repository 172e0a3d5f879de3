import Cryptography
import Foundation

/// A browser's push address and encryption keys, as in its `PushSubscription.toJSON()`.
public struct PushSubscription: Sendable, Equatable {
    public static let endpointLength = 1...2_000
    public static let authLength = 16

    /// The address at the push service. It is a secret: some services accept messages from anyone
    /// who knows it.
    public let endpoint: URL
    /// `keys.p256dh`, the browser's public key for the key agreement.
    public let publicKey: P256.PublicKey
    /// `keys.auth`, a 16-byte secret that the push service doesn't know.
    public let auth: Data
    /// The endpoint's scheme, host and port, serialised as a Web origin (RFC 6454).
    public let origin: String

    /// - Parameters:
    ///   - endpoint: an https URL.
    ///   - p256dh: base64url, with or without padding.
    ///   - auth: base64url, with or without padding.
    ///   - allowsPlainHTTP: true to accept http, for a push service on a test server.
    public init(endpoint: String, p256dh: String, auth: String, allowsPlainHTTP: Bool = false)
        throws(PushSubscriptionError)
    {
        guard Self.endpointLength.contains(endpoint.utf8.count) else { throw .endpointLength }
        guard let url = Self.url(endpoint, allowsPlainHTTP: allowsPlainHTTP),
            let origin = Self.origin(of: url)
        else { throw .endpoint }
        guard let point = Self.bytes(of: p256dh) else { throw .p256dhEncoding }
        guard point.count == P256.PublicKey.length, point.first == 4 else { throw .p256dhLength }
        guard let publicKey = P256.PublicKey(bytes: point) else { throw .p256dhPoint }
        guard let secret = Self.bytes(of: auth) else { throw .authEncoding }
        guard secret.count == Self.authLength else { throw .authLength }
        self.endpoint = url
        self.publicKey = publicKey
        self.auth = secret
        self.origin = origin
    }

    private static func url(_ text: String, allowsPlainHTTP: Bool) -> URL? {
        guard text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }),
            let url = URL(string: text, encodingInvalidCharacters: false),
            let scheme = url.scheme?.lowercased(),
            scheme == "https" || allowsPlainHTTP && scheme == "http",
            url.user == nil, url.password == nil, url.fragment == nil
        else { return nil }
        return url
    }

    private static func origin(of url: URL) -> String? {
        guard let parts = URLComponents(url: url, resolvingAgainstBaseURL: false),
            let scheme = parts.scheme?.lowercased(),
            let host = parts.encodedHost?.lowercased(), !host.isEmpty
        else { return nil }
        guard parts.rangeOfPort != nil else { return "\(scheme)://\(host)" }
        guard let port = parts.port, (1...65_535).contains(port) else { return nil }
        let isDefault = port == (scheme == "https" ? 443 : 80)
        return isDefault ? "\(scheme)://\(host)" : "\(scheme)://\(host):\(port)"
    }

    /// Decodes base64url text. Rejects text that is much longer than a public key.
    private static func bytes(of text: String) -> Data? {
        text.utf8.count <= 176 ? Base64URL.decode(text) : Data()
    }
}

/// The invalid part of a subscription. The description omits its value, because an endpoint is a
/// secret.
public enum PushSubscriptionError: Error, Equatable, Sendable, CaseIterable,
    CustomStringConvertible
{
    case endpointLength
    case endpoint
    case p256dhEncoding
    case p256dhLength
    case p256dhPoint
    case authEncoding
    case authLength

    /// The path of the invalid part in the browser's JSON.
    public var field: String {
        switch self {
        case .endpointLength, .endpoint: "endpoint"
        case .p256dhEncoding, .p256dhLength, .p256dhPoint: "keys.p256dh"
        case .authEncoding, .authLength: "keys.auth"
        }
    }

    public var description: String {
        switch self {
        case .endpointLength: "The endpoint must have 1 to 2000 characters."
        case .endpoint: "The endpoint must be an https URL without user name and fragment."
        case .p256dhEncoding: "The key p256dh must be base64url."
        case .p256dhLength: "The key p256dh must be an uncompressed point of 65 bytes."
        case .p256dhPoint: "The key p256dh must be a point on the curve P-256."
        case .authEncoding: "The key auth must be base64url."
        case .authLength: "The key auth must have 16 bytes."
        }
    }
}
