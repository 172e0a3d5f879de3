import ArgumentParser
import Clients
import Domain
import Features
import Foundation

struct Invite: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Ask people without LifeSignal to be your responders.",
        subcommands: [Send.self, List.self, Withdraw.self], defaultSubcommand: Send.self)

    struct Send: ClientCommand {
        static let configuration = CommandConfiguration(
            abstract: "Ask somebody by one text message or e-mail. Needs a connection.",
            discussion: """
                The message has your name and a link on which they answer yes or no. After a yes \
                they are told of your alerts by SMS and calls, or by e-mail. No one gets a second \
                message without a yes.
                """)

        @OptionGroup var client: ClientOptions

        @Argument(help: "Their name: at most 40 letters.")
        var name: String

        @Argument(help: "Their phone number, as +15550100, or their e-mail address.")
        var recipient: String

        @Flag(help: "Use the number even if the server does not recognise it.")
        var confirm = false

        func perform(_ session: ClientSession) async throws -> Report {
            let invitation = try await client.sendNumber(isConfirmed: confirm) { isConfirmed in
                try await session.values.invitationClient.invite(
                    name, TypedRecipient(recipient), isConfirmed)
            }
            return Report(
                lines: Self.lines(about: invitation),
                json: DoneView("invitation", invitation, isWaiting: false))
        }

        static func lines(about invitation: Invitation) -> [String] {
            let name = Plain.name(invitation.name)
            let recipient = Plain.line(invitation.recipient)
            return switch invitation.state {
            case .pending: ["Invited: \(name). See `lifesignal invite list` for the answer."]
            case .accepted: ["\(name) has said yes already. No message was sent."]
            case .declined:
                [
                    "\(name) has said no. No message was sent.",
                    InvitationsFeature.newHolderWords,
                    "To take it back: lifesignal invite withdraw \(recipient)",
                ]
            }
        }
    }

    struct List: ClientCommand {
        static let configuration = CommandConfiguration(
            abstract: "Show whom you invited and what they answered. Needs a connection.")

        @OptionGroup var client: ClientOptions

        func perform(_ session: ClientSession) async throws -> Report {
            let invitations = try await session.values.invitationClient.invitations()
            return Report(
                lines: Self.lines(about: invitations, session.words),
                json: ListView(key: "invitations", items: invitations))
        }

        static func lines(about invitations: [Invitation], _ words: TimeWords) -> [String] {
            guard !invitations.isEmpty else { return ["None."] }
            let hint = InvitationsFeature.noAnswerWords(about: invitations)
            return invitations.map { $0.line(words) } + [hint].compactMap(\.self)
        }
    }

    struct Withdraw: ClientCommand {
        static let configuration = CommandConfiguration(
            abstract: "Take an invitation back. Needs a connection.")

        @OptionGroup var client: ClientOptions

        @Argument(
            help: "Their name, phone number or address, as `lifesignal invite list` prints it.")
        var person: String

        func perform(_ session: ClientSession) async throws -> Report {
            let client = session.values.invitationClient
            let found = try await client.invitations().filter {
                $0.name.lowercased() == person.lowercased() || $0.isTo(person)
            }
            guard let invitation = found.first, found.count == 1 else {
                throw CommandFailure(
                    .usage, "no-such-invitation", title: "There is no such invitation",
                    found.isEmpty
                        ? "You have not invited anyone with this name, number or address."
                        : "Several people have this name: give the number or address.",
                    "See `lifesignal invite list`.")
            }
            try await client.withdraw(invitation.id)
            return Report(
                lines: ["Taken back. Their link no longer works."],
                json: DoneView("invitation", invitation.id, isWaiting: false))
        }
    }
}

extension Invitation {
    /// The fewest digits that name a number without its country.
    private static let fewestDigits = 6

    /// Returns whether the text is the address or the number. The server, which adds the country to
    /// a national number, doesn't name it, so the number's end counts.
    func isTo(_ typed: String) -> Bool {
        guard recipient != typed else { return true }
        guard emailAddress == nil, let digits = try? PhoneNumber.digits(typed: typed) else {
            return false
        }
        guard !digits.hasPrefix("+") else { return phoneNumber == digits }
        let national = digits.drop { $0 == "0" }
        return national.count >= Self.fewestDigits && phoneNumber.hasSuffix(national)
    }

    fileprivate func line(_ times: TimeWords) -> String {
        let time = times.moment(answeredAt ?? createdAt)
        let answer = words(at: times.now)
        return "\(Plain.name(name)), \(Plain.line(recipient)): \(answer), \(time)"
    }
}
