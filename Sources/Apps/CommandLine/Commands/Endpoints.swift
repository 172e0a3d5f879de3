import ArgumentParser
import Clients
import Domain
import Foundation

struct Endpoints: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Show the browsers, phones and webhooks that get your messages, or change them.",
        subcommands: [List.self, Add.self, Test.self, Remove.self], defaultSubcommand: List.self)

    struct List: ClientCommand {
        static let configuration = CommandConfiguration(
            abstract: "Show them with their last success and failure. Needs a connection.")

        @OptionGroup var client: ClientOptions

        func perform(_ session: ClientSession) async throws -> Report {
            let endpoints = try await session.values.notificationClient.pushEndpoints()
            let sessions = try await session.values.authClient.sessions()
            let words = session.words
            let lines = endpoints.flatMap { EndpointView($0, sessions).lines(words) }
            return Report(
                lines: lines.isEmpty
                    ? ["None. In a browser, turn on notifications in the settings."] : lines,
                json: ListView(
                    key: "endpoints", items: endpoints.map { EndpointView($0, sessions) }))
        }
    }

    struct Add: ClientCommand {
        static let configuration = CommandConfiguration(
            abstract: "Send your messages to a webhook, ntfy, Matrix or Telegram, too.",
            discussion: """
                Needs a connection. With ntfy and no address, LifeSignal invents a topic: \
                subscribe to it in the ntfy app, and keep it secret. Anyone who knows an open \
                topic can read your messages.
                """)

        @OptionGroup var client: ClientOptions

        @Argument(help: "lifesignal (signed JSON), ntfy, matrix, telegram or text (Slack).")
        var template: String

        @Argument(help: "Its address. ntfy and telegram have one to begin with.")
        var address: String?

        @Option(
            parsing: .unconditional,
            help: "The Matrix room, such as !abc:example.org, or the Telegram chat.")
        var chat: String?

        @Option(help: "A file with the access token. A command line would show it to others.")
        var tokenFile: String?

        func perform(_ session: ClientSession) async throws -> Report {
            let webhook = try Self.webhook(
                template, address, chat: chat, tokenFile: tokenFile, topic: .random())
            let added = try await session.values.notificationClient.addWebhook(webhook)
            return Report(
                lines: [
                    "Added: \(Plain.line(webhook.url.absoluteString))  \(added.id)",
                    added.signingSecret.map { "Its messages are signed with \($0)" },
                    "Try it: lifesignal endpoints test \(added.id)",
                ].compactMap(\.self),
                json: DoneView("endpoint", View(webhook, added), isWaiting: false))
        }

        private struct View: Encodable, Sendable {
            var id: PushEndpointID
            /// Has the topic that LifeSignal has invented.
            var url: URL
            var signingSecret: String?

            init(_ webhook: Webhook, _ added: AddedWebhook) {
                (id, url, signingSecret) = (added.id, webhook.url, added.signingSecret)
            }
        }

        /// Checks the arguments. The server alone knows whether it allows plain HTTP.
        static func webhook(
            _ name: String, _ address: String?, chat: String? = nil, tokenFile: String? = nil,
            topic: UUID
        ) throws -> Webhook {
            let template = WebhookTemplate(rawValue: name) ?? .unknown
            guard let url = address ?? template.suggestedURL(topic: topic) else {
                throw CommandFailure(
                    .usage, .invalidArgument, title: "The address is missing",
                    "Give the template and the address of the webhook.",
                    "See `lifesignal endpoints add --help`.")
            }
            let token = try tokenFile.map { path in
                guard let text = try? String(contentsOfFile: path, encoding: .utf8) else {
                    throw CommandFailure(
                        .usage, .invalidArgument, title: "The access token can’t be read",
                        "There is no readable file \(Plain.line(path)).")
                }
                return text.trimmingCharacters(in: .whitespacesAndNewlines)
            }
            return try Webhook(
                url: url, template: template, chat: chat, token: token, allowsPlainHTTP: true)
        }
    }

    struct Test: ClientCommand {
        static let configuration = CommandConfiguration(
            abstract: "Send a test to one of them, and show its answer. Needs a connection.")

        /// How often the answer is looked up, a second apart.
        private static let looks = 10

        @OptionGroup var client: ClientOptions

        @Argument(help: "Its id, as `lifesignal endpoints` prints it.")
        var endpoint: String

        func validate() throws {
            guard PushEndpointID(endpoint) != nil else {
                throw ValidationError("\(Plain.line(endpoint)) is not the id of an endpoint.")
            }
        }

        func perform(_ session: ClientSession) async throws -> Report {
            guard let id = PushEndpointID(endpoint) else { throw UserFacingError.unknown }
            let client = session.values.notificationClient
            let before = try await client.pushEndpoints().first { $0.id == id }
            try await client.testPushEndpoint(id)
            for _ in 0..<Self.looks {
                try await Task.sleep(for: .seconds(1))
                let after = try await client.pushEndpoints().first { $0.id == id }
                guard let after, after.hasAnswer(since: before) else { continue }
                return Report(
                    lines: [after.failureWords ?? "The service accepted the test."],
                    json: DoneView("endpoint", id, isWaiting: false))
            }
            return Report(
                lines: ["Sent. No new answer is known yet: see `lifesignal endpoints`."],
                json: DoneView("endpoint", id, isWaiting: true))
        }
    }

    struct Remove: ClientCommand {
        static let configuration = CommandConfiguration(
            abstract: "Stop messages to one of them. Needs a connection.",
            discussion: """
                A browser registers again when LifeSignal is opened there. To stop messages for \
                good, turn its notifications off there, or sign it out.
                """)

        @OptionGroup var client: ClientOptions

        @Argument(help: "Its id, as `lifesignal endpoints` prints it.")
        var endpoint: String

        func validate() throws {
            guard PushEndpointID(endpoint) != nil else {
                throw ValidationError("\(Plain.line(endpoint)) is not the id of an endpoint.")
            }
        }

        func perform(_ session: ClientSession) async throws -> Report {
            guard let id = PushEndpointID(endpoint) else { throw UserFacingError.unknown }
            try await session.values.notificationClient.removePushEndpoint(id)
            return Report(
                lines: ["Removed. It gets no more messages."],
                json: DoneView("endpoint", id, isWaiting: false))
        }
    }
}

