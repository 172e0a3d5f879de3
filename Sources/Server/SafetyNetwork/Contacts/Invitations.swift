import Cryptography
import Domain
import Foundation
import Persistence

/// The only message to an invited person before they answer.
public enum InvitationMessage: Sendable {
    case text(PhoneNumber, String, id: InvitationMessageID)
    /// `refusal` is the token of the page that stops e-mails.
    case mail(EmailAddress, subject: String, paragraphs: [String], refusal: String)
}

/// Invitations ask people without an account, in one message, to be responders.
public struct Invitations: Commands {
    public let core: Core
    let signUpTokens: SignUpTokens

    public func invitations(of caller: Caller) async throws -> [Invitation] {
        try await database.read { connection in
            guard try connection.user(caller.userID) != nil else { throw CommandError.noSuchUser }
            return try connection.invitations(of: caller.userID)
        }
    }

    /// Invites a person as a responder. The result is the same if no message is sent, because it
    /// must not reveal accounts or blocks. Throws `alreadyExists` for a contact's number. Throws
    /// `invalidArgument` for the caller's own number or address, and beyond the limit. Throws
    /// `permissionDenied` if the caller's name can't be used, and `unavailable` if the server can't
    /// send the message. Throws `rateLimited`.
    public func invite(
        _ name: String, _ recipient: InvitationRecipient, by caller: Caller
    ) async throws -> Invitation {
        try checkCarrier(of: recipient)
        let name = try InvitationRules.name(name)
        let id = InvitationID(
            key.invitationID(of: caller.userID.uuid, number: recipient.key))
        let messageID: InvitationMessageID = newID()
        let (invitation, message) = try await database.write(
            about: Subjects(
                [caller.userID], names: lockedNames(recipient),
                search: { connection in
                    try Array(connection.people(at: recipient, knownBy: caller.userID))
                })
        ) { transaction -> (Invitation, InvitationMessage?) in
            guard let me = try transaction.user(caller.userID) else {
                throw CommandError.noSuchUser
            }
            try checkSession(of: caller, in: transaction)
            guard try signUpTokens.mode(in: transaction) != .closed else {
                throw CommandError.invalidArgument(
                    field: recipient.field, RefusalWords.signUpClosed.detail,
                    reason: .signUpClosed)
            }
            let sender = try InvitationRules.sender(me.displayName)
            let them = try transaction.user(recipient)
            try check(me, inviting: recipient, them, in: transaction)
            let known = try transaction.invitations(of: me.id)
            let same = known.first { $0.isTo(recipient) }
            // The id comes from the oldest key. If that key was forgotten, the link may be invalid,
            // so the server replaces the invitation.
            let isOutdated = same.map { $0.id != id && $0.state == .pending } ?? false
            let isRenewed =
                same.map {
                    $0.state == .pending
                        && InvitationRules.isRenewed(since: $0.createdAt, at: transaction.now)
                } ?? false
            let hasNewHolder = try same.map { try hasLeft($0, in: transaction) } ?? false
            if let same, !isOutdated, !isRenewed, !hasNewHolder {
                if let asked = try askAgain(same.id, of: me.id, in: transaction) {
                    return (asked, nil)
                }
                if try transaction.reopenInvitation(same.id, of: me.id) {
                    try bindToResponders(recipient, of: me.id, in: transaction)
                }
                return (same, nil)
            }
            guard same != nil || known.count < InvitationRules.limit else {
                throw CommandError.invalidArgument(
                    field: recipient.field,
                    "You have \(InvitationRules.limit) invitations. Take one back first.")
            }
            if let same, hasNewHolder { try noteDeparture(since: same, in: transaction) }
            let mayWrite = try enter(messageID, recipient, them, by: me, in: transaction)
            for old in try transaction.allInvitations(of: me.id)
            where old.id != id && old.isTo(recipient) {
                try transaction.deleteInvitation(old.id, of: me.id)
            }
            // The time tells whether the link was made before or after a departure.
            let left = try departures(from: recipient, in: transaction).max()
            let invitation = Invitation(
                id: id, name: name, recipient: recipient,
                createdAt: max(transaction.now, left?.adding(.milliseconds(1)) ?? .distantPast))
            try transaction.save(invitation, of: me.id)
            try bindToResponders(recipient, of: me.id, in: transaction)
            guard mayWrite else { return (invitation, nil) }
            let subject = try linkSubject(of: invitation, by: me.id, in: transaction)
            let link = LinkToken(owner: me.id.uuid, subject: subject ?? id.uuid)
            return (invitation, self.message(messageID, to: recipient, from: sender, link))
        }
        if let message {
            // If this fails, the lost message counts towards the limits.
            sendInvitation(message) { try? await invitationFailed(messageID) }
        }
        return invitation
    }

