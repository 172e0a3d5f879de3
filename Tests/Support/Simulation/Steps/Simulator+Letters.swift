import Domain
import Foundation
import SafetyNetwork

/// The state of an invitation before and after an answer.
struct InvitationChange: Sendable {
    var before: InvitationView?
    var after: InvitationView?
}

/// Invitations by e-mail, and guests who end the messages (product.md, "Invitations").
extension Simulator {
    // MARK: Inviting

    func inviteByMail(_ person: Int, letter: Int) async {
        if letter < Truth.correspondents {
            await invite(person, truth.people + letter)
        } else {
            let other = Step.invited(by: person, letter: letter, people: truth.people)
            await invite(person, other, byMail: true)
        }
    }

    func recipient(_ other: Int, byMail: Bool) -> InvitationRecipient? {
        if truth.isCorrespondent(other) {
            let address = try? EmailAddress(Phone.mailbox(0, of: other))
            return address.map { InvitationRecipient.address($0) }
        }
        if byMail {
            guard let mail = truth.accounts[other]?.mail else { return nil }
            let address = try? EmailAddress(mail)
            return address.map { InvitationRecipient.address($0) }
        }
        let number = try? phoneNumber(of: other)
        return number.map { InvitationRecipient.number($0) }
    }

    /// Checks that a correspondent gets the first message, and no second one without a "yes".
    func entered(_ person: Int, _ other: Int, isSent: Bool, isLost: Bool) {
        var letters = truth.letters[other] ?? Truth.Letters()
        let isBlocked = [(person, other), (other, person)].contains { blocker, blocked in
            truth.blocks[Truth.Block(blocker: blocker, blocked: blocked)] != nil
        }
        if isSent {
            if letters.unanswered > 0, !letters.hasAgreed {
                note(
                    "invitation",
                    "\(name(other)) got a message from \(name(person)) and had not answered "
                        + "an earlier one")
            }
            letters.unanswered += 1
            letters.wasWritten = true
            letters.unsent.remove(person)
        } else if isLost {
            letters.unsent.insert(person)
            sights.insert("invitation: lost")
        } else if !letters.wasWritten, !letters.unsent.contains(person), !isBlocked {
            note(
                "invitation",
                "\(name(person)) invited \(name(other)), and no message was sent")
        }
        truth.letters[other] = letters
    }

    // MARK: Answering

    /// Returns whether the address of an invitation by e-mail still is the person's.
    func hasInvitedAddress(_ edge: Edge) -> Bool {
        guard let address = hearing.invitedAddresses[edge],
            !truth.isCorrespondent(edge.responder)
        else { return true }
        return truth.accounts[edge.responder]?.mail == address
    }

    /// Records a "yes" of a correspondent, who gets e-mail from now on.
    func agreed(_ person: Int) {
        guard truth.isCorrespondent(person) else { return }
        var letters = truth.letters[person] ?? Truth.Letters()
        if !letters.isReader { hearing.added[.mail(person)] = now }
        letters.unanswered = 0
        letters.hasAgreed = true
        letters.isReader = true
        truth.letters[person] = letters
        sights.insert("invitation: yes by e-mail")
    }

    /// Expects that the owner is told of an answer. Only a "no" to the question can be muted.
    func oweNews(of change: InvitationChange, _ edge: Edge, wasResponder: Bool) {
        guard let owner = truth.accounts[edge.owner], let before = change.before,
            let after = change.after
        else { return }
        let name = name(edge.responder)
        switch (before.state, after.state) {
        case (.pending, .accepted):
            if !wasResponder { owe("\(name) accepted your request", to: edge.owner) }
        case (.accepted, .declined):
            if wasResponder { owe("\(name) no longer helps you", to: edge.owner) }
        case (.declined, .accepted):
            if !wasResponder, before.undoWords != nil {
                owe("\(name) helps you again", to: edge.owner)
            }
        case (.pending, .declined), (.expired, .declined), (.held, .declined):
            if !owner.isMuted { owe("\(name) said no", to: edge.owner) }
        default: break
        }
    }

