import Cryptography
import Domain
import Foundation
import Persistence

public struct InvitationView: Equatable, Sendable {
    public enum State: Equatable, Sendable {
        case pending
        /// The person hasn't answered, and it is too late to say "yes".
        case expired
        /// The person hasn't answered, and an administrator has locked their account or the
        /// inviter's. A "yes" counts again after the lock.
        case held
        case accepted
        case declined
    }

    public var state: State
    /// False if a "yes" doesn't count, because the invitation is too old, or because of a lock.
    public var takesYes: Bool
    /// The inviter's name, or "A LifeSignal user" if the name could be an advertisement.
    public var sender: String
    /// The name that the inviting person entered for the invited one.
    public var name: String
    /// The present name of an invited guest, which the inviter will read; nil for other people, and
    /// if the guest takes another name by a "yes".
    public var guestName: String?
    /// True if the invited person is a guest who takes another name by a "yes".
    public var renamesGuest: Bool
    /// True if alerts come by e-mail; false for SMS and calls.
    public var isByMail: Bool
    public var hasCalls: Bool
    /// True if the invited person is a guest who has sent STOP, which ends SMS and calls.
    public var hasStoppedTexts: Bool
    /// Until when a person who stopped the messages can undo the stop, by their clock; nil if they
    /// can't.
    public var undoWords: String?
}

public enum InvitationAnswer: Equatable, Sendable {
    case yes(name: String)
    /// Declines the invitation, or ends the role of a person who already is a responder.
    case no
}

public struct InvitationAnswers: Commands {
    public let core: Core
    let notifier: Notifier
    let relations: Relations
    let invitations: Invitations
    let qrCodes: QRCodes

    /// Returns the time of the newest SMS to the user. Returns nil unless it is an invitation that
    /// they can still accept.
    func newestText(to user: UserID, on number: PhoneNumber) async throws -> Date? {
        try await database.read { connection -> Date? in
            guard let asked = try textedInvitation(to: number, in: connection) else { return nil }
            let last = try connection.textTime(to: user) ?? .distantPast
            return last < asked.time ? asked.time : nil
        }
    }

    /// Returns the invitation with the newest SMS to the number that can still be accepted, and
    /// the time of the SMS. Not every invitation has an SMS: a renewed one has that of the first.
    func textedInvitation(
        to number: PhoneNumber, in connection: any SQLConnection
    ) throws -> (owner: UserID, id: InvitationID, time: Date)? {
        let hash = key.hash(invitedNumber: InvitationRecipient.number(number).key)
        let now = connection.now
        let left = try departures(from: .number(number), in: connection).max() ?? .distantPast
        var newest: (owner: UserID, id: InvitationID, time: Date)?
        for (owner, id, made) in try connection.pendingInvitations(to: number)
        where InvitationRules.canBeAccepted(since: made, at: now) && made > left {
            let sent = try connection.invitationMessageTimes(
                toNumber: hash, by: key.hash(invitationsOf: owner.uuid))
            guard let time = sent.max(), time >= left, time > newest?.time ?? .distantPast
            else { continue }
            newest = (owner: owner, id: id, time: time)
        }
        return newest
    }

    /// Returns the invitation of a link; nil for an invalid or expired link.
    public func invitation(by secret: String) async throws -> InvitationView? {
        let token = try await verified { LinkToken(secret, .invitation, key: key) }
        guard let token else { return nil }
        return try await database.read { connection in
            try view(of: token, in: connection)?.view
        }
    }