    /// Returns true if the person who accepted has another number now. Another person may hold the
    /// invited one. An e-mail address must not reveal this, because contacts don't see it.
    private func hasLeft(
        _ invitation: Invitation, in connection: any SQLConnection
    ) throws -> Bool {
        guard invitation.state == .accepted, let contact = invitation.contactID,
            let number = InvitationRecipient(stored: invitation.recipient)?.number
        else { return false }
        return try connection.user(contact)?.phoneNumber != number
    }

    /// Records the departure from an invitation's number, unless it is recorded. Older servers
    /// recorded none.
    private func noteDeparture(since invitation: Invitation, in transaction: Transaction) throws {
        guard let recipient = InvitationRecipient(stored: invitation.recipient),
            try !hasDeparture(from: recipient, since: invitation.createdAt, in: transaction)
        else { return }
        try noteDeparture(from: recipient, by: invitation.contactID, in: transaction)
    }

    /// Makes an invitation pending, without a message, if the person has stopped the messages and
    /// may not undo that any more today. Returns nil for others: a "no" holds until its link
    /// undoes it.
    private func askAgain(
        _ id: InvitationID, of owner: UserID, in transaction: Transaction
    ) throws -> Invitation? {
        guard var invitation = try transaction.invitation(id, of: owner),
            invitation.state == .declined, let person = invitation.contactID,
            let recipient = InvitationRecipient(stored: invitation.recipient),
            // A new time would change the link.
            try !hasDeparture(from: recipient, since: invitation.createdAt, in: transaction),
            try !hasUndosLeft(person, for: owner, in: transaction)
        else { return nil }
        invitation.state = .pending
        invitation.createdAt = transaction.now
        invitation.answeredAt = nil
        try transaction.save(invitation, of: owner)
        invitation.contactID = nil
        return invitation
    }

    /// Returns false if the person has undone too many stops today.
    func hasUndosLeft(
        _ person: UserID, for owner: UserID, in transaction: Transaction
    ) throws -> Bool {
        let news = try transaction.countNews(
            to: [owner], since: transaction.now.adding(.zero - InvitationRules.window))
        return news[owner]?[person]?[.contactAdded, default: 0] ?? 0 < InvitationRules.undosPerDay
    }

    /// Forgets a message that wasn't delivered, so that the user can try again later.
    public func invitationFailed(_ message: InvitationMessageID) async throws {
        try await database.write(about: .none) { try $0.forgetInvitationMessage(message) }
    }

    private func checkCarrier(of recipient: InvitationRecipient) throws(CommandError) {
        switch recipient {
        case .number where !options.isSMSAvailable:
            throw .unavailable("This server sends no text messages.")
        case .address where !options.isEmailAvailable:
            throw .unavailable(RefusalWords.noEmail.detail)
        case .number, .address: break
        }
    }

    /// Returns names to lock. Requests about one recipient then run one after the other.
    func lockedNames(_ recipient: InvitationRecipient) -> [String] {
        guard recipient.address != nil else { return [recipient.text] }
        let mailbox = key.hash(mailbox: recipient.key).base64EncodedString()
        return ["all e-mail codes", "e-mail \(mailbox)"]
    }

    private func message(
        _ id: InvitationMessageID, to recipient: InvitationRecipient, from sender: String,
        _ token: LinkToken
    ) -> InvitationMessage {
        let link = link(.invitation, token.owner, token.subject)
        switch recipient {
        case .number(let number):
            return .text(
                number,
                NotificationText.invitation(
                    sender: sender, link: link, withCalls: options.isVoiceAvailable),
                id: id)
        case .address(let address):
            let mail = NotificationText.invitationMail(sender: sender, link: link)
            return .mail(
                address, subject: mail.subject, paragraphs: mail.paragraphs,
                refusal: token.text(.refusal, key: key))
        }
    }

