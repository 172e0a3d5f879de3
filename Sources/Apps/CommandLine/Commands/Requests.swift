import ArgumentParser
import Clients
import Domain
import Foundation

struct RequestOptions: ParsableArguments {
    @Argument(help: "The contact's name, the beginning of it, or their id.")
    var contact: String

    @Flag(help: "Only the request that makes them your responder.")
    var responder = false

    @Flag(help: "Only the request that makes you their responder.")
    var dependent = false

    /// Returns the roles of the matching requests. Throws `CommandFailure` if no request matches.
    func roles(of contact: ContactData, areMine: Bool) throws -> [ContactRole] {
        let roles = contact.requests.filter { $0.isMine == areMine }.map(\.role)
            .filter { responder == dependent || $0 == (responder ? .responder : .dependent) }
        guard !roles.isEmpty else {
            throw CommandFailure(
                .usage, "no-such-request", title: "There is no such request",
                areMine
                    ? "You have no open request to \(Plain.name(contact.name))."
                    : "\(Plain.name(contact.name)) has no open request to you.",
                "See `lifesignal contacts list`.")
        }
        return roles
    }

    /// Answers or withdraws the matching requests one after the other.
    /// - Parameters:
    ///   - areMine: whether to select the user's own requests, instead of the contact's.
    ///   - answer: sends one answer, and changes the contact as the server will.
    ///   - line: returns the text of the report from the contact's name and their state afterwards.
    /// - Throws: `CommandFailure` if no request matches; errors of the client.
    func perform(
        _ session: ClientSession, areMine: Bool,
        _ answer: (ContactClient, inout ContactData, ContactRole) async throws -> Void,
        line: (String, ContactData) -> String
    ) async throws -> Report {
        var contact = try await session.loadSnapshot().contact(contact)
        for role in try roles(of: contact, areMine: areMine) {
            try await answer(session.values.contactClient, &contact, role)
        }
        return Report(
            lines: [line(Plain.name(contact.name), contact)],
            json: DoneView("contact", ContactView(contact, at: session.words.now), isWaiting: false)
        )
    }

    /// Like `perform`, for answers that give the contact no new role.
    /// - Parameter line: the first words of the report, such as `Declined`.
    func end(
        _ session: ClientSession, areMine: Bool, line: String,
        _ end: (ContactClient, UserID, ContactRole) async throws -> Void
    ) async throws -> Report {
        try await perform(session, areMine: areMine) { client, contact, role in
            try await end(client, contact.id, role)
            contact.relation[role] = .absent
        } line: { name, _ in
            "\(line). \(name) is being told."
        }
    }
}

extension Contacts {
    struct Accept: ClientCommand {
        static let configuration = CommandConfiguration(
            abstract: "Accept what a contact has asked you for. Needs a connection.")

        @OptionGroup var client: ClientOptions
        @OptionGroup var request: RequestOptions

        func perform(_ session: ClientSession) async throws -> Report {
            try await request.perform(session, areMine: false) { client, contact, role in
                contact = try await client.acceptRequest(contact.id, role)
            } line: { name, contact in
                "\(name) is now: \(ContactText.relation(contact))."
            }
        }
    }

    struct Decline: ClientCommand {
        static let configuration = CommandConfiguration(
            abstract: "Decline what a contact has asked you for. Needs a connection.")

        @OptionGroup var client: ClientOptions
        @OptionGroup var request: RequestOptions

        func perform(_ session: ClientSession) async throws -> Report {
            try await request.end(session, areMine: false, line: "Declined") {
                try await $0.declineRequest($1, $2)
            }
        }
    }

    struct Withdraw: ClientCommand {
        static let configuration = CommandConfiguration(
            abstract: "Take back what you have asked a contact for. Needs a connection.")

        @OptionGroup var client: ClientOptions
        @OptionGroup var request: RequestOptions

        func perform(_ session: ClientSession) async throws -> Report {
            try await request.end(session, areMine: true, line: "Taken back") {
                try await $0.withdrawRequest($1, $2)
            }
        }
    }

    struct Block: ClientCommand {
        static let configuration = CommandConfiguration(
            abstract: "Remove a contact, and keep them from adding, pinging or seeing you.",
            discussion: "Give the id of someone who is no longer a contact.")

        @OptionGroup var client: ClientOptions

        @Argument(help: "The contact's name, the beginning of it, or their id.")
        var contact: String

        @Flag(help: "Block by the beginning of a name without asking first.")
        var yes = false

        func perform(_ session: ClientSession) async throws -> Report {
            let snapshot = try await session.loadSnapshot()
            let id: UserID
            if let typed = UserID(contact) {
                id = typed
            } else {
                id = try await client.contact(
                    contact, in: snapshot, yes: yes, "Block", orElse: "Nothing was changed"
                ).id
            }
            let person = try await session.values.contactClient.block(id)
            let known = snapshot.contacts.first { $0.id == id }
            return Report(
                lines: ["\(Plain.name(person.name)) is blocked."]
                    + (known.map { snapshot.loss(of: $0) } ?? []),
                json: DoneView("blocked", BlockedView(person), isWaiting: false))
        }
    }

    struct Unblock: ClientCommand {
        static let configuration = CommandConfiguration(
            abstract: "Let a blocked person add you again, if you show them your code.")

        @OptionGroup var client: ClientOptions

        @Argument(help: "The person's name as it is in `contacts blocked`, or their id.")
        var person: String

        func perform(_ session: ClientSession) async throws -> Report {
            let blocked = try await session.values.contactClient.blocked()
            let typed = person.trimmingCharacters(in: .whitespaces).lowercased()
            let found = blocked.filter {
                "\($0.id)" == typed || $0.name.lowercased() == typed
            }
            guard let person = found.first, found.count == 1 else {
                throw CommandFailure(
                    .usage, "no-such-person", title: "No single person matches",
                    "\(found.count) of the people you blocked are called \(Plain.line(person)).",
                    "See `lifesignal contacts blocked`, and give the id.")
            }
            try await session.values.contactClient.unblock(person.id)
            return Report(
                lines: ["\(Plain.name(person.name)) is no longer blocked."],
                json: DoneView("unblocked", BlockedView(person), isWaiting: false))
        }
    }

    struct Blocked: ClientCommand {
        static let configuration = CommandConfiguration(
            abstract: "Show the people whom you have blocked.")

        @OptionGroup var client: ClientOptions

        func perform(_ session: ClientSession) async throws -> Report {
            let blocked = try await session.values.contactClient.blocked()
            let words = session.words
            return Report(
                lines: blocked.isEmpty
                    ? ["You have blocked no one."]
                    : blocked.map {
                        "\(Plain.name($0.name)), since \(words.moment($0.blockedAt))  \($0.id)"
                    },
                json: ListView(key: "blocked", items: blocked.map(BlockedView.init)))
        }
    }
}

struct BlockedView: Encodable, Sendable {
    var id: UserID
    var name: String
    var blockedAt: Date

    init(_ person: BlockedPerson) {
        (id, name, blockedAt) = (person.id, person.name, person.blockedAt)
    }
}