    /// Records the invited person's answer. The link proves that the number or address is theirs.
    /// An answer can be changed, and repeating it has no effect. Throws `invalidArgument` for an
    /// unusable name, and for a "yes" to the person's own invitation or after a block.
    public func answerInvitation(
        by secret: String, _ answer: InvitationAnswer
    ) async throws -> InvitationView? {
        let token = try await verified { LinkToken(secret, .invitation, key: key) }
        guard let token else { return nil }
        let owner = UserID(token.owner)
        guard
            let found = try await database.read({ try view(of: token, in: $0)?.invitation }),
            let recipient = InvitationRecipient(stored: found.recipient)
        else { return nil }
        return try await database.write(
            about: Subjects(
                [owner], names: invitations.lockedNames(recipient),
                search: { connection in
                    let people = try connection.people(at: recipient, knownBy: owner)
                    // The contacts of a guest are told of a new name.
                    let guest = try connection.user(recipient)
                        .flatMap { $0.guestSince == nil ? nil : $0.id }
                    let told = try guest.map { try connection.contacts(of: $0).map(\.contact) }
                    return people + (told ?? []) + [found.contactID].compactMap(\.self)
                })
        ) { transaction in
            guard let (invitation, view) = try view(of: token, in: transaction),
                let me = try transaction.user(owner)
            else { return nil }
            switch (answer, view.state) {
            case (.yes(let name), .pending),
                (.yes(let name), .declined) where view.takesYes:
                try accept(invitation, recipient, name: name, for: me, in: transaction)
            case (.yes(let name), .accepted) where invitation.state == .pending:
                try accept(invitation, recipient, name: name, for: me, in: transaction)
            case (.no, .pending), (.no, .expired), (.no, .held), (.no, .accepted):
                guard invitation.state != .declined || view.state == .accepted else { break }
                // A former number or address doesn't end the role that a responder has by a code.
                if invitation.state == .pending, let contact = invitation.contactID {
                    let people = try transaction.people(at: recipient, knownBy: owner)
                    guard people.contains(contact) else { break }
                }
                try decline(invitation, for: me, in: transaction)
            case (.yes, .accepted), (.yes, .declined), (.yes, .expired), (.yes, .held),
                (.no, .declined):
                break
            }
            return try self.view(of: token, in: transaction)?.view
        }
    }

    /// Declines the invitation by a link that stops e-mails. Returns nil for another kind of link,
    /// false if the invitation is gone.
    func declineInvitation(by secret: String) async throws -> Bool? {
        let token = try await verified { LinkToken(secret, .refusal, key: key) }
        guard let token else { return nil }
        return try await answerInvitation(by: token.text(.invitation, key: key), .no) != nil
    }

    private func view(
        of token: LinkToken, in connection: any SQLConnection
    ) throws -> (invitation: Invitation, view: InvitationView)? {
        let owner = UserID(token.owner)
        guard let invitation = try self.invitation(of: token, in: connection),
            let sender = try connection.user(owner)
        else { return nil }
        let isInTime = InvitationRules.canBeAccepted(
            since: invitation.createdAt, at: connection.now)
        // Why a "yes" doesn't count; nil if it does.
        let invited = try invitedUser(of: invitation, in: connection)
        let isLocked = sender.lockedAt != nil || invited?.lockedAt != nil
        let closed: InvitationView.State? = !isInTime ? .expired : isLocked ? .held : nil
        let isResponder = try responder(of: owner, by: invitation, in: connection) != nil
        // An undo only restores a relation from before, so a lock doesn't stop it.
        let undoEnd =
            isResponder ? nil : invitation.undoEnd.flatMap { $0 > connection.now ? $0 : nil }
        let guest = invited?.guestSince == nil ? nil : invited
        let keepsName = try guest.map {
            try invitation.contactID == $0.id
                || self.keepsName($0, in: invitation, by: sender, in: connection)
        }
        let state: InvitationView.State
        switch invitation.state {
        case _ where isResponder: state = .accepted
        case .accepted: return nil
        case .pending: state = closed ?? .pending
        case .declined: state = .declined
        }
        return (
            invitation,
            InvitationView(
                state: state, takesYes: closed == nil || undoEnd != nil,
                sender: shownName(of: sender), name: invitation.name,
                guestName: keepsName == true ? guest?.displayName : nil,
                renamesGuest: keepsName == false,
                isByMail: invitation.emailAddress != nil, hasCalls: options.isVoiceAvailable,
                hasStoppedTexts: invitation.emailAddress == nil && invited?.guestSince != nil
                    && invited?.smsStoppedAt != nil,
                undoWords: undoEnd.map { clockTime($0, in: sender.timeZone, at: connection.now) })
        )
    }

