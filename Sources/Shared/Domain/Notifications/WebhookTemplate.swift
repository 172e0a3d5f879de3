import Foundation

/// The service that a webhook's messages are written for.
public enum WebhookTemplate: String, GrowingEnum, Sendable, CaseIterable {
    public static let fallback = unknown
    /// The templates that a server sends.
    public static let allCases: [WebhookTemplate] = [.lifesignal, .ntfy, .matrix, .telegram, .text]

    /// The notification as signed JSON (api.md, "Webhooks").
    case lifesignal
    case ntfy
    case matrix
    case telegram
    /// `{"text": …}`, as the incoming webhooks of Slack, Mattermost and Rocket.Chat take it.
    case text
    case unknown

    /// The name in lists and forms.
    public var title: String {
        switch self {
        case .lifesignal: "Signed JSON"
        case .ntfy: "ntfy"
        case .matrix: "Matrix"
        case .telegram: "Telegram"
        case .text: "Slack or Mattermost"
        case .unknown: "A webhook"
        }
    }

    public var usesToken: Bool { [.ntfy, .matrix, .telegram].contains(self) }
    public var needsToken: Bool { [.matrix, .telegram].contains(self) }
    /// True if the address doesn't name the place of the messages.
    public var needsChat: Bool { [.matrix, .telegram].contains(self) }
    /// True if the address names a server, and the path is the template's.
    var addressIsServer: Bool { [.matrix, .telegram].contains(self) }

    /// An address to begin with; nil if each person has their own.
    /// - Parameter topic: an id that can't be guessed.
    public func suggestedURL(topic: UUID) -> String? {
        switch self {
        case .ntfy:
            let name = topic.uuidString.lowercased().replacing("-", with: "")
            return "https://ntfy.sh/lifesignal-\(name)"
        case .telegram: return "https://api.telegram.org"
        case .lifesignal, .matrix, .text, .unknown: return nil
        }
    }
}

/// A webhook that was just added.
public struct AddedWebhook: Equatable, Sendable {
    public var id: PushEndpointID
    /// The secret that signs the messages; nil for templates without a signature.
    public var signingSecret: String?

    public init(id: PushEndpointID, signingSecret: String? = nil) {
        self.id = id
        self.signingSecret = signingSecret
    }
}

/// A webhook's address and the form of its messages.
public struct Webhook: Equatable, Sendable {
    public var url: URL
    public var template: WebhookTemplate
    /// The Matrix room or the Telegram chat.
    public var chat: String?
    /// The access token of the service.
    public var token: String?

    public static let chatLength = 1...255
    public static let tokenLength = 1...1_000

    /// A webhook for programs that check the signature.
    public init(url: URL) {
        self.url = url
        template = .lifesignal
    }

    /// Checks what a person has entered. Throws `invalidArgument`, which names the field.
    public init(
        url text: String, template: WebhookTemplate, chat: String? = nil, token: String? = nil,
        allowsPlainHTTP: Bool
    ) throws(CommandError) {
        guard WebhookTemplate.allCases.contains(template) else {
            throw .invalidArgument(field: "template", RefusalWords.webhookTemplate.detail)
        }
        url = try PushEndpoint.webhookURL(text, allowsPlainHTTP: allowsPlainHTTP)
        self.template = template
        self.chat = chat
        self.token = token
        guard hasAddressOfTemplate else {
            let words: RefusalWords = template == .ntfy ? .ntfyAddress : .webhookServer
            throw .invalidArgument(field: "url", words.detail)
        }
        guard isChatValid else {
            let words: RefusalWords =
                switch template {
                case .matrix: .matrixRoom
                case .telegram: .telegramChat
                default: .noWebhookChat
                }
            throw .invalidArgument(field: "chat", words.detail)
        }
        guard isTokenValid else {
            let words: RefusalWords =
                switch template {
                case .telegram: .telegramToken
                case .matrix, .ntfy: .webhookToken
                default: .noWebhookToken
                }
            throw .invalidArgument(field: "token", words.detail)
        }
    }

    private var hasAddressOfTemplate: Bool {
        guard template == .ntfy || template.addressIsServer else { return true }
        guard url.query == nil, url.fragment == nil else { return false }
        return template == .ntfy ? ntfyTopic != nil : ["", "/"].contains(url.path)
    }

    /// The topic in the address; nil if the address isn't one of ntfy.
    public var ntfyTopic: String? {
        // ntfy's own pattern of a topic.
        url.path.wholeMatch(of: /\/([A-Za-z0-9_\-]{1,64})/).map { String($0.1) }
    }

    private var isChatValid: Bool {
        guard template.needsChat else { return chat == nil }
        guard let chat, Self.chatLength.contains(chat.utf8.count) else { return false }
        return template == .matrix
            ? chat.utf8.count > 1 && chat.hasPrefix("!") && Self.isPrintable(chat)
            : chat.wholeMatch(of: /(?:-)?[0-9]{1,20}|@[A-Za-z][A-Za-z0-9_]{3,31}/) != nil
    }

    private var isTokenValid: Bool {
        guard let token else { return !template.needsToken }
        guard template.usesToken, Self.tokenLength.contains(token.utf8.count) else { return false }
        // The token becomes a part of Telegram's path, and else a header.
        return template == .telegram
            ? token.wholeMatch(of: /[0-9]{1,20}:[A-Za-z0-9_\-]{20,100}/) != nil
            : Self.isPrintable(token)
    }

    private static func isPrintable(_ text: String) -> Bool {
        text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
    }
}