    private func check(
        _ me: UserRow, inviting recipient: InvitationRecipient, _ them: UserRow?,
        in transaction: Transaction
    ) throws {
        guard try transaction.countContacts(of: me.id) < ContactRules.limit else {
            throw CommandError.invalidArgument(
                field: recipient.field, RefusalWords.contactsFull.detail,
                reason: .contactsFull)
        }
        guard let them else { return }
        guard them.id != me.id else {
            throw CommandError.invalidArgument(
                field: recipient.field, "That is your own. Enter another person's.")
        }
        // Contacts don't see each other's e-mail addresses, so an invited address must not reveal
        // its owner.
        guard recipient.number != nil else { return }
        // The error would reveal the number of a person who hasn't agreed to anything.
        if let contact = try transaction.contact(them.id, of: me.id), contact.relation.isConnected {
            throw CommandError.alreadyExists(RefusalWords.alreadyContact.detail)
        }
    }

    /// Records the message of an invitation. Returns true if it may be sent.
    private func enter(
        _ message: InvitationMessageID, _ recipient: InvitationRecipient, _ them: UserRow?,
        by me: UserRow, in transaction: Transaction
    ) throws -> Bool {
        let now = transaction.now
        let userHash = key.hash(invitationsOf: me.id.uuid)
        let numberHash = key.hash(invitedNumber: recipient.key)
        let begin = now.adding(.zero - InvitationRules.window)
        let made =
            try transaction.invitationTimes(userHash: userHash, since: begin)
            + transaction.earlierTimes(of: .invitation, by: me.id, since: begin)
        if let wait = InvitationRules.wait(after: made, at: now) {
            throw CommandError.rateLimited(retryAfter: wait)
        }
        let messages = try transaction.invitationMessages(toNumber: numberHash, by: userHash)
        var past = PastInvitations()
        // A former holder's messages don't count for the next one; a kept STOP does. An account
        // that left and came back is the same holder.
        let left = try departures(from: recipient, in: transaction)
        let own = try them.map { try departures(from: recipient, by: $0.id, in: transaction) } ?? []
        let isTheirs = { (time: Date) -> Bool in
            guard let next = left.filter({ $0 > time }).min() else { return true }
            return own.contains(next)
        }
        past.hasWrittenBefore = messages.ownTimes.contains(where: isTheirs)
        past.messages = messages.times.filter(isTheirs)
        past.formerMessages = messages.times.filter { !isTheirs($0) }
        past.isStopped = try recipient.number.map { try hasStop($0, in: transaction) } ?? false
        past.hasAgreed = them != nil
        past.isBlocked = try isBlocked(me, inviting: recipient, in: transaction)
        let isStopped = recipient.number != nil && them?.smsStoppedAt != nil
        var mayWrite = InvitationRules.mayWrite(after: past, at: now) && !isStopped
        if recipient.address != nil {
            // The limit also applies to addresses with an account. Otherwise, it would reveal
            // accounts.
            let isFree = try entersMailbox(
                recipient.key, message, userHash, isCounted: mayWrite && them == nil,
                in: transaction)
            mayWrite = mayWrite && isFree
        } else if try !transaction.spend(.everyday, on: .sms, by: me.id, options.budgets) {
            // The server charges an invitation without a message, too. Otherwise, the rest of the
            // budget would reveal that the message wasn't sent.
            throw CommandError.rateLimited(retryAfter: Budget.rest(ofDayAt: now))
        }
        try transaction.insert(
            InvitationMessageRow(
                id: message, numberHash: numberHash, userHash: userHash, wasSent: mayWrite))
        return mayWrite
    }

    /// Applies the limits of confirmation e-mails to an invitation, and counts it as unanswered.
    /// Returns false if it may not be sent. Throws `rateLimited`.
    private func entersMailbox(
        _ mailbox: String, _ message: InvitationMessageID, _ userHash: Data, isCounted: Bool,
        in transaction: Transaction
    ) throws -> Bool {
        let now = transaction.now
        var row = EmailCodeRow(
            id: message.uuid, mailboxHash: key.hash(mailbox: mailbox), userHash: userHash,
            addressHash: userHash, networkHash: nil)
        let limits = options.emailCodeLimits
        var sent = SentEmailCodes()
        sent.inAll = try transaction.emailCodeTimes(
            like: row, since: now.adding(.zero - EmailRules.window), limit: limits.inAll
        ).inAll
        if let wait = limits.wait(after: sent, at: now) {
            throw CommandError.rateLimited(retryAfter: wait)
        }
        guard isCounted else { return true }
        let unanswered = try transaction.unansweredEmails(toMailbox: row.mailboxHash)
        guard EmailRules.mayWrite(unanswered: unanswered, at: now) else { return false }
        // This message contains no code, so the row expires at once.
        (row.state, row.expiresAt) = (.sent, now)
        try transaction.insert(row)
        return true
    }