    /// Returns the invitation of a link; nil if it is gone or has ended.
    private func invitation(
        of token: LinkToken, in connection: any SQLConnection
    ) throws -> Invitation? {
        let owner = UserID(token.owner)
        let named = try connection.invitation(InvitationID(token.subject), of: owner)
        let candidates =
            try named.map { [$0] }
            ?? connection.allInvitations(of: owner).filter { !$0.isEnded }
        return try candidates.first {
            try linkSubject(of: $0, by: owner, in: connection) == token.subject
        }
    }

    /// Returns the person who would become the responder by a "yes"; nil if that creates a guest.
    private func invitedUser(
        of invitation: Invitation, in connection: any SQLConnection
    ) throws -> UserRow? {
        if let user = try invitation.contactID.flatMap({ try connection.user($0) }) { return user }
        return try InvitationRecipient(stored: invitation.recipient).flatMap {
            try connection.user($0)
        }
    }

    /// Returns the invited person if they are the owner's responder, by this invitation or in
    /// another way, such as a code.
    func responder(
        of owner: UserID, by invitation: Invitation, in connection: any SQLConnection
    ) throws -> UserID? {
        func isInForce(_ person: UserID) throws -> Bool {
            try connection.contact(person, of: owner)?.relation.responder.isInForce == true
        }
        if let contact = invitation.contactID { return try isInForce(contact) ? contact : nil }
        guard let recipient = InvitationRecipient(stored: invitation.recipient) else { return nil }
        return try connection.people(at: recipient, knownBy: owner).sorted().first(where: isInForce)
    }

    /// The name may have changed since the message was checked.
    private func shownName(of sender: UserRow) -> String {
        (try? InvitationRules.sender(sender.displayName)) ?? ProfileRules.displayName("")
    }

    private func accept(
        _ invitation: Invitation, _ recipient: InvitationRecipient, name: String,
        for owner: UserRow, in transaction: Transaction
    ) throws {
        // The person who answered before may have another number now.
        let known =
            try invitation.contactID ?? responder(of: owner.id, by: invitation, in: transaction)
        let them =
            try known.flatMap { try transaction.user($0) }
            ?? guest(recipient, name: name, by: invitation, of: owner, in: transaction)
        guard them.id != owner.id else {
            throw CommandError.invalidArgument(
                field: "answer", "This invitation is your own. Invite another person.")
        }
        guard try block(of: owner, by: them.id, in: transaction) == nil,
            try block(of: them, by: owner.id, in: transaction) == nil
        else {
            // The link may have another reader, and the block may be the owner's.
            throw CommandError.invalidArgument(
                field: "answer",
                """
                This can't be accepted now. If you use LifeSignal, look at the people you blocked.
                """)
        }
        for side in [owner, them]
        where try transaction.countContacts(of: side.id) >= ContactRules.limit {
            throw CommandError.invalidArgument(
                field: "answer", "There is no room for another contact.")
        }
        let old = try transaction.contact(owner.id, of: them.id)?.relation ?? Relation()
        var new = old
        // The owner becomes the dependent of `them`, the invited person. A role in force keeps its
        // beginning, because a responder sees the alerts since then.
        if !old.dependent.isInForce { new.dependent = .inForce(since: transaction.now) }
        var change = RelationChange(
            news: .accepted, me: them, them: owner, old: old, new: new, isByLink: true)
        if invitation.state == .declined, invitation.contactID == them.id {
            try checkUndos(of: them.id, for: owner, in: transaction)
            change.linkAct = .returned
        }
        try restoreAddress(recipient, of: them, in: transaction)
        try relations.settle(change, in: transaction)
        // The news of the "yes" says that they are told.
        if !old.dependent.isInForce, them.smsStoppedAt != nil {
            try notifier.notify(Recipient(owner), .textsStopped(them), in: transaction)
        }
        var invitation = invitation
        invitation.state = .accepted
        invitation.answeredAt = transaction.now
        invitation.contactID = them.id
        try transaction.save(invitation, of: owner.id)
        if let address = recipient.address {
            try transaction.answerEmails(
                toMailbox: key.hash(mailbox: address.mailbox),
                askedBy: key.hash(invitationsOf: owner.id.uuid))
        }
        if them.guestSince != nil { try transaction.noteRelation(ofGuest: them.id) }
    }

