import Foundation

/// A push endpoint of one user.
public struct PushEndpoint: Codable, Equatable, Sendable, Identifiable {
    public var id: PushEndpointID
    public var kind: Kind
    public var url: URL
    public var createdAt: Date
    /// The time when it last took something.
    public var lastSuccessAt: Date?
    /// Since when it has taken nothing; nil while it works.
    public var failingSince: Date?
    /// Why it did not take the last message, as `http-404`; nil while it works.
    public var lastFailure: String?

    public enum Kind: String, GrowingEnum, Sendable, CaseIterable {
        public static let fallback = unknown
        /// The kinds that a server knows.
        public static let allCases: [Kind] = [.webhook, .webPush]

        case webhook
        /// A browser, with the address and the keys of its subscription.
        case webPush
        /// A client's word for a kind of a newer server; never stored or sent.
        case unknown

        public var channel: DeliveryChannel {
            switch self {
            case .webhook: .webhook
            case .webPush: .webPush
            case .unknown: .unknown
            }
        }
    }

    public init(
        id: PushEndpointID, kind: Kind, url: URL, createdAt: Date, lastSuccessAt: Date? = nil,
        failingSince: Date? = nil, lastFailure: String? = nil
    ) {
        self.id = id
        self.kind = kind
        self.url = url
        self.createdAt = createdAt
        self.lastSuccessAt = lastSuccessAt
        self.failingSince = failingSince
        self.lastFailure = lastFailure
    }

    /// The most endpoints a user can have.
    public static let limit = 20
    public static let urlLength = 1...2_000

    /// The address of a webhook: https, a host, nobody's password in it. Whether the host is a
    /// private address is seen when it is connected to, because a name can be made to point
    /// anywhere at any time.
    public static func webhookURL(_ text: String, allowsPlainHTTP: Bool) throws(CommandError) -> URL
    {
        let schemes = allowsPlainHTTP ? ["https", "http"] : ["https"]
        guard urlLength.contains(text.utf8.count),
            text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }),
            let url = URL(string: text), let scheme = url.scheme?.lowercased(),
            schemes.contains(scheme),
            let host = url.host, !host.isEmpty, url.user == nil, url.password == nil
        else {
            throw .invalidArgument(
                field: "url", "A webhook has an address like https://example.org/lifesignal.")
        }
        return url
    }
}
