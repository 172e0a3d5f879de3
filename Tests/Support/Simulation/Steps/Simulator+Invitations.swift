import Domain
import Foundation
import SafetyNetwork

extension Simulator {
    func invite(_ person: Int, _ other: Int) async {
        guard person != other, let number = try? phoneNumber(of: other) else { return }
        let before = world.notes.invitation(to: number.text)
        let name = name(other)
        let answer = await ask(person, .invite) {
            try await $0.invitations.invite(name, .number(number), by: $1)
        }
        let edge = Edge(responder: other, owner: person)
        if let made = answer.value { truth.invited[edge] = made.id }
        guard answer.value != nil, let text = world.notes.invitation(to: number.text),
            text != before, let secret = text.split(separator: "#").last
        else { return }
        if truth.blocks[Truth.Block(blocker: other, blocked: person)] != nil {
            note("blocked", "\(self.name(person)) invited \(name), who had blocked them")
        }
        hearing.invitations[edge] = String(secret.prefix { !$0.isWhitespace })
    }

    func takeInvitationBack(_ person: Int, from other: Int) async {
        guard let number = try? phoneNumber(of: other),
            let invitations = await ask(person, { try await $0.invitations.invitations(of: $1) })
                .value
        else { return }
        truth.invited[Edge(responder: other, owner: person)] = nil
        for invitation in invitations where invitation.phoneNumber == number.text {
            await ask(person) { try await $0.invitations.withdrawInvitation(invitation.id, by: $1) }
        }
    }

    /// Answers on the page of an invitation. The link works without an account.
    func answerInvitation(_ person: Int, from owner: Int, isYes: Bool) async {
        let edge = Edge(responder: person, owner: owner)
        guard let secret = hearing.invitations[edge], person != owner else { return }
        hearing.acts[person] = now
        // A person who has deleted the account can become a guest.
        truth.gone[person] = nil
        let answer: InvitationAnswer = isYes ? .yes(name: name(person)) : .no
        let result = await reach("\(name(person))'s answer to an invitation") { network in
            _ = try await network.invitationAnswers.invitation(by: secret)
            return try await network.invitationAnswers.answerInvitation(by: secret, answer)
        }
        guard case .answered(let view) = result, let view else { return }
        let isKept = isYes || view.state != .accepted
        if !isKept {
            note("invitation", "\(name(person)) said no to \(name(owner)), and it stays accepted")
        }
        await syncGuest(person, of: owner)
        let isResponder = truth.roles[edge] != nil
        if isYes, view.state == .accepted, !isResponder {
            note("invitation", "\(name(person)) said yes to \(name(owner)) and is no responder")
        }
    }

    /// Reads from the owner's contacts whether a person is a responder, after an answer on a page.
    func syncGuest(_ person: Int, of owner: Int) async {
        guard let caller = truth.accounts[owner]?.caller,
            let number = try? phoneNumber(of: person),
            let contacts = await reach(
                "a list of contacts", { try await $0.contacts.contacts(of: caller) }
            ).value
        else { return }
        let edge = Edge(responder: person, owner: owner)
        let contact = contacts.first {
            identities[$0.id] == person || $0.phoneNumber == number
        }
        guard let contact, contact.isResponder else {
            if truth.roles[edge] != nil { set(edge, .absent) }
            return
        }
        identities[contact.id] = person
        if truth.accounts[person] == nil { truth.guests[person] = contact.id }
        set(edge, .inForce)
    }
}