extension PushEndpoint {
    /// Returns true if the endpoint has accepted or refused a message since an earlier look.
    func hasAnswer(since before: PushEndpoint?) -> Bool {
        lastSuccessAt != before?.lastSuccessAt || lastFailure != before?.lastFailure
    }
}

/// An endpoint as `--json` prints it. Omits the URL, because the URL is the browser's secret.
struct EndpointView: Encodable, Sendable {
    var id: PushEndpointID
    var kind: PushEndpoint.Kind
    var name: String
    var createdAt: Date
    var lastSuccessAt: Date?
    var failingSince: Date?
    var lastFailure: String?
    var template: WebhookTemplate?
    private let failureWords: String?

    enum CodingKeys: String, CodingKey {
        case id, kind, name, createdAt, lastSuccessAt, failingSince, lastFailure, template
    }

    init(_ endpoint: PushEndpoint, _ sessions: [Session]) {
        id = endpoint.id
        kind = endpoint.kind
        name = endpoint.name(among: sessions)
        createdAt = endpoint.createdAt
        lastSuccessAt = endpoint.lastSuccessAt
        failingSince = endpoint.failingSince
        lastFailure = endpoint.lastFailure
        template = endpoint.template
        failureWords = endpoint.failureWords
    }

    func lines(_ words: TimeWords) -> [String] {
        let success = lastSuccessAt.map { "last message \(words.past($0))" } ?? "no message yet"
        let since = failingSince.map { "Nothing has arrived since \(words.moment($0))." }
        let facts = [success + (failureWords == nil ? "" : "."), failureWords, since]
        return [
            "\(Plain.line(name)) (\(kind.rawValue))  \(id)",
            "  " + facts.compactMap(\.self).joined(separator: " "),
        ]
    }
}
