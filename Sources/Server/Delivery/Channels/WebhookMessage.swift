import Domain
import Foundation
import HTTPClient
import Persistence
import WebText

/// A message in the form that another service expects. It contains no more about people than the
/// notification, and no secret link, because everyone in a chat or at a topic can read it.
struct WebhookMessage {
    let delivery: LeasedDelivery
    let url: URL
    /// The access token; nil for a service without one.
    let token: String?
    let publicURL: URL

    private static let maximalPriority = 5
    private static let highPriority = 4
    private static let usualPriority = 3

    /// Returns the request of one attempt; nil if the endpoint's parameters make none.
    func request() throws -> OutgoingRequest? {
        switch delivery.webhook.template {
        case .ntfy: try ntfy()
        case .matrix: try matrix()
        case .telegram: try telegram()
        case .text: request(to: url, body: try encoded(TextBody(text: escapedText)))
        case .lifesignal, .unknown: nil
        }
    }

    // MARK: ntfy

    private struct NtfyBody: Encodable {
        struct Action: Encodable {
            var action = "view"
            var label: String
            var url: String
        }

        var topic: String
        var title: String
        var message: String
        var priority: Int
        var click: String
        var actions: [Action]
    }

    /// JSON is published at the server's root (https://docs.ntfy.sh/publish/#publish-as-json).
    private func ntfy() throws -> OutgoingRequest? {
        guard let topic = Webhook(url: url).ntfyTopic, let root = URL(string: server + "/") else {
            return nil
        }
        let item = delivery.record.notification
        // The page asks for the sign-in. A button that answers would be a secret for all readers.
        let actions =
            PushPayload.actions(for: delivery).contains(.acknowledgeAlert)
            ? [NtfyBody.Action(label: "Open to say “I’m on it”", url: page.absoluteString)] : []
        let body = NtfyBody(
            topic: topic, title: item.title, message: item.body, priority: priority,
            click: page.absoluteString, actions: actions)
        return request(to: root, body: try encoded(body), bearer: token)
    }

    private var priority: Int {
        switch delivery.purpose {
        case .alertBegin, .alertRepeat, .alertUntaken: Self.maximalPriority
        case .alertNews, .alertEnd, .drill, .lastCall, .journey, .ping: Self.highPriority
        case .reminder, .test, .other: Self.usualPriority
        }
    }

    // MARK: Matrix

    private struct MatrixBody: Encodable {
        /// Without this field, "@room" in a name would notify the whole room.
        struct Mentions: Encodable {}

        enum CodingKeys: String, CodingKey {
            case body, msgtype
            case mentions = "m.mentions"
        }

        var msgtype = "m.text"
        var body: String
        var mentions = Mentions()
    }

    /// The delivery's id is the transaction's, so that the server drops a repeated message.
    private func matrix() throws -> OutgoingRequest? {
        guard let chat = delivery.webhook.chat, let token else { return nil }
        let path =
            "/_matrix/client/v3/rooms/\(PercentEncoding.unreserved(chat))/send/m.room.message/"
            + "\(delivery.record.id)"
        guard let url = URL(string: server + path) else { return nil }
        return request(
            "PUT", to: url, body: try encoded(MatrixBody(body: text)), bearer: token)
    }

    // MARK: Telegram

    private struct TelegramBody: Encodable {
        struct Preview: Encodable {
            enum CodingKeys: String, CodingKey { case isDisabled = "is_disabled" }

            var isDisabled = true
        }

        enum CodingKeys: String, CodingKey {
            case chat = "chat_id"
            case text
            case preview = "link_preview_options"
        }

        var chat: String
        var text: String
        /// Telegram's servers would open the link for a preview.
        var preview = Preview()
    }

    private func telegram() throws -> OutgoingRequest? {
        guard let chat = delivery.webhook.chat, let token,
            let url = URL(string: "\(server)/bot\(token)/sendMessage")
        else { return nil }
        return request(to: url, body: try encoded(TelegramBody(chat: chat, text: text)))
    }

    // MARK: Text