    /// Stores the invited address again for a guest who has stopped its e-mail since. The link
    /// proves the address, which is the only channel of a guest without a number.
    private func restoreAddress(
        _ recipient: InvitationRecipient, of them: UserRow, in transaction: Transaction
    ) throws {
        guard let address = recipient.address, them.hasOnlyEmail,
            try transaction.confirmedEmail(of: them.id) == nil
        else { return }
        try transaction.insertEmailAddress(address, of: them.id)
        transaction.noteReach(of: them.id)
    }

    private func checkUndos(
        of them: UserID, for owner: UserRow, in transaction: Transaction
    ) throws {
        guard try invitations.hasUndosLeft(them, for: owner.id, in: transaction) else {
            throw CommandError.invalidArgument(
                field: "answer",
                """
                You have changed your answer too often today. Ask \(owner.displayName) to invite \
                you again: the link of the invitation then works.
                """)
        }
    }

    /// Returns the person with this number or address. Creates a guest if there is no such person.
    /// In place of the name of the owner or a contact, the guest gets the one that the owner typed.
    /// An error would tell who the contacts are.
    private func guest(
        _ recipient: InvitationRecipient, name: String, by invitation: Invitation,
        of owner: UserRow, in transaction: Transaction
    ) throws -> UserRow {
        if let known = try transaction.user(recipient) {
            guard try !keepsName(known, in: invitation, by: owner, in: transaction) else {
                return known
            }
            return try renamed(known, to: name, by: invitation, of: owner, in: transaction)
        }
        let typed = try InvitationRules.name(name, isOwn: true)
        let names = try names(around: owner, besides: nil, in: transaction)
        let isTaken = names.contains { ProfileRules.areAlike($0, typed) }
        let name = isTaken ? invitation.name : typed
        let id: UserID = newID()
        try transaction.insertUser(id, phoneNumber: recipient.number)
        try transaction.setQRCode(newID(), of: id)
        try transaction.updateUser(id, name: name, emergencyNote: "")
        try transaction.setGuest(since: transaction.now, id)
        if let address = recipient.address {
            try transaction.insertEmailAddress(address, of: id)
        }
        guard let user = try transaction.user(id) else { throw CommandError.noSuchUser }
        return user
    }

    /// Returns false for a guest who has the name of the owner or of one of the owner's contacts,
    /// unless the owner typed that name. The guest's acts could look like that person's.
    private func keepsName(
        _ person: UserRow, in invitation: Invitation, by owner: UserRow,
        in connection: any SQLConnection
    ) throws -> Bool {
        guard person.guestSince != nil, !ProfileRules.areAlike(person.name, invitation.name) else {
            return true
        }
        return try !names(around: owner, besides: person.id, in: connection)
            .contains { ProfileRules.areAlike($0, person.name) }
    }

    /// Returns the names of the owner and of the owner's contacts.
    private func names(
        around owner: UserRow, besides person: UserID?, in connection: any SQLConnection
    ) throws -> [String] {
        let contacts = try connection.contacts(of: owner.id).map(\.contact)
        let people = try connection.users(contacts.filter { $0 != person }.sorted())
        return people.values.map(\.name) + [owner.name]
    }

