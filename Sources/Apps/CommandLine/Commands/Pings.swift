import ArgumentParser
import Clients
import Domain
import Foundation

struct Ping: ClientCommand {
    static let configuration = CommandConfiguration(
        abstract: "Ask someone you watch over whether they are fine.")

    @OptionGroup var client: ClientOptions

    @Argument(help: "The contact's name, the beginning of it, or their id.")
    var contact: String

    @Flag(help: "Take the ping back.")
    var clear = false

    func perform(_ session: ClientSession) async throws -> Report {
        let contact = try await session.contact(contact)
        let name = Plain.name(contact.name)
        if clear { return try await takeBack(contact, session) }
        let submission = try await session.note(session.values.pingClient.pingDependent(contact.id))
        // Only the server's data tells whether a device will show the ping.
        let loaded = submission.isWaiting ? nil : try? await session.loadSnapshot()
        let snapshot = if let loaded { loaded } else { try await session.snapshot() }
        let ping = submission.confirmed ?? snapshot.pingsSent.first { $0.dependentID == contact.id }
        let isUnheard = snapshot.contacts.first { $0.id == contact.id }?.hearsPings == false
        return Report(
            lines: submission.isWaiting
                ? ["Waiting to be sent: your ping to \(name)."]
                : isUnheard
                    ? [
                        "Your ping to \(name) is left in LifeSignal: \(ContactText.unheardPing).",
                        "They see it when they open LifeSignal. Call if it's urgent.",
                    ] : ["\(name) is asked: are you fine?"],
            json: DoneView(
                "ping", ping.map { PingView($0, in: snapshot) }, isWaiting: submission.isWaiting),
            isWaiting: submission.isWaiting)
    }

    private func takeBack(_ contact: ContactData, _ session: ClientSession) async throws -> Report {
        let name = Plain.name(contact.name)
        guard
            let ping = try await session.loadSnapshot().pingsSent.first(where: {
                $0.dependentID == contact.id
            })
        else {
            throw CommandFailure(
                .refused, "no-ping", title: "There is nothing to take back",
                "\(name) has no ping of yours to answer.")
        }
        try await session.values.pingClient.clearPing(contact.id)
        let isWaiting = await session.isWaiting(.clearPing)
        let snapshot = try await session.snapshot()
        let after = snapshot.pings.first { $0.id == ping.id } ?? ping
        return Report(
            lines: [
                isWaiting
                    ? "Waiting to be sent: taking back your ping to \(name)."
                    : "Your ping to \(name) is taken back."
            ],
            json: DoneView("ping", PingView(after, in: snapshot), isWaiting: isWaiting),
            isWaiting: isWaiting)
    }
}

struct Respond: ClientCommand {
    static let configuration = CommandConfiguration(
        abstract: "Answer a ping: you are fine.",
        discussion: "Without a name it answers the one ping there is; --all answers all of them.")

    @OptionGroup var client: ClientOptions

    @Argument(help: "Who asked: a name, the beginning of it, or an id.")
    var contact: String?

    @Flag(help: "Answer everybody.")
    var all = false

    func validate() throws {
        guard contact == nil || !all else {
            throw ValidationError("Give a name or --all, not both.")
        }
    }

    func perform(_ session: ClientSession) async throws -> Report {
        let before = try await session.loadSnapshot()
        let asked = before.pingsToAnswer
        let meant: [PingRecord]
        if let contact {
            let person = try before.contact(contact)
            meant = asked.filter { $0.responderID == person.id }
        } else {
            guard asked.count < 2 || all else {
                let names = asked.map { before.name(of: $0.responderID) }.joined(separator: ", ")
                throw CommandFailure(
                    .usage, "ambiguous-contact", title: "More than one person asks",
                    "\(names) ask whether you are fine.", "Give a name, or --all.")
            }
            meant = asked
        }
        guard !meant.isEmpty else {
            throw CommandFailure(
                .refused, "no-ping", title: "There is nothing to answer",
                "None of them has asked whether you are fine.")
        }
        if contact == nil {
            try await session.values.pingClient.respondToAllPings()
        } else {
            for ping in meant {
                try await session.values.pingClient.respondToPing(ping.responderID)
            }
        }
        let isWaiting = await session.isWaiting(.respondToPing)
        let snapshot = try await session.snapshot()
        let names = meant.map { snapshot.name(of: $0.responderID) }.joined(separator: ", ")
        let ids = Set(meant.map(\.id))
        return Report(
            lines: [
                isWaiting
                    ? "Waiting to be sent: your answer to \(names)."
                    : "\(names) will know that you are fine."
            ],
            json: DoneView(
                "pings",
                snapshot.pings.filter { ids.contains($0.id) }.map { PingView($0, in: snapshot) },
                isWaiting: isWaiting),
            isWaiting: isWaiting)
    }
}
