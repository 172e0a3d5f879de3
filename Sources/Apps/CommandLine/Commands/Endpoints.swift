import ArgumentParser
import Clients
import Domain
import Foundation

struct Endpoints: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Show the browsers, phones and webhooks that get your messages, and remove one.",
        subcommands: [List.self, Remove.self], defaultSubcommand: List.self)

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

/// An endpoint as `--json` prints it. Omits the URL, because the URL is the browser's secret.
struct EndpointView: Encodable, Sendable {
    var id: PushEndpointID
    var kind: PushEndpoint.Kind
    var name: String
    var createdAt: Date
    var lastSuccessAt: Date?
    var failingSince: Date?
    var lastFailure: String?
    private let failureWords: String?

    enum CodingKeys: String, CodingKey {
        case id, kind, name, createdAt, lastSuccessAt, failingSince, lastFailure
    }

    init(_ endpoint: PushEndpoint, _ sessions: [Session]) {
        id = endpoint.id
        kind = endpoint.kind
        name = endpoint.name(among: sessions)
        createdAt = endpoint.createdAt
        lastSuccessAt = endpoint.lastSuccessAt
        failingSince = endpoint.failingSince
        lastFailure = endpoint.lastFailure
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