    /// Ends the mail by the link in the message of an invitation.
    func refuseByMail(_ person: Int, from owner: Int) async {
        let edge = Edge(responder: person, owner: owner)
        guard let token = hearing.refusals[edge], let secret = hearing.invitations[edge],
            person != owner, hasInvitedAddress(edge)
        else { return }
        let wasResponder = truth.roles[edge] != nil
        let answer = await reach("\(name(person))'s link in an invitation") { network in
            let before = try await network.invitationAnswers.invitation(by: secret)
            _ = try await network.emailAddresses.unsubscribe(token)
            let after = try await network.invitationAnswers.invitation(by: secret)
            return InvitationChange(before: before, after: after)
        }
        guard let change = answer.value else { return }
        hearing.acts[person] = now
        oweNews(of: change, edge, wasResponder: wasResponder)
        if let state = change.after?.state, [.pending, .accepted].contains(state) {
            note(
                "invitation",
                "\(name(person)) ended the mail of \(name(owner))'s invitation, and it is "
                    + "\(state)")
        }
        await syncGuest(person, of: owner)
    }

    /// Returns the id of a correspondent who has accepted the owner's invitation.
    func correspondent(_ person: Int, invitedBy owner: Int) async -> UserID? {
        guard truth.isCorrespondent(person), let caller = truth.accounts[owner]?.caller,
            let address = recipient(person, byMail: true)?.text,
            let invitations = await reach(
                "a list of invitations",
                { try await $0.invitations.invitations(of: caller) }
            ).value
        else { return nil }
        return invitations.first { $0.emailAddress == address && $0.state == .accepted }?.contactID
    }

    // MARK: Leaving

    /// Ends the mail by the link in the last message about an alert. A person who has only an
    /// address leaves by it.
    func leaveByMail(_ person: Int) async {
        guard let token = hearing.unsubscribe[person] else { return }
        let edges = truth.relations(ofResponder: person)
        let since = edges.compactMap { truth.roles[$0] }.min()
        let answer = await reach("\(name(person))'s link in an e-mail") {
            try await $0.emailAddresses.unsubscribe(token)
        }
        guard answer.value == true else { return }
        for edge in edges { await syncGuest(person, of: edge.owner) }
        let left = truth.relations(ofResponder: person)
        guard left.isEmpty else {
            if let since, let heard = hearing.unsubscribeAt[person], heard > since {
                note(
                    "mail",
                    "\(name(person)) ended all mail, and is told of \(name(left[0].owner))")
            }
            return
        }
        for edge in edges where truth.accounts[edge.owner] != nil {
            owe("\(name(person)) no longer helps you", to: edge.owner)
        }
        if !edges.isEmpty { sights.insert("guest: left by e-mail") }
        truth.letters[person]?.isReader = false
        hearing.forgive { place, _ in place.endpoint == .mail(person) }
    }

    /// Lets a guest end the messages on the page behind the last link, "Never tell me again".
    func stopHelp(of owner: Int, guest: Int) async {
        let edges = truth.roles.keys.filter {
            $0.owner == owner && truth.accounts[$0.responder] == nil
        }.sorted { $0.responder < $1.responder }
        guard !edges.isEmpty else { return }
        let edge = edges[guest % edges.count]
        guard let secret = link(of: edge) else { return }
        let answer = await reach("\(name(edge.responder))'s end of the messages") { network in
            let before = try await network.guestAlerts.guestAlert(by: secret)
            _ = try await network.guestAlerts.answerAlert(by: secret, .stop)
            let stopped = try await network.guestAlerts.stoppedHelp(by: secret)
            return (canStop: before?.canStop ?? false, name: stopped?.name)
        }
        guard let found = answer.value else { return }
        hearing.acts[edge.responder] = now
        await syncGuest(edge.responder, of: owner)
        guard found.canStop else { return }
        sights.insert("guest: stopped")
        let guestName = name(edge.responder)
        if truth.roles[edge] != nil {
            note("invitation", "\(guestName) ended the messages, and still helps \(name(owner))")
        } else if found.name != name(owner) {
            note("invitation", "\(guestName) can't undo the end of the messages")
        } else {
            owe("\(guestName) no longer helps you", to: owner)
        }
    }

