import ArgumentParser
import Clients
import Domain
import Foundation

struct Contacts: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Show, add, change and remove contacts.",
        subcommands: [
            List.self, Add.self, Roles.self, Order.self, Accept.self, Decline.self, Withdraw.self,
            Remove.self,
            Block.self,
            Unblock.self, Blocked.self,
        ], defaultSubcommand: List.self)

    struct List: ClientCommand {
        static let configuration = CommandConfiguration(
            abstract: "Show your contacts, with those who need help first.")

        @OptionGroup var client: ClientOptions

        @Flag(help: "Show phone numbers and emergency notes too.")
        var details = false

        func perform(_ session: ClientSession) async throws -> Report {
            let snapshot = try await session.loadSnapshot()
            let words = session.words
            var lines = ContactText.table(snapshot, words)
            if details {
                lines = zip(lines, snapshot.contactsInOrder).flatMap { line, contact in
                    let note = contact.watch.map { Plain.text($0.emergencyNote) } ?? ""
                    let noNumber = contact.isByMail ? "by e-mail" : "no number yet"
                    let plan = ContactText.plan(contact).map { "    \($0)" }
                    return [line, "    \(contact.phoneNumber?.text ?? noNumber)"]
                        + [plan].compactMap(\.self)
                        + (note.isEmpty
                            ? [] : note.components(separatedBy: "\n").map { "    \($0)" })
                }
            }
            return Report(
                lines: lines.isEmpty
                    ? ["You have no contacts yet: lifesignal qr show, or lifesignal contacts add."]
                    : lines,
                json: ListView(
                    key: "contacts",
                    items: snapshot.contactsInOrder.map {
                        ContactView($0, at: words.now, isWhole: details, in: snapshot)
                    }),
                showsCopy: true)
        }
    }

    struct Add: ClientCommand {
        static let configuration = CommandConfiguration(
            abstract: "Add the person behind a code. Needs a connection.",
            discussion:
                """
                A code is the id, the link or the picture of `lifesignal qr show`; PNG or JPEG, \
                a photo too.
                """
        )

        @OptionGroup var client: ClientOptions

        @Argument(help: "The id, the link, or the file of a picture.")
        var code: String

        @Flag(help: "They are told when you need help.")
        var responder = false

        @Flag(help: "You watch over them.")
        var dependent = false

        func validate() throws {
            guard responder || dependent else {
                throw ValidationError("Give --responder, --dependent, or both.")
            }
        }

        func perform(_ session: ClientSession) async throws -> Report {
            let roles = try ContactRoles(isResponder: responder, isDependent: dependent)
            let contact = try await session.values.contactClient.addContact(
                try await text(session), roles)
            _ = try await session.loadSnapshot()
            return Report(
                lines: [
                    """
                    \(Plain.name(contact.name)) is now your contact: \
                    \(ContactText.relation(contact)).
                    """
                ],
                json: DoneView(
                    "contact", ContactView(contact, at: session.words.now), isWaiting: false))
        }

        private func text(_ session: ClientSession) async throws -> String {
            if (try? QRCodeRules.id(in: code)) != nil { return code }
            guard FileManager.default.fileExists(atPath: code) else {
                throw CommandFailure(
                    .usage, .invalidArgument, title: "That is not a code",
                    "\(Plain.line(code)) is neither a LifeSignal code nor a file.",
                    "Give the 32 digits of a code, its link, or the file of a picture.")
            }
            guard let handle = FileHandle(forReadingAtPath: code),
                let bytes = try? handle.read(upToCount: 25_000_001), bytes.count <= 25_000_000
            else {
                throw CommandFailure(
                    .usage, .invalidArgument, title: "The picture can't be read",
                    "\(Plain.line(code)) can't be read, or is larger than 25 MB.")
            }
            return try await session.values.qrCodeClient.decode(bytes)
        }
    }

    struct Roles: ClientCommand {
        static let configuration = CommandConfiguration(
            abstract: "Change the roles of a contact.")

        @OptionGroup var client: ClientOptions

        @Argument(help: "The contact's name, the beginning of it, or their id.")
        var contact: String

        @Flag(inversion: .prefixedNo, help: "They are told when you need help.")
        var responder: Bool?

        @Flag(inversion: .prefixedNo, help: "You watch over them.")
        var dependent: Bool?

        @Flag(help: "End a role by the beginning of a name without asking first.")
        var yes = false

        func validate() throws {
            guard responder != nil || dependent != nil else {
                throw ValidationError(
                    "Give --responder, --no-responder, --dependent or --no-dependent.")
            }
        }

        func perform(_ session: ClientSession) async throws -> Report {
            let snapshot = try await session.loadSnapshot()
            let endsRole = responder == false || dependent == false
            let old = try await client.contact(
                contact, in: snapshot, yes: yes || !endsRole, "Change the roles of",
                orElse: "Nothing was changed")
            let roles = try ContactRoles(
                isResponder: responder ?? old.isWanted(.responder),
                isDependent: dependent ?? old.isWanted(.dependent))
            // Without an option, a role stays as it is when the change is sent.
            var only: ContactRole?
            if responder == nil { only = .dependent }
            if dependent == nil { only = .responder }
            let submission = try await session.note(
                session.values.contactClient.changeRoles(old.id, roles, only))
            let new = try await session.snapshot().contacts.first { $0.id == old.id } ?? old
            let loss =
                roles.isResponder ? [] : snapshot.loss(of: old, isWaiting: submission.isWaiting)
            return Report(
                lines: [
                    submission.isWaiting
                        ? "Waiting to be sent: the roles of \(Plain.name(old.name))."
                        : "\(Plain.name(new.name)) is now: \(ContactText.relation(new))."
                ] + loss,
                json: DoneView(
                    "contact", ContactView(submission.confirmed ?? new, at: session.words.now),
                    isWaiting: submission.isWaiting),
                isWaiting: submission.isWaiting)
        }
    }

    struct Remove: ClientCommand {
        static let configuration = CommandConfiguration(
            abstract: "End the relation with a contact, for both sides. Needs a connection.")

        @OptionGroup var client: ClientOptions

        @Argument(help: "The contact's name, the beginning of it, or their id.")
        var contact: String

        @Flag(help: "Don't tell them. Refused while your alert is on, or if they rely on you.")
        var quietly = false

        @Flag(help: "Remove by the beginning of a name without asking first.")
        var yes = false

        func perform(_ session: ClientSession) async throws -> Report {
            let snapshot = try await session.loadSnapshot()
            let contact = try await client.contact(
                contact, in: snapshot, yes: yes, "Remove", orElse: "Nothing was changed")
            if quietly {
                try await session.values.contactClient.removeContactQuietly(contact.id)
            } else {
                try await session.values.contactClient.removeContact(contact.id)
            }
            return Report(
                lines: ["\(Plain.name(contact.name)) is no longer your contact."]
                    + snapshot.loss(of: contact),
                json: DoneView(
                    "contact", ContactView(contact, at: session.words.now), isWaiting: false))
        }
    }
}
