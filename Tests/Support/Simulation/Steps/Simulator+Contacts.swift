import Domain
import Foundation
import SafetyNetwork

extension Simulator {
    func seeCode(_ person: Int, of other: Int) async {
        guard person != other, truth.accounts[person] != nil,
            let shown = await ask(other, { try await $0.qrCodes.qrCode(of: $1) }).value,
            let code = QRCodeID(shown.id)
        else { return }
        truth.codes[other] = code
        phones[person].codes[other] = code
    }

    func scan(_ person: Int, codeOf other: Int, both: Bool) async throws {
        guard person != other, let code = phones[person].codes[other],
            let id = truth.accounts[other]?.caller.userID
        else { return }
        let roles = try ContactRoles(isResponder: both, isDependent: true)
        guard
            let contact = await ask(
                person, .addContact,
                { try await $0.contacts.addContact(code: code, roles: roles, to: $1) }
            ).value,
            contact.id == id
        else { return }
        if truth.worthless.contains(code) {
            note(
                "oldCode",
                "\(name(person)) added \(name(other)) by a code that is worthless by now")
        }
        enter(contact, of: other, as: person, byCode: true)
    }

    func setRoles(_ person: Int, of other: Int, _ roles: ContactRoles) async {
        guard let id = truth.accounts[other]?.caller.userID, person != other,
            let kind = await kindOfChange(person, of: id, to: roles)
        else { return }
        if roles.isDependent { noteAcceptance(of: other, by: person) }
        guard
            let contact = await ask(
                person, kind,
                { try await $0.contacts.changeRoles(of: id, to: roles, by: $1) }
            )
            .value
        else { return }
        let wasResponder =
            truth.consent(Self.edge(.responder, of: other, as: person)) == .inForce
        enter(contact, of: other, as: person)
        if wasResponder, !contact.isResponder { expireCode(of: person) }
    }

    /// Returns `endRole` for a change that a lock does not stop, because it adds no role. Returns
    /// nil if the person can't read the contact.
    private func kindOfChange(
        _ person: Int, of id: UserID, to roles: ContactRoles
    ) async -> Request? {
        guard truth.accounts[person]?.isLocked == true else { return .changeRoles }
        let contacts = await ask(person, { try await $0.contacts.contacts(of: $1) }).value
        guard let contact = contacts?.first(where: { $0.id == id }) else { return nil }
        func adds(_ role: ContactRole, _ isWanted: Bool, _ isInForce: Bool) -> Bool {
            isWanted && !isInForce
                && !contact.requests.contains { $0.role == role && $0.isMine }
        }
        let isAdded =
            adds(.responder, roles.isResponder, contact.isResponder)
            || adds(.dependent, roles.isDependent, contact.isDependent)
        return isAdded ? .changeRoles : .endRole
    }

    func remove(_ person: Int, _ other: Int) async {
        guard let id = truth.userID(of: other), person != other,
            await ask(person, { try await $0.contacts.removeContact(id, by: $1) }).value != nil
        else { return }
        part(person, other)
        hearing.endedInvitations[Edge(responder: other, owner: person)] = now
        // Removing a contact renews the remover's code.
        expireCode(of: person)
    }

    func renewCode(_ person: Int) async {
        guard let info = await ask(person, { try await $0.qrCodes.renewQRCode(of: $1) }).value
        else {
            return
        }
        expireCode(of: person)
        truth.codes[person] = QRCodeID(info.id)
    }

    private func expireCode(of person: Int) {
        if let code = truth.codes.removeValue(forKey: person) { truth.worthless.insert(code) }
    }

    // MARK: Requests

    /// Lets `person` accept every request of `other`.
    func accept(_ person: Int, from other: Int) async {
        guard let id = truth.accounts[other]?.caller.userID, person != other else { return }
        noteAcceptance(of: other, by: person)
        for role in ContactRole.allCases {
            guard
                let contact = await ask(
                    person, { try await $0.contacts.acceptRequest(role, from: id, by: $1) }
                ).value
            else { continue }
            enter(contact, of: other, as: person)
        }
    }

    /// Notes that `person` may accept to be the responder of `other`. The alarm that follows
    /// arrives before the answer to the request.
    private func noteAcceptance(of other: Int, by person: Int) {
        let edge = Edge(responder: person, owner: other)
        if truth.requests[edge] == other { truth.acceptances[edge] = now }
    }

    /// Declines requests of `other`; with `mine`, withdraws requests of `person`.
    func endRequests(_ person: Int, with other: Int, mine: Bool) async {
        guard let id = truth.accounts[other]?.caller.userID, person != other else { return }
        for role in ContactRole.allCases {
            let edge = Self.edge(role, of: other, as: person)
            guard truth.requests[edge] == (mine ? person : other),
                await ask(person, { try await $0.contacts.endRequest(role, with: id, by: $1) })
                    .value != nil
            else { continue }
            set(edge, .absent)
            if role == .responder && !mine || !areConnected(person, other) {
                expireCode(of: person)
            }
        }
    }

    // MARK: Blocks

    func block(_ person: Int, _ other: Int) async {
        // A block holds the number that the other person has now, also after a deletion.
        guard let server, let id = truth.userID(of: other), person != other,
            truth.accounts[other]?.move == nil,
            await ask(person, { try await $0.blocks.block(id, by: $1) }).value != nil
        else { return }
        if areConnected(person, other) { expireCode(of: person) }
        // The blocker's code is renewed in any case, unless this block exists.
        truth.codes[person] = nil
        part(person, other)
        let block = Truth.Block(blocker: person, blocked: other)
        if truth.blocks[block] == nil { truth.blocks[block] = (id, server.clock.now()) }
    }