    private struct TextBody: Encodable { var text: String }

    private var text: String {
        let item = delivery.record.notification
        return "\(item.title)\n\(item.body)\n\(page.absoluteString)"
    }

    /// Keeps a person's name from acting in a chat. Slack reads `<!channel>`, and Mattermost
    /// `@channel`, as a call to everyone. Mattermost loads the picture of `![](…)`. Older servers
    /// have stored such names.
    private var escapedText: String {
        text.replacing("&", with: "&amp;").replacing("<", with: "&lt;")
            .replacing(">", with: "&gt;").replacing("@", with: "@\u{200B}")
            .replacing("](", with: "]\u{200B}(")
    }

    // MARK: Parts of a request

    /// The page that a tap opens, which needs a sign-in.
    private var page: URL {
        delivery.record.notification.alertID.map {
            publicURL.appendingPathComponent("alerts/\($0)")
        } ?? publicURL
    }

    /// The address without its path.
    private var server: String {
        var parts = URLComponents()
        parts.scheme = url.scheme
        parts.encodedHost = URLComponents(url: url, resolvingAgainstBaseURL: false)?.encodedHost
        parts.port = url.port
        return parts.string ?? ""
    }

    private func encoded(_ body: some Encodable) throws -> Data {
        try WireJSON.encoder().encode(body)
    }

    private func request(
        _ method: String = "POST", to url: URL, body: Data, bearer: String? = nil
    ) -> OutgoingRequest {
        var headers: [(name: String, value: String)] = [
            ("Content-Type", "application/json"), ("User-Agent", PushEndpoint.userAgent),
        ]
        if let bearer { headers.append(("Authorization", "Bearer \(bearer)")) }
        // A message that arrives twice is better than one that is lost.
        return OutgoingRequest(
            method: method, url: url, headers: headers, body: body, isRepeatable: true)
    }
}

/// What a service has answered to a webhook's message.
struct WebhookAnswer {
    private struct Body: Decodable {
        struct Parameters: Decodable { var retryAfter: Double? }

        /// From ntfy.
        var id: String?
        /// From Matrix.
        var eventId: String?
        var retryAfterMs: Double?
        /// From Telegram.
        var ok: Bool?
        var parameters: Parameters?
    }

    private static let longestPause: Double = 86_400

    private let template: WebhookTemplate
    private let status: Int
    private let body: Body?
    private let retryAfter: Duration

    init(template: WebhookTemplate, status: Int, body: Data, retryAfter: Duration = .zero) {
        self.template = template
        self.status = status
        self.retryAfter = retryAfter
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        self.body = try? decoder.decode(Body.self, from: body)
    }

    /// A wrong token, room or topic is reported like a missing endpoint: its owner is told at once,
    /// and retries continue, because the owner can correct it. Telegram answers 400 for a chat that
    /// it doesn't know.
    var result: DeliveryResult {
        switch status {
        case 200..<300: isConfirmed ? .accepted(providerID: nil) : .failed(.unconfirmed)
        case 401, 403, 404, 410: .gone(.http(status))
        case 400 where template == .telegram: .gone(.http(status))
        case 408, 425, 429: .failed(.http(status), after: pause)
        case 300..<500: .refused(.http(status))
        default: .failed(.http(status), after: pause)
        }
    }

    /// A page at a wrong address may answer 200, too.
    private var isConfirmed: Bool {
        switch template {
        case .ntfy: body?.id != nil
        case .matrix: body?.eventId != nil
        case .telegram: body?.ok == true
        case .text, .lifesignal, .unknown: true
        }
    }

    /// The longest back-off that the service asks for. Matrix and Telegram name it in the body.
    private var pause: Duration {
        let milliseconds = body?.retryAfterMs.map { $0 / 1_000 }
        let seconds = [milliseconds, body?.parameters?.retryAfter].compactMap(\.self)
            .map { min(max($0, 0), Self.longestPause) }.max()
        return max(retryAfter, seconds.map { Duration.seconds($0) } ?? .zero)
    }
}