    /// Renames a guest, and tells the guest's contacts. The guest gets the entered name, or else
    /// the one that the owner typed, or else that one with the old name: the first name that
    /// differs from those of the contacts and their responders.
    private func renamed(
        _ guest: UserRow, to entered: String, by invitation: Invitation, of owner: UserRow,
        in transaction: Transaction
    ) throws -> UserRow {
        let typed: String? =
            try entered.isEmpty ? nil : InvitationRules.name(entered, isOwn: true)
        let contacts = try transaction.contacts(of: guest.id)
        try checkRename(of: guest, helping: contacts.map(\.contact).sorted(), in: transaction)
        let connected = contacts.filter(\.relation.isConnected).map(\.contact)
        let dependents = contacts.filter(\.relation.dependent.isInForce).map(\.contact).sorted()
        let others = Set(connected)
            .union(try transaction.responderIDs(of: dependents).values.joined())
            .subtracting([guest.id])
        let elsewhere = try transaction.users(others.sorted()).values.map(\.name)
        let all = try elsewhere + names(around: owner, besides: guest.id, in: transaction)
        func isFree(_ name: String, among names: [String]) -> Bool {
            !names.contains { ProfileRules.areAlike($0, name) }
        }
        let both = String(
            "\(invitation.name) \(guest.name)".prefix(ProfileRules.nameLength.upperBound))
        let name: String
        if let typed, isFree(typed, among: all) {
            name = typed
        } else {
            name = isFree(invitation.name, among: elsewhere) ? invitation.name : both
        }
        try transaction.updateUser(guest.id, name: name, emergencyNote: guest.emergencyNote)
        let text = NotificationText.contactRenamed(
            from: guest.displayName, to: ProfileRules.nameInMessages(name))
        let people = try transaction.users(connected.sorted())
        try notifier.notify(
            connected.sorted().compactMap { people[$0].map { Recipient($0) } },
            Notice(text: text, about: guest.id, cannotBeMuted: true), in: transaction)
        for contact in contacts {
            try transaction.append(
                .contactChanged(.init(contactID: guest.id)), to: contact.contact)
        }
        guard let user = try transaction.user(guest.id) else { throw CommandError.noSuchUser }
        return user
    }

    /// Throws `invalidArgument` while an alert that the guest is told of is open: its messages name
    /// the guest.
    private func checkRename(
        of guest: UserRow, helping contacts: [UserID], in transaction: Transaction
    ) throws {
        guard !contacts.isEmpty else { return }
        for kind in AlertKind.allCases {
            for alert in try transaction.openAlerts(kind, of: contacts).values
            where try transaction.audience(of: alert).contains(where: { $0.id == guest.id }) {
                throw CommandError.invalidArgument(
                    field: "answer",
                    """
                    Your name stays the same while the alert of somebody you help is open. Say \
                    yes after the alert has ended.
                    """, reason: .alertOpen)
            }
        }
    }

    func decline(
        _ invitation: Invitation, for owner: UserRow, in transaction: Transaction
    ) throws {
        let known = try responder(of: owner.id, by: invitation, in: transaction)
        var invitation = invitation
        invitation.state = .declined
        invitation.answeredAt = transaction.now
        invitation.contactID = known
        guard let contact = known, let them = try transaction.user(contact),
            let old = try transaction.contact(owner.id, of: contact)?.relation
        else {
            invitation.contactID = nil
            try transaction.save(invitation, of: owner.id)
            let notice = Notice(text: .invitationDeclined(name: invitation.name))
            return try notifier.notify(Recipient(owner), notice, in: transaction)
        }
        var new = old
        new.dependent = .absent
        let act = try relations.stop(by: contact, for: owner.id, in: transaction)
        try relations.settle(
            RelationChange(
                news: new.isEmpty ? nil : .rolesChanged, me: them, them: owner, old: old, new: new,
                isByLink: act == nil, linkAct: act),
            in: transaction)
        // The previous code could restore the relation.
        if new.isEmpty { try qrCodes.renewCode(of: them.id, in: transaction) }
        // `settle` ends the invitation, so it is saved after that. The person may change their
        // mind.
        try transaction.save(invitation, of: owner.id)
    }
}

extension Commands {
    func clockTime(_ time: Date, in zone: String?, at now: Date) -> String {
        Timestamp.clockTime(time, in: zone.flatMap { ClockZone($0) }, at: now)
    }
}