    /// Withdraws a pending invitation, or deletes a declined one. Throws `notFound`, or
    /// `alreadyExists` for an accepted one.
    public func withdrawInvitation(_ id: InvitationID, by caller: Caller) async throws {
        try await database.write(about: Subjects([caller.userID])) { transaction in
            guard
                let invitation = try transaction.invitations(of: caller.userID)
                    .first(where: { $0.id == id })
            else { throw CommandError.notFound("There is no such invitation.") }
            guard invitation.state != .accepted else {
                throw CommandError.alreadyExists(RefusalWords.invitationAccepted.detail)
            }
            try transaction.deleteInvitation(id, of: caller.userID)
        }
    }

    /// Ends the owner's invitations to this person, by number or mailbox, and invalidates their
    /// links. The owner still sees the others (`Invitation.isEnded`). A new invitation makes its
    /// link valid again.
    func endInvitations(
        of owner: UserID, to person: UserRow, in transaction: Transaction
    ) throws {
        for var invitation in try invitations(of: owner, to: person, in: transaction) {
            if invitation.state == .accepted {
                try transaction.deleteInvitation(invitation.id, of: owner)
            } else {
                invitation.end(at: transaction.now)
                try transaction.save(invitation, of: owner)
            }
        }
    }

    private func bindToResponders(
        _ recipient: InvitationRecipient, of owner: UserID, in transaction: Transaction
    ) throws {
        for person in try transaction.people(at: recipient, knownBy: owner).sorted() {
            let relation = try transaction.contact(person, of: owner)?.relation
            guard relation?.responder.isInForce == true,
                let responder = try transaction.user(person)
            else { continue }
            try bindInvitations(of: owner, to: responder, in: transaction)
        }
    }

    /// Stores with the owner's invitations to a responder that they are the responder's. The end
    /// of the relation then ends them, even if the responder has another number or address by then.
    /// The owner doesn't see whose they are, because that would reveal an address's holder.
    func bindInvitations(
        of owner: UserID, to responder: UserRow, in transaction: Transaction
    ) throws {
        for var invitation in try invitations(of: owner, to: responder, in: transaction)
        where invitation.contactID == nil && !invitation.isEnded {
            invitation.contactID = responder.id
            try transaction.save(invitation, of: owner)
        }
    }

    private func invitations(
        of owner: UserID, to person: UserRow, in connection: any SQLConnection
    ) throws -> [Invitation] {
        let invitations = try connection.allInvitations(of: owner)
        guard !invitations.isEmpty else { return [] }
        let mailbox = try connection.confirmedEmail(of: person.id).flatMap {
            try? EmailAddress($0.address).mailbox
        }
        return invitations.filter { invitation in
            let recipient = InvitationRecipient(stored: invitation.recipient)
            return invitation.contactID == person.id
                || recipient?.number.map { $0 == person.phoneNumber } == true
                || recipient?.address.map { $0.mailbox == mailbox } == true
        }
    }
}

extension Commands {
    /// Keeps the STOP of a number without a user as an invitation that had its message: such a
    /// number gets no other one.
    func keepStop(of number: PhoneNumber, in transaction: Transaction) throws {
        let (numberHash, userHash) = hashesOfStop(from: number)
        guard try !hasStop(number, in: transaction) else { return }
        try transaction.insert(
            InvitationMessageRow(
                id: newID(), numberHash: numberHash, userHash: userHash, wasSent: true))
    }

    /// Keeps the STOP of a user who leaves their number. Keeps none where START can't be received.
    func keepStop(of user: UserRow, in transaction: Transaction) throws {
        guard options.takesTextAnswers, user.smsStoppedAt != nil, let number = user.phoneNumber
        else { return }
        try keepStop(of: number, in: transaction)
    }

    func hasStop(_ number: PhoneNumber, in connection: any SQLConnection) throws -> Bool {
        let (numberHash, userHash) = hashesOfStop(from: number)
        return try !connection.invitationMessageTimes(toNumber: numberHash, by: userHash).isEmpty
    }