    /// Undoes "Never tell me again" on the same page, three times a day.
    func undoStop(of owner: Int, guest: Int) async {
        let guests = truth.guests.keys.sorted().map { Edge(responder: $0, owner: owner) }.filter {
            truth.roles[$0] == nil && truth.accounts[$0.responder] == nil && link(of: $0) != nil
        }
        guard !guests.isEmpty else { return }
        let edge = guests[guest % guests.count]
        guard let secret = link(of: edge) else { return }
        let answer = await reach("\(name(edge.responder))'s undoing of the end") { network in
            let stopped = try await network.guestAlerts.stoppedHelp(by: secret)
            _ = try await network.guestAlerts.answerAlert(by: secret, .undo)
            return stopped?.name
        }
        guard case .answered(let stopped) = answer else { return }
        hearing.acts[edge.responder] = now
        await syncGuest(edge.responder, of: owner)
        guard stopped == name(owner) else { return }
        sights.insert("guest: undone")
        if truth.roles[edge] == nil {
            note(
                "invitation",
                "\(name(edge.responder)) wants the messages again, and does not help "
                    + name(owner))
        } else {
            owe("\(name(edge.responder)) helps you again", to: owner)
        }
    }

    /// Returns the secret of the last link to an alert of the owner.
    private func link(of edge: Edge) -> String? {
        [true, false].compactMap { isByMail in
            hearing.links[
                Hearing.Link(
                    page: .alert, reader: edge.responder, owner: edge.owner, isByMail: isByMail)]
        }.first?.text
    }

    // MARK: Forgetting

    func closeMailbox(_ letter: Int) {
        let person = truth.people + letter
        hearing.closed[person] = now
        world.outside.trouble(.mail(person), .gone, until: now.adding(.days(9)))
    }

    /// Looks, after a clean-up, for guests whom the server has forgotten, and for relations that
    /// it has ended because a mailbox has been gone for a week.
    func noticeForgotten(_ server: Server) async {
        // The server's clock may be wrong by days.
        for (person, since) in hearing.closed.sorted(by: { $0.key < $1.key })
        where now.since(since) > .days(4) {
            for edge in truth.relations(ofResponder: person) {
                await syncGuest(person, of: edge.owner)
            }
            guard truth.relations(ofResponder: person).isEmpty else { continue }
            hearing.forgive { place, _ in place.endpoint == .mail(person) }
        }
        guard !truth.guests.isEmpty,
            let known = try? await server.disk.read({ connection in
                Set(try connection.query("SELECT id FROM users", []) { try $0["id"] as UserID })
            })
        else { return }
        for (person, id) in truth.guests.sorted(by: { $0.key < $1.key }) {
            let isAlone = truth.relations(ofResponder: person).isEmpty
            let since = truth.aloneSince[person]
            truth.aloneSince[person] = isAlone ? since ?? now : nil
            if !known.contains(id) {
                forget(person, id, isAlone: isAlone, since: since)
            } else if isAlone, let since, isSure(since: since),
                max(moments.diskFullUntil, moments.runningSince) < since,
                now.since(since) > Truth.timeForGuests + .days(1)
            {
                await checkInvited(person)
            }
        }
    }

    private func forget(_ person: Int, _ id: UserID, isAlone: Bool, since: Date?) {
        if !isAlone {
            note("forgotten", "\(name(person)) was forgotten, and is a responder")
        } else if let since, isSure(since: since),
            now.since(since) < Truth.timeForGuests - .hours(1)
        {
            note(
                "forgotten",
                "\(name(person)) was forgotten \(Invariant.span(now, since: since)) after the "
                    + "last relation")
        }
        sights.insert("guest: forgotten")
        truth.deletedAt = now
        truth.guests[person] = nil
        truth.aloneSince[person] = nil
        truth.stops[person] = nil
        hearing.forgive { place, _ in place.endpoint.person == person }
        guard truth.isCorrespondent(person) else { return }
        // Without a number, nothing about the person stays. A block lasts as long as the address.
        identities[id] = nil
        truth.letters[person]?.isReader = false
        truth.blocks = truth.blocks.filter { $0.key.blocked != person }
    }

    /// Checks that a guest who should have been forgotten is invited.
    private func checkInvited(_ person: Int) async {
        guard let recipient = recipient(person, byMail: false)?.text else { return }
        for account in truth.accounts {
            guard let caller = account?.caller else { continue }
            guard
                let invitations = await reach(
                    "a list of invitations",
                    { try await $0.invitations.invitations(of: caller) }
                ).value
            else { return }
            let isInvited = invitations.contains {
                $0.recipient == recipient && $0.state == .pending
            }
            if isInvited { return }
        }
        note("forgotten", "\(name(person)) has had no relation for days, and is not forgotten")
    }
}
