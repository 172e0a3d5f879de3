import API
import ArgumentParser
import CommandLine
import Domain
import Foundation

extension Admin {
    struct Lock: AdminCommand {
        typealias Answer = AdminDone

        static let configuration = CommandConfiguration(
            abstract: "Stop a person's invitations, requests and changes of the profile.",
            discussion: "Check-ins, schedules, journeys and alerts work as before.")

        @Argument(help: "A phone number, or the id of the account.")
        var number: String

        @OptionGroup var why: AdminReason
        @OptionGroup var admin: AdminOptions

        func request() -> AdminRequest { .lock(number: number, reason: why.reason) }
    }

    struct Unlock: AdminCommand {
        typealias Answer = AdminDone

        static let configuration = CommandConfiguration(abstract: "Lift a lock.")

        @Argument(help: "A phone number, or the id of the account.")
        var number: String

        @OptionGroup var why: AdminReason
        @OptionGroup var admin: AdminOptions

        func request() -> AdminRequest { .unlock(number: number, reason: why.reason) }
    }

    struct Delete: AdminCommand {
        typealias Answer = AdminDone

        static let configuration = CommandConfiguration(
            abstract: "Delete an account as its owner would: contacts are told.",
            discussion: """
                A last text message tells the number, and a last e-mail the confirmed address, \
                with the reason. A person without that address can't read the reason.
                """)

        @Argument(help: "A phone number, or the id of the account.")
        var number: String

        @OptionGroup var why: AdminReason
        @OptionGroup var admin: AdminOptions

        func request() -> AdminRequest { .delete(number: number, reason: why.reason) }
    }

    struct Move: AdminCommand {
        typealias Answer = AdminDone

        static let configuration = CommandConfiguration(
            abstract: "Move an account to another number, in 24 hours.",
            discussion: """
                For a person who has lost their number. All sessions and the present number are \
                told, and each can stop it. A recovery code of the person skips the wait. If the \
                new number was wrong, run it again with the right one: the 24 hours begin anew.
                """)

        @Argument(help: "The present number, or the id of the account.")
        var number: String

        @Argument(help: "The new number.")
        var new: String

        @Option(help: "A recovery code that the person tells you, to move the account now.")
        var recoveryCode: String?

        @OptionGroup var why: AdminReason
        @OptionGroup var admin: AdminOptions

        func request() -> AdminRequest {
            .move(number: number, to: new, reason: why.reason, recoveryCode: recoveryCode)
        }
    }

    struct Announce: AdminCommand {
        typealias Answer = AdminDone

        static let configuration = CommandConfiguration(
            abstract: "Tell everyone with an account, by push and in the app.")

        @Argument(help: "Up to 500 characters.")
        var text: String

        @Option(
            parsing: .upToNextOption,
            help: "Begin and end of a maintenance, as 2026-12-01T22:00:00Z 2026-12-01T23:00:00Z.")
        var maintenance: [String] = []

        @OptionGroup var why: AdminReason
        @OptionGroup var admin: AdminOptions

        func request() throws -> AdminRequest {
            .announce(text: text, maintenance: try period(), reason: why.reason)
        }

        private func period() throws -> Maintenance? {
            guard !maintenance.isEmpty else { return nil }
            guard maintenance.count == 2, let from = Timestamp.date(maintenance[0]),
                let until = Timestamp.date(maintenance[1])
            else {
                throw CommandError.invalidArgument(
                    field: "maintenance",
                    "--maintenance needs two times such as 2026-12-01T22:00:00Z.")
            }
            return Maintenance(from: from, until: until)
        }
    }

    struct Test: AdminCommand {
        typealias Answer = AdminDone

        static let configuration = CommandConfiguration(
            abstract: "Send one message, and show the provider's answer.",
            discussion: """
                Exits with 4 if the provider has not accepted the message, or if there is no \
                provider.
                """)

        @Argument(help: "sms, mail, call or push.")
        var channel: String

        @Argument(help: "A phone number or an e-mail address; for push, a person's number.")
        var to: String

        @OptionGroup var why: AdminReason
        @OptionGroup var admin: AdminOptions

        func request() throws -> AdminRequest {
            guard let channel = AdminTestChannel(rawValue: channel) else {
                throw CommandError.invalidArgument(
                    field: "channel", "A test goes by sms, mail, call or push.")
            }
            return .test(channel: channel, to: to, reason: why.reason)
        }

        func run() async throws {
            var isRefused = false
            try await perform { body in
                let answer = try WireJSON.tolerantDecoder().decode(Answer.self, from: body)
                isRefused = answer.isRefused ?? false
                Terminal.printLine(
                    admin.json ? AdminText.json(body) : Plain.line(answer.message))
            }
            if isRefused { throw ExitCode(ExitStatus.refused.rawValue) }
        }
    }

    struct Export: AdminCommand {
        typealias Answer = AccountExport

        static let configuration = CommandConfiguration(
            abstract: "Write everything about a person to a file, to move them to another server.",
            discussion: "The person is told. The file has notes and numbers: keep it secret.")

        @Argument(help: "A phone number, or the id of the account.")
        var number: String

        @Argument(help: "The file to write. It must not exist yet.")
        var file: String

        @OptionGroup var why: AdminReason
        @OptionGroup var admin: AdminOptions

        func request() throws -> AdminRequest {
            try ExportFile(path: file).make()
            return .export(number: number, reason: why.reason)
        }

        func lines(_ answer: AccountExport) -> [String] { [] }

        func run() async throws {
            Process.keepFilesPrivate()
            let wasThere = access(file, F_OK) == 0
            do {
                try await perform { body in
                    try ExportFile(path: file).fill(with: body)
                    Terminal.printLine(
                        admin.json ? #"{"message":"Exported."}"# : "Exported to \(file).")
                }
            } catch {
                if !wasThere { unlink(file) }
                throw error
            }
        }
    }

    struct Import: AdminCommand {
        typealias Answer = AdminDone

        static let configuration = CommandConfiguration(
            abstract: "Make an account from another server's export.",
            discussion: """
                Profile, schedule, preferences and check-ins are imported; sessions, secrets, \
                contacts and the picture are not.
                """)

        @Argument(help: "The file that export wrote.")
        var file: String

        @OptionGroup var why: AdminReason
        @OptionGroup var admin: AdminOptions

        func request() throws -> AdminRequest {
            guard let bytes = FileManager.default.contents(atPath: file),
                let export = try? WireJSON.tolerantDecoder().decode(
                    AccountExport.self, from: bytes)
            else {
                throw AdminFailure(
                    code: ErrorCode.invalidArgument.rawValue,
                    message: "\(file) is not an export of LifeSignal, or can't be read.",
                    status: .usage)
            }
            return .importPerson(file: export.forImport, reason: why.reason)
        }
    }
}
