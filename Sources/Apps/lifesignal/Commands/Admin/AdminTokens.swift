import ArgumentParser
import CommandLine
import Domain
import Foundation
import QRCode

extension Admin {
    struct Invite: AdminCommand {
        typealias Answer = AdminInvitation

        static let configuration = CommandConfiguration(
            abstract: "Make a token for signing up, and print its link once.",
            discussion: """
                With a number, the token signs this number in once, without a text message. \
                Without one, it opens new accounts.
                """)

        @Argument(help: "The phone number that the token signs in.")
        var number: String?

        @Option(help: "How many accounts it opens.")
        var uses = 1

        @Option(help: "How many days it is valid.")
        var days = 7

        @Option(help: "A note for the list of tokens, up to 100 characters.")
        var note = ""

        @Option(help: "The PNG file to write with the link as a QR code.")
        var qr: String?

        @OptionGroup var why: AdminReason
        @OptionGroup var admin: AdminOptions

        func validate() throws {
            // The picture may be of another token, whose link can't be printed again.
            if let qr, access(qr, F_OK) == 0 {
                throw ValidationError("\(Plain.line(qr)) exists. Give --qr another file.")
            }
        }

        func request() -> AdminRequest {
            .invite(number: number, uses: uses, days: days, note: note, reason: why.reason)
        }

        func lines(_ answer: AdminInvitation) -> [String] {
            [answer.link.absoluteString, "Anyone who has this link can use it. Id: \(answer.id)"]
        }

        func run() async throws {
            Process.keepFilesPrivate()
            try await perform { body in
                let answer = try WireJSON.tolerantDecoder().decode(AdminInvitation.self, from: body)
                if admin.json {
                    Terminal.printLine(AdminText.json(body))
                } else {
                    for line in lines(answer) { Terminal.printLine(Plain.line(line)) }
                }
                guard let qr else { return }
                // Written last, because the link can't be printed again.
                let image = try QRCode.encode(answer.link.absoluteString)
                do {
                    try image.png.write(to: URL(fileURLWithPath: qr), options: .withoutOverwriting)
                } catch {
                    throw AdminFailure(
                        code: "storage", message: "\(qr) can't be written.", status: .failed)
                }
            }
        }
    }

    struct Tokens: AdminCommand {
        typealias Answer = AdminTokens

        static let configuration = CommandConfiguration(
            abstract: "List the tokens for signing up, without their links.")

        @OptionGroup var admin: AdminOptions

        func request() -> AdminRequest { .tokens }

        func lines(_ answer: AdminTokens) -> [String] {
            guard !answer.tokens.isEmpty else { return ["No tokens."] }
            return answer.tokens.map { token in
                let subject = token.phoneNumber.map { "for \($0)" } ?? "for new accounts"
                let end = token.isUsable ? "until \(AdminText.time(token.expiresAt))" : "ended"
                return "\(token.id)  \(token.used) of \(token.uses) used  \(subject)  \(end)"
                    + (token.note.isEmpty ? "" : "  \(token.note)")
            }
        }
    }

    struct Revoke: AdminCommand {
        typealias Answer = AdminDone

        static let configuration = CommandConfiguration(
            abstract: "End a token. Accounts that it has opened stay.")

        @Argument(help: "The token's id, as tokens prints it.")
        var id: String

        @OptionGroup var why: AdminReason
        @OptionGroup var admin: AdminOptions

        func request() -> AdminRequest { .revoke(id: id, reason: why.reason) }
    }
}