    /// Undoes `keepStop`.
    func forgetStop(of number: PhoneNumber, in transaction: Transaction) throws {
        let (numberHash, userHash) = hashesOfStop(from: number)
        try transaction.forgetInvitationMessages(toNumber: numberHash, by: userHash)
    }

    /// Returns the hashes of a kept STOP. No inviting user has the second one.
    func hashesOfStop(from number: PhoneNumber) -> (number: Data, user: Data) {
        (
            key.hash(invitedNumber: InvitationRecipient.number(number).key),
            key.hash(invitationsOf: key.limitsID(ofNumber: number.text))
        )
    }
}

/// A departure: an account leaves a number or mailbox, and another person may get it. A link that
/// the former holder got must not make that person a responder.
extension Commands {
    /// Ends the unanswered invitations to the number or mailbox. Later ones have another link.
    /// - Parameter user: the account, which may come back; nil for a deleted one.
    func noteDeparture(
        from recipient: InvitationRecipient, by user: UserID?, in transaction: Transaction
    ) throws {
        var rows = [hashesOfDepartures(from: recipient)]
        if let user { rows.append(hashesOfDepartures(from: recipient, by: user)) }
        for (recipientHash, userHash) in rows {
            try transaction.insert(
                InvitationMessageRow(
                    id: newID(), numberHash: recipientHash, userHash: userHash, wasSent: true))
        }
    }

    /// Returns the times of all departures, or of those of one user. Older servers didn't record
    /// whose they were.
    func departures(
        from recipient: InvitationRecipient, by user: UserID? = nil,
        in connection: any SQLConnection
    ) throws -> [Date] {
        let (recipientHash, userHash) = hashesOfDepartures(from: recipient, by: user)
        return try connection.invitationMessageTimes(toNumber: recipientHash, by: userHash)
    }

    func hasDeparture(
        from recipient: InvitationRecipient, since time: Date, in connection: any SQLConnection
    ) throws -> Bool {
        try departures(from: recipient, in: connection).contains { $0 >= time }
    }

    /// Returns what the link of an invitation names as its subject: the invitation's id, or another
    /// id if the invitation was made after a departure. Returns nil if a departure has ended the
    /// invitation. The link of a person who has answered stays valid after their own departure.
    func linkSubject(
        of invitation: Invitation, by owner: UserID, in connection: any SQLConnection
    ) throws -> UUID? {
        guard let recipient = InvitationRecipient(stored: invitation.recipient) else { return nil }
        let departures = try departures(from: recipient, in: connection)
        guard !departures.isEmpty else { return invitation.id.uuid }
        let isPersons = try invitation.contactID.flatMap { try connection.user($0) } != nil
        let made = invitation.createdAt
        guard isPersons || departures.allSatisfy({ $0 < made }) else { return nil }
        guard let last = departures.filter({ $0 < made }).max() else { return invitation.id.uuid }
        return key.invitationID(
            of: owner.uuid, number: "\(invitation.id) after \(last.milliseconds)")
    }

    /// Returns the hashes of all departures, or of those of one user. No number or mailbox has the
    /// first one, and no inviting user the second.
    func hashesOfDepartures(
        from recipient: InvitationRecipient, by user: UserID? = nil
    ) -> (number: Data, user: Data) {
        let name = "left \(recipient.key)"
        let leaver = user.map { key.invitationID(of: $0.uuid, number: "left") }
        return (
            key.hash(invitedNumber: name),
            key.hash(invitationsOf: leaver ?? key.limitsID(ofNumber: name))
        )
    }
}

extension Invitation {
    fileprivate func isTo(_ other: InvitationRecipient) -> Bool {
        InvitationRecipient(stored: recipient)?.key == other.key
    }
}

extension SQLConnection {
    func user(_ recipient: InvitationRecipient) throws -> UserRow? {
        switch recipient {
        case .number(let number): try user(phoneNumber: number)
        case .address(let address): try user(emailAddress: address)
        }
    }

    /// Returns the person with this number or address. Includes the user's acquaintances with
    /// another spelling of the same mailbox.
    func people(at recipient: InvitationRecipient, knownBy user: UserID) throws -> Set<UserID> {
        var people = Set([try self.user(recipient)?.id].compactMap(\.self))
        if let mailbox = recipient.address?.mailbox {
            people.formUnion(try acquaintances(of: user, atMailbox: mailbox))
        }
        return people
    }
}
