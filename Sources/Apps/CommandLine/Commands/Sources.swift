import ArgumentParser
import Clients
import Domain
import Foundation

struct Sources: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Let a button, a tag or a program check in for you, without the app.",
        subcommands: [List.self, Add.self, Remove.self], defaultSubcommand: List.self)

    struct List: ClientCommand {
        static let configuration = CommandConfiguration(
            abstract: "Show them with their last check-in. Needs a connection.")

        @OptionGroup var client: ClientOptions

        func perform(_ session: ClientSession) async throws -> Report {
            let sources = try await session.values.sourceClient.sources()
            let words = session.words
            return Report(
                lines: sources.isEmpty
                    ? ["None. Add one: lifesignal sources add NAME"]
                    : sources.map { $0.line(words) },
                json: ListView(key: "sources", items: sources))
        }
    }

    struct Add: ClientCommand {
        static let configuration = CommandConfiguration(
            abstract: "Add a source and print its address once. Needs a connection.",
            discussion: """
                A POST request to the address checks in, at most once a minute. Anyone who has the \
                address can check in for you, so keep it secret.
                """)

        @OptionGroup var client: ClientOptions

        @Argument(help: "Its name, such as \"Kitchen button\": at most 40 characters.")
        var name: String

        func perform(_ session: ClientSession) async throws -> Report {
            let cleaned = try SourceRules.name(name)
            let added = try await session.values.sourceClient.add(cleaned)
            var report = Report(
                lines: [
                    "Added: \(Plain.line(added.source.name)). Its address is not shown again:",
                    Plain.line(added.address.absoluteString),
                ],
                json: DoneView("source", added, isWaiting: false))
            report.ifLost = """
                The source exists, but its address is lost. Remove it: lifesignal sources remove \
                \(added.source.id)
                """
            return report
        }
    }

    struct Remove: ClientCommand {
        static let configuration = CommandConfiguration(
            abstract: "Remove a source. Its address stops working. Needs a connection.")

        @OptionGroup var client: ClientOptions

        @Argument(help: "Its name or id, as `lifesignal sources` prints it.")
        var source: String

        func perform(_ session: ClientSession) async throws -> Report {
            let client = session.values.sourceClient
            let found = try await client.sources().matching(source)
            guard let removed = found.first else {
                throw CommandFailure(
                    .usage, "no-such-source", title: "There is no such source",
                    "You have no source with this name or id.", "See `lifesignal sources`.")
            }
            guard found.count == 1 else {
                let choices = found.map { $0.line(session.words) }.joined(separator: ", ")
                throw CommandFailure(
                    .usage, "ambiguous-source", title: "More than one source matches",
                    "\(choices).", "Give the id.")
            }
            try await client.remove(removed.id)
            return Report(
                lines: ["Removed. Its address no longer works."],
                json: DoneView("source", removed.id, isWaiting: false))
        }
    }
}

extension [CheckInSource] {
    /// Returns the sources with this name or id. Ignores the case of a name.
    func matching(_ text: String) -> [CheckInSource] {
        if let id = SourceID(text) { return filter { $0.id == id } }
        return filter { $0.name.lowercased() == text.lowercased() }
    }
}

extension CheckInSource {
    func line(_ words: TimeWords) -> String {
        let use = lastUsedAt.map { "checked in \(words.past($0))" } ?? "not used yet"
        return "\(Plain.line(name)) (\(use))  \(id)"
    }
}
