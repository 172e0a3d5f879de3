import Foundation

public struct PushEndpoint: Codable, Equatable, Sendable, Identifiable {
    public var id: PushEndpointID
    public var kind: Kind
    public var url: URL
    public var createdAt: Date
    public var lastSuccessAt: Date?
    /// When the endpoint began to fail; nil while it works.
    public var failingSince: Date?
    /// Why the last message failed, such as `http-404`; nil while the endpoint works.
    public var lastFailure: String?
    /// The form of a webhook's messages; nil for signed JSON and for other kinds.
    public var template: WebhookTemplate?
    /// The Matrix room or Telegram chat of a webhook.
    public var chat: String?
    /// True if the endpoint is removed with the reader's session; nil otherwise, and in exports.
    public var endsWithSession: Bool?

    public enum Kind: String, GrowingEnum, Sendable, CaseIterable {
        public static let fallback = unknown
        /// The kinds that a server sends.
        public static let allCases: [Kind] = [.webhook, .webPush, .apns, .fcm]

        case webhook
        /// A browser with a push subscription.
        case webPush
        /// An app on an Apple device, with a token from Apple's push service.
        case apns
        /// An app on an Android device, with a token from Firebase Cloud Messaging.
        case fcm
        case unknown

        public var channel: DeliveryChannel {
            switch self {
            case .webhook: .webhook
            case .webPush: .webPush
            case .apns: .apns
            case .fcm: .fcm
            case .unknown: .unknown
            }
        }
    }

    public init(
        id: PushEndpointID, kind: Kind, url: URL, createdAt: Date, lastSuccessAt: Date? = nil,
        failingSince: Date? = nil, lastFailure: String? = nil, template: WebhookTemplate? = nil,
        chat: String? = nil
    ) {
        self.id = id
        self.kind = kind
        self.url = url
        self.createdAt = createdAt
        self.lastSuccessAt = lastSuccessAt
        self.failingSince = failingSince
        self.lastFailure = lastFailure
        self.template = template
        self.chat = chat
    }

    /// The most endpoints a user can have.
    public static let limit = 20
    public static let urlLength = 1...2_000
    /// The User-Agent of all messages to webhooks and browsers.
    public static let userAgent = "LifeSignal"

    /// Parses the address of a webhook: https, a host, no user name or password. Private addresses
    /// are rejected when the server connects. An earlier check would prove nothing, because a host
    /// name can change its address.
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
                field: "url", "A webhook has an address that begins with https://.")
        }
        return url
    }
}

extension PushEndpoint {
    /// Returns the endpoint id of a session's browser. Lists use the id to find the session's name
    /// and the reader's own browser.
    public static func id(ofBrowserIn session: SessionID) -> PushEndpointID {
        PushEndpointID(session.uuid)
    }

    /// - Parameter sessions: the user's sessions.
    public func name(among sessions: [Session]) -> String {
        if let session = sessions.first(where: { Self.id(ofBrowserIn: $0.id) == id }) {
            return session.deviceName
        }
        if kind == .webhook {
            let host = url.host ?? "A webhook"
            return template.map { "\($0.title) at \(host)" } ?? host
        }
        return kind == .webPush ? "A browser" : "Another device"
    }

    /// Why the last message failed; nil while the endpoint works.
    public var failureWords: String? {
        guard failingSince != nil || lastFailure != nil else { return nil }
        let parts = (lastFailure ?? "").split(separator: "-")
        if parts.count == 2, parts[0] == "http", let status = Int(parts[1]) {
            return switch status {
            case 401 where usesToken: "It refused the access token (401)."
            case 403 where usesToken: "The access token may not write there (403)."
            case 400 where template == .telegram: "It does not know the chat (400)."
            case 404 where template == .telegram: "It does not know the bot (404)."
            case 404, 410: "It says that it no longer exists (\(status))."
            case 429: "It gets too many messages at the moment."
            case 500...: "It reported an error (\(status))."
            default: "It refused the last message (\(status))."
            }
        }
        return switch lastFailure.flatMap(DeliveryReason.Kind.init) {
        case .timeout: "It did not answer in time."
        case .unresolved: "Its address was not found."
        case .notConnected, .connectionRefused, .interrupted: "It can’t be reached."
        case .insecure: "Its connection is not secure."
        case .privateAddress: "Its address is a private one."
        case .unreadableKeys where kind == .webhook:
            "The server can’t read its access token any more. Add it again."
        case .unconfirmed where template != nil: "It did not confirm the last message."
        default: "It refused the last message."
        }
    }

    private var usesToken: Bool { template?.usesToken == true }
}
