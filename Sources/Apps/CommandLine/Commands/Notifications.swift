import ArgumentParser
import Clients
import Domain
import Foundation

struct Notifications: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Show what you were told, and mark it as read.",
        subcommands: [List.self, Read.self], defaultSubcommand: List.self)

    struct List: ClientCommand {
        static let configuration = CommandConfiguration(
            abstract: "Show what you were told, newest first.")

        @OptionGroup var client: ClientOptions

        @Flag(help: "Only what you have not read.")
        var unread = false

        @Option(help: "How many.")
        var limit = 20

        func validate() throws {
            guard (1...1_000).contains(limit) else {
                throw ValidationError("--limit is 1 to 1000.")
            }
        }

        func perform(_ session: ClientSession) async throws -> Report {
            let snapshot = try await session.loadSnapshot()
            let words = session.words
            let items = Array((unread ? snapshot.unread : snapshot.notifications).prefix(limit))
            let lines = items.map {
                """
                \($0.readAt == nil ? "*" : " ") \(words.moment($0.createdAt))  \
                \(Plain.line($0.title)): \(Plain.line($0.body))
                """
            }
            return Report(
                lines: lines.isEmpty
                    ? [unread ? "There is nothing new." : "There is nothing."]
                    : lines + Notifications.settings(items.map(\.body)),
                json: ListView(key: "notifications", items: items), showsCopy: true)
        }
    }

    /// Returns a line with the commands for the apps' Settings, if a text names those.
    static func settings(_ texts: [String]) -> [String] {
        guard texts.contains(where: { $0.contains("in Settings") }) else { return [] }
        // This command replaces the codes, so only advice to make some names it.
        let namesCodes = texts.contains {
            $0.contains("new codes in Settings") || $0.contains("make others in Settings")
        }
        let codes = namesCodes ? "lifesignal recovery-codes, " : ""
        return [
            """
            "In Settings" is in a terminal: lifesignal sign-in-lock, lifesignal passkeys, \
            \(codes)lifesignal administrators.
            """
        ]
    }

    struct Read: ClientCommand {
        static let configuration = CommandConfiguration(abstract: "Mark notifications as read.")

        @OptionGroup var client: ClientOptions

        @Argument(help: "Its id, as --json prints it.")
        var notification: String?

        @Flag(help: "All of them.")
        var all = false

        func validate() throws {
            guard (notification != nil) != all else {
                throw ValidationError("Give an id or --all.")
            }
            if let notification, NotificationID(notification) == nil {
                throw ValidationError(
                    "\(Plain.line(notification)) is not the id of a notification.")
            }
        }

        func perform(_ session: ClientSession) async throws -> Report {
            if let id = notification.flatMap({ NotificationID($0) }) {
                try await session.values.notificationClient.markAsRead(id)
            } else {
                _ = try await session.loadSnapshot()
                try await session.values.notificationClient.markAllAsRead()
            }
            let isWaiting = await session.isWaiting(.markAsRead)
            let unread = try await session.snapshot().unread.count
            return Report(
                lines: [
                    isWaiting ? "Waiting to be sent: what you have read." : "Read. \(unread) left."
                ],
                json: DoneView("unread", unread, isWaiting: isWaiting), isWaiting: isWaiting)
        }
    }
}
