import ArgumentParser
import Clients
import Domain
import Foundation

struct Email: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Show and change the e-mail address that alerts go to.",
        subcommands: [Show.self, Set.self, Confirm.self, Remove.self],
        defaultSubcommand: Show.self)

    static func report(_ status: EmailStatus, _ words: TimeWords) -> Report {
        var lines: [String] = []
        if let address = status.address {
            let failing = status.failingSince.map { "; no such mailbox since \(words.moment($0))" }
            lines.append("E-mail: \(Plain.line(address))\(failing ?? "")")
        }
        if let address = status.unverifiedAddress {
            lines.append(
                "\(Plain.line(address)) waits for its code: lifesignal email confirm CODE")
        }
        return Report(
            lines: lines.isEmpty ? ["E-mail: none"] : lines,
            json: DoneView("email", status, isWaiting: false))
    }

    struct Show: ClientCommand {
        static let configuration = CommandConfiguration(abstract: "Show the address.")

        @OptionGroup var client: ClientOptions

        func perform(_ session: ClientSession) async throws -> Report {
            Email.report(
                try await session.values.userClient.emailStatus(), session.words)
        }
    }

    struct Set: ClientCommand {
        static let configuration = CommandConfiguration(
            abstract: "Enter an address. A code goes there.",
            discussion: """
                It goes there once. If it does not arrive, someone may have entered this address \
                before: enter it again in \(EmailRules.daysUntilSecondMessage) days for one more \
                message.
                """)

        @OptionGroup var client: ClientOptions

        @Argument(help: "Like ana@example.org.")
        var address: String

        func perform(_ session: ClientSession) async throws -> Report {
            let address = try EmailAddress(address).text
            return Email.report(
                try await session.values.userClient.setEmailAddress(address), session.words)
        }
    }

    struct Confirm: ClientCommand {
        static let configuration = CommandConfiguration(
            abstract: "Confirm the address with the code from the message.")

        @OptionGroup var client: ClientOptions

        @Argument(help: "6 digits.")
        var code: String

        func perform(_ session: ClientSession) async throws -> Report {
            let code = try SignInRules.code(code)
            return Email.report(
                try await session.values.userClient.confirmEmailAddress(code), session.words)
        }
    }

    struct Remove: ClientCommand {
        static let configuration = CommandConfiguration(abstract: "Remove the address.")

        @OptionGroup var client: ClientOptions

        func perform(_ session: ClientSession) async throws -> Report {
            try await session.values.userClient.removeEmailAddress()
            return Email.report(EmailStatus(), session.words)
        }
    }
}