    func unblock(_ person: Int, _ other: Int) async {
        let block = Truth.Block(blocker: person, blocked: other)
        guard let (id, _) = truth.blocks[block],
            await ask(person, { try await $0.blocks.unblock(id, by: $1) }).value != nil
        else { return }
        truth.blocks[block] = nil
        owe("A person was unblocked", to: person)
    }

    // MARK: What a person sees

    /// Opens the app, which loads the contacts and the open alerts.
    func openApp(_ person: Int, seconds: Int) async throws {
        guard !truth.isCorrespondent(person) else { return }
        phones[person].openUntil = now.adding(.seconds(seconds))
        let contacts = await ask(person) { try await $0.contacts.contacts(of: $1) }.value ?? []
        for contact in contacts {
            guard let other = identities[contact.id] else { continue }
            checkBlocks(between: person, other, "sees")
            let isConnected = ContactRole.allCases.contains {
                truth.roles[Self.edge($0, of: other, as: person)] != nil
            }
            let mayWatch = truth.roles[Edge(responder: person, owner: other)] != nil
            if contact.watch != nil && !mayWatch || contact.phoneNumber != nil && !isConnected {
                note("consent", "\(name(person)) sees of \(name(other)) what nobody agreed to")
            }
            checkWatched(contact, of: other, by: person)
        }
        let page = try Page(limit: 50)
        let alerts = await ask(
            person, { try await $0.alerts.alerts(visibleTo: $1, onlyOpen: true, page: page) })
        for alert in alerts.value ?? [] {
            guard let owner = UserID(alert.userId).flatMap({ identities[$0] }), owner != person
            else { continue }
            checkListed(alert, of: owner, by: person)
            guard truth.listeners[Edge(responder: person, owner: owner)] == nil else { continue }
            note("stranger", "\(name(person)) sees the alert of \(name(owner))")
        }
    }

    // MARK: The observer's account

    private static func edge(_ role: ContactRole, of other: Int, as person: Int) -> Edge {
        role == .responder
            ? Edge(responder: other, owner: person) : Edge(responder: person, owner: other)
    }

    private func areConnected(_ one: Int, _ other: Int) -> Bool {
        ContactRole.allCases.contains {
            truth.consent(Self.edge($0, of: other, as: one)) != .absent
        }
    }

    private func part(_ one: Int, _ other: Int) {
        for role in ContactRole.allCases { set(Self.edge(role, of: other, as: one), .absent) }
    }

    /// Records the roles in a response. Each role needs the consent of both people.
    private func enter(
        _ contact: ContactData, of other: Int, as person: Int, byCode: Bool = false
    ) {
        checkBlocks(between: person, other, "is a contact of")
        for role in ContactRole.allCases {
            let edge = Self.edge(role, of: other, as: person)
            let isInForce = role == .responder ? contact.isResponder : contact.isDependent
            let hasAgreed =
                truth.roles[edge] != nil || truth.requests[edge] == other
                || byCode && edge.responder == person
            if isInForce, !hasAgreed {
                note(
                    "consent",
                    "\(name(edge.responder)) became \(name(edge.owner))'s responder, "
                        + "by the request of \(name(person)) alone")
            }
            let request = contact.request(role).map { $0.isMine ? person : other }
            set(edge, isInForce ? .inForce : request.map { .requested(by: $0) } ?? .absent)
        }
    }

    func set(_ edge: Edge, _ consent: Truth.Consent) {
        let isTold =
            switch consent {
            case .inForce: true
            case .requested(let asker): asker == edge.owner
            case .absent: false
            }
        if consent == .absent {
            // The end of a relation ends the invitations of both.
            truth.invited[edge] = nil
            truth.invited[Edge(responder: edge.owner, owner: edge.responder)] = nil
        }
        if consent == .inForce {
            truth.roles[edge] = truth.roles[edge] ?? now
        } else {
            truth.roles[edge] = nil
        }
        truth.requests[edge] = if case .requested(let asker) = consent { asker } else { nil }
        if isTold {
            hearing.left[edge] = nil
            truth.listeners[edge] = truth.listeners[edge] ?? now
        } else if truth.listeners.removeValue(forKey: edge) != nil {
            leave(edge)
        }
    }

    /// Records that `edge.responder` has stopped being told of the owner's alerts.
    private func leave(_ edge: Edge) {
        hearing.left[edge] = now
        let time = max(server?.clock.now() ?? now, now)
        for alarm in truth.alarms where alarm.owner == edge.owner {
            let acting = [alarm.acknowledgedBy, alarm.reportedBy]
            guard acting.contains(edge.responder) else { continue }
            truth.change(alarm.id) { $0.withdraw(edge.responder, isAuthor: false, at: time) }
        }
    }

    private func checkBlocks(between one: Int, _ other: Int, _ what: String) {
        for (blocker, blocked) in [(one, other), (other, one)]
        where truth.blocks[Truth.Block(blocker: blocker, blocked: blocked)] != nil {
            note(
                "blocked",
                "\(name(one)) \(what) \(name(other)), and \(name(blocker)) blocked "
                    + "\(name(blocked))")
        }
    }
}
