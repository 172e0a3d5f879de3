import Cryptography
import Domain
import Foundation
import Persistence

/// People who become responders by a text message, with no account.
extension SafetyNetwork {
    /// Oldest first.
    public func invitations(of caller: Caller) async throws -> [Invitation] {
        try await database.read { connection in
            guard try connection.user(caller.userID) != nil else { throw Self.noSuchUser }
            return try connection.invitations(of: caller.userID)
        }
    }

    /// Asks the phone's owner by one message to be a responder. The answer is the same whether the
    /// number has an account, has blocked the caller, or may not be written to. Throws
    /// `alreadyExists` for a contact, `invalidArgument` for one's own number or too many
    /// invitations, `permissionDenied` for a sender whose name is none, `rateLimited`,
    /// `unavailable` on a server without SMS.
    public func invite(
        _ name: String, _ number: PhoneNumber, by caller: Caller
    ) async throws -> Invitation {
        guard options.isSMSAvailable else {
            throw CommandError.unavailable("This server sends no text messages.")
        }
        let name = try InvitationRules.name(name)
        let id = InvitationID(
            key.invitationID(of: caller.userID.uuid, number: number.text))
        let (invitation, sender) = try await database.write(
            about: Subjects(
                [caller.userID], names: [number.text],
                search: { try $0.user(phoneNumber: number).map { [$0.id] } ?? [] })
        ) { transaction -> (Invitation, String?) in
            guard let me = try transaction.user(caller.userID) else { throw Self.noSuchUser }
            let sender = try InvitationRules.sender(me.displayName)
            let them = try transaction.user(phoneNumber: number)
            try check(me, inviting: number, them, in: transaction)
            let known = try transaction.invitations(of: me.id)
            if let same = known.first(where: { $0.id == id }) { return (same, nil) }
            guard known.count < InvitationRules.limit else {
                throw CommandError.invalidArgument(
                    field: "phoneNumber",
                    "You have \(InvitationRules.limit) invitations. Take one back first.")
            }
            let mayWrite = try enter(number, them, by: me, in: transaction)
            let invitation = Invitation(
                id: id, name: name, phoneNumber: number.text, state: .pending,
                createdAt: transaction.now)
            try transaction.save(invitation, of: me.id)
            return (invitation, mayWrite ? sender : nil)
        }
        if let sender {
            sendInvitation(
                to: number,
                NotificationText.invitation(
                    sender: sender, link: link(.invitation, caller.userID.uuid, id.uuid)))
        }
        return invitation
    }

    private func check(
        _ me: UserRow, inviting number: PhoneNumber, _ them: UserRow?, in transaction: Transaction
    ) throws {
        guard number != me.phoneNumber else {
            throw CommandError.invalidArgument(
                field: "phoneNumber", "That is your own number. Enter another person's.")
        }
        guard try transaction.countContacts(of: me.id) < ContactRules.limit else {
            throw CommandError.invalidArgument(
                field: "phoneNumber", "You have 200 contacts, which is the most there can be.",
                reason: .contactsFull)
        }
        guard let them else { return }
        // The number of somebody who has not agreed to anything yet is not revealed.
        if let contact = try transaction.contact(them.id, of: me.id), contact.relation.isConnected {
            throw CommandError.alreadyExists("\(them.displayName) is your contact already.")
        }
        if let block = try block(of: them, by: me.id, in: transaction) {
            throw CommandError.permissionDenied("You blocked \(block.name). Unblock them first.")
        }
    }

    /// Returns whether a message goes out.
    private func enter(
        _ number: PhoneNumber, _ them: UserRow?, by me: UserRow, in transaction: Transaction
    ) throws -> Bool {
        let now = transaction.now
        let userHash = key.hash(invitationsOf: me.id.uuid)
        let numberHash = key.hash(invitedNumber: number.text)
        let made = try transaction.invitationTimes(
            userHash: userHash, since: now.adding(.zero - InvitationRules.window))
        if let wait = InvitationRules.wait(after: made, at: now) {
            throw CommandError.rateLimited(retryAfter: wait)
        }
        let messages = try transaction.invitationMessages(toNumber: numberHash, by: userHash)
        var past = PastInvitations()
        past.hasWrittenBefore = messages.isByUser
        past.messages = messages.times
        past.hasAgreed = them != nil
        past.isBlocked =
            try them.map { try block(of: me, by: $0.id, in: transaction) != nil } ?? false
        let mayWrite =
            InvitationRules.mayWrite(after: past, at: now) && them?.smsStoppedAt == nil
        if mayWrite, try !transaction.spend(.everyday, on: .sms, by: me.id, options.budgets) {
            throw CommandError.rateLimited(retryAfter: Budget.rest(ofDayAt: now))
        }
        let row: InvitationID = newID()
        try transaction.insert(
            InvitationMessageRow(
                id: row.uuid, numberHash: numberHash, userHash: userHash, wasSent: mayWrite))
        return mayWrite
    }

    /// Takes an invitation back, or forgets one that was declined. Throws `notFound`, and
    /// `alreadyExists` when the person has said yes.
    public func withdrawInvitation(_ id: InvitationID, by caller: Caller) async throws {
        try await database.write(about: Subjects([caller.userID])) { transaction in
            guard
                let invitation = try transaction.invitations(of: caller.userID)
                    .first(where: { $0.id == id })
            else { throw CommandError.notFound("There is no such invitation.") }
            guard invitation.state != .accepted else {
                throw CommandError.alreadyExists(
                    "\(invitation.name) said yes. Remove the contact instead.")
            }
            try transaction.deleteInvitation(id, of: caller.userID)
        }
    }

    /// The address of a page, with its secret in the fragment, which no server is sent.
    func link(_ purpose: LinkToken.Purpose, _ owner: UUID, _ subject: UUID) -> URL {
        LinkPath.url(
            options.publicURL, purpose,
            secret: LinkToken(owner: owner, subject: subject).text(purpose, key: key))
    }
}

/// The addresses of the pages for people without an account.
public enum LinkPath {
    public static let invitation = "/i"
    public static let alert = "/a"

    public static func url(_ base: URL, _ purpose: LinkToken.Purpose, secret: String) -> URL {
        let path = purpose == .invitation ? invitation : alert
        var parts = URLComponents(
            url: base.appendingPathComponent(path), resolvingAgainstBaseURL: false)
        parts?.fragment = secret
        return parts?.url ?? base
    }
}
