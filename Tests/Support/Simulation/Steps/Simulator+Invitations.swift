import Domain
import Foundation
import SafetyNetwork

extension Simulator {
    func invite(_ person: Int, _ other: Int, byMail: Bool = false) async {
        guard person != other, let recipient = recipient(other, byMail: byMail) else { return }
        let before = world.notes.invitationCount(to: recipient.text)
        let name = name(other)
        let answer = await ask(person, .invite) {
            try await $0.invitations.invite(name, recipient, by: $1)
        }
        let edge = Edge(responder: other, owner: person)
        if let made = answer.value {
            truth.invited[edge] = made.id
            hearing.endedInvitations[edge] = nil
        }
        let failing = world.notes.takeFailing()
        for fail in failing { await fail() }
        let isSent = world.notes.invitationCount(to: recipient.text) != before
        if truth.isCorrespondent(other), answer.value != nil {
            entered(person, other, isSent: isSent, isLost: !failing.isEmpty)
        }
        guard answer.value != nil, isSent,
            let text = world.notes.invitation(to: recipient.text),
            let secret = text.split(separator: "#").last
        else { return }
        if truth.blocks[Truth.Block(blocker: other, blocked: person)] != nil {
            note("blocked", "\(self.name(person)) invited \(name), who had blocked them")
        }
        hearing.invitations[edge] = String(secret.prefix { !$0.isWhitespace })
        hearing.invitedAddresses[edge] = recipient.address?.text
        hearing.refusals[edge] = recipient.address.flatMap { world.notes.refusal(in: $0.text) }
    }

    func takeInvitationBack(_ person: Int, from other: Int) async {
        guard let recipient = recipient(other, byMail: false),
            let invitations = await ask(person, { try await $0.invitations.invitations(of: $1) })
                .value
        else { return }
        truth.invited[Edge(responder: other, owner: person)] = nil
        for invitation in invitations where invitation.recipient == recipient.text {
            let answer = await ask(person) {
                try await $0.invitations.withdrawInvitation(invitation.id, by: $1)
            }
            guard answer.value != nil else { continue }
            truth.letters[other]?.unsent.remove(person)
        }
    }

    /// Answers on the page of an invitation. The link works without an account.
    func answerInvitation(_ person: Int, from owner: Int, isYes: Bool) async {
        let edge = Edge(responder: person, owner: owner)
        guard let secret = hearing.invitations[edge], person != owner, hasInvitedAddress(edge)
        else { return }
        hearing.acts[person] = now
        // A person who has deleted the account can become a guest.
        truth.gone[person] = nil
        let wasResponder = truth.roles[edge] != nil
        let answer: InvitationAnswer = isYes ? .yes(name: name(person)) : .no
        let result = await reach("\(name(person))'s answer to an invitation") { network in
            let before = try await network.invitationAnswers.invitation(by: secret)
            let after = try await network.invitationAnswers.answerInvitation(by: secret, answer)
            return InvitationChange(before: before, after: after)
        }
        guard let change = result.value, let view = change.after else { return }
        let isKept = isYes || view.state != .accepted
        if !isKept {
            note("invitation", "\(name(person)) said no to \(name(owner)), and it stays accepted")
        }
        if isYes, view.state == .accepted { agreed(person) }
        if view.state == .accepted, let ended = hearing.endedInvitations[edge],
            ended > truth.restore?.at ?? .distantPast
        {
            note("invitation", "\(name(person)) came back to \(name(owner)) by an old invitation")
        }
        oweNews(of: change, edge, wasResponder: wasResponder)
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
        let invited = await correspondent(person, invitedBy: owner)
        let contact = contacts.first {
            truth.isCorrespondent(person)
                ? $0.id == invited : identities[$0.id] == person || $0.phoneNumber == number
        }
        guard let contact, contact.isResponder else {
            if truth.roles[edge] != nil { set(edge, .absent) }
            // A person who left by a link got another code.
            truth.codes[person] = nil
            return
        }
        identities[contact.id] = person
        if truth.accounts[person] == nil { truth.guests[person] = contact.id }
        set(edge, .inForce)
    }
}
