import Clients
import ComposableArchitecture
import Domain
import Foundation

/// The form that adds a webhook.
@Reducer
public struct WebhookFeature: Sendable {
    @ObservableState
    public struct State: Equatable, Sendable {
        /// nil while the form is closed.
        public var form: Form?
        public var isAdding: Bool
        public var error: UserFacingError?

        public init(form: Form? = nil, isAdding: Bool = false, error: UserFacingError? = nil) {
            self.form = form
            self.isAdding = isAdding
            self.error = error
        }
    }

    public struct Form: Equatable, Sendable {
        public var template: WebhookTemplate
        public var url: String
        public var chat: String
        public var token: String

        public init(
            template: WebhookTemplate = .ntfy, url: String = "", chat: String = "",
            token: String = ""
        ) {
            self.template = template
            self.url = url
            self.chat = chat
            self.token = token
        }
    }

    public enum Action: Equatable, Sendable {
        case openButtonTapped
        case closeButtonTapped
        case templateChosen(WebhookTemplate)
        case urlChanged(String)
        case chatChanged(String)
        case tokenChanged(String)
        case addButtonTapped
        case addResponse(Result<AddedWebhook, UserFacingError>)
        case dismissError
    }

    @Dependency(\.notificationClient) private var notificationClient
    @Dependency(\.uuid) private var uuid

    public init() {}

    public var body: some ReducerOf<Self> {
        Reduce { state, action in
            switch action {
            case .openButtonTapped:
                guard state.form == nil else { return .none }
                choose(.ntfy, &state)
                return .none
            case .closeButtonTapped:
                guard !state.isAdding else { return .none }
                state.form = nil
                state.error = nil
                return .none
            case .templateChosen(let template):
                guard !state.isAdding, state.form?.template != template else { return .none }
                choose(template, &state)
                return .none
            case .urlChanged(let url):
                if !state.isAdding { state.form?.url = url }
                return .none
            case .chatChanged(let chat):
                if !state.isAdding { state.form?.chat = chat }
                return .none
            case .tokenChanged(let token):
                if !state.isAdding { state.form?.token = token }
                return .none
            case .addButtonTapped:
                return add(&state)
            case .addResponse(.success):
                state.isAdding = false
                state.form = nil
                return .none
            case .addResponse(.failure(let error)):
                state.isAdding = false
                state.error = error
                return .none
            case .dismissError:
                state.error = nil
                return .none
            }
        }
    }

    /// Begins an empty form, because a token must not go to another service.
    private func choose(_ template: WebhookTemplate, _ state: inout State) {
        state.form = Form(template: template, url: template.suggestedURL(topic: uuid()) ?? "")
        state.error = nil
    }

    /// Sends the form. The request continues when the screen disappears.
    private func add(_ state: inout State) -> Effect<Action> {
        guard let form = state.form, !state.isAdding else { return .none }
        let webhook: Webhook
        do {
            webhook = try form.webhook()
        } catch {
            state.error = UserFacingError(catching: error)
            return .none
        }
        state.isAdding = true
        state.error = nil
        return .run { [notificationClient] send in
            await send(
                .addResponse(
                    .userFacing { try await notificationClient.addWebhook(webhook: webhook) }))
        }
    }
}

extension WebhookFeature.Form {
    /// Checks the form. The server alone knows whether it allows plain HTTP.
    func webhook() throws(CommandError) -> Webhook {
        try Webhook(
            url: Self.trimmed(url), template: template,
            chat: template.needsChat ? Self.trimmed(chat) : nil,
            token: template.usesToken ? Self.value(token) : nil, allowsPlainHTTP: true)
    }

    private static func trimmed(_ text: String) -> String {
        text.trimmingCharacters(in: .whitespacesAndNewlines)
    }

    private static func value(_ text: String) -> String? {
        let text = trimmed(text)
        return text.isEmpty ? nil : text
    }

    public var addressTitle: String {
        template.needsChat ? "Address of the server" : "Address"
    }

    public var addressHint: String {
        switch template {
        case .ntfy:
            """
            Subscribe to this topic in the ntfy app. Anyone who knows an open topic can read your \
            messages, so keep it secret, or use an access token.
            """
        case .matrix: "Such as https://matrix.example.org. The room must not be encrypted."
        case .telegram: "Change it only if you run a server of your own."
        case .text: "The incoming webhook that Slack, Mattermost or Rocket.Chat shows."
        case .lifesignal, .unknown: ""
        }
    }

    public var chatTitle: String { template == .matrix ? "Id of the room" : "Chat" }

    public var chatHint: String {
        template == .matrix
            ? "Such as !abc:example.org." : "A number, or the @name of a channel."
    }

    public var tokenTitle: String { template == .telegram ? "Token of the bot" : "Access token" }

    public var tokenHint: String {
        template.needsToken
            ? "It is stored encrypted." : "Only for a protected topic. It is stored encrypted."
    }
}

extension WebhookFeature {
    /// Signed JSON is for programs, which register themselves.
    public static let templates = WebhookTemplate.allCases.filter { $0 != .lifesignal }
    public static let openWords = "Send messages to another service"
    public static let templateTitle = "Service"
    public static let closeWords = "Cancel"
}

extension WebhookFeature.State {
    public var template: WebhookTemplate { form?.template ?? .ntfy }
    public var url: String { form?.url ?? "" }
    public var chat: String { form?.chat ?? "" }
    public var token: String { form?.token ?? "" }
    public var addWords: String { isAdding ? "Adding …" : "Add this service" }
}
