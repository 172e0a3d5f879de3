import Cryptography
import Domain
import Foundation
import Persistence

public struct AccountDeletion: Commands {
    public let core: Core
    let notifier: Notifier
    let refusedAlerts: RefusedAlerts
    let responding: Responding
    let invitations: Invitations
    let relations: Relations
    let drills: Drills
    let codes: Codes

    /// Where the last messages to the former user go.
    private struct Farewell {
        var number: PhoneNumber?
        var address: EmailAddress?
        /// nil if it isn't known.
        var signUp: SignUpMode?
    }

    /// Deletes everything about the user at once, and notifies the contacts and the user's e-mail
    /// address: somebody else may have read the code. Throws `invalidArgument` for a missing, wrong
    /// or expired code.
    /// - Parameter code: the code of `requestDeletionCode`, required if the server can send one. A
    ///   person who finds a signed-in device must not be able to delete the account.
    public func deleteAccount(
        of caller: Caller, code: String? = nil, requestID: CodeRequestID? = nil
    ) async throws {
        let number = try await codes.codeNumber(of: caller)
        if number != nil, code == nil {
            throw CommandError.invalidArgument(
                field: "code",
                "Ask for a code for deleting your account, and send it along.",
                reason: .codeNeeded)
        }
        let outcome = try await database.write(
            about: Subjects([caller.userID], names: [number?.text].compactMap(\.self)) {
                try $0.contacts(of: caller.userID).map(\.contact)
            }
        ) { transaction -> Result<Farewell, CommandError> in
            guard let user = try transaction.user(caller.userID) else {
                throw CommandError.noSuchUser
            }
            if let number {
                // The transaction returns this error. Throwing it would roll back the counted
                // attempt.
                let asker = CodeAsker(requestID: requestID, deletingBy: caller.sessionID)
                if case .unauthenticated(let words)? = try codes.use(
                    code: try SignInRules.code(code ?? ""), for: number, by: asker, .deletion,
                    in: transaction)
                {
                    return .failure(.invalidArgument(field: "code", words))
                }
            }
            return .success(try delete(user, in: transaction))
        }
        tell(try outcome.get())
    }

    /// Deletes the account of a person for an administrator, who needs no code. Notifies the
    /// person's number, too.
    /// - Parameter record: writes the log, in the same transaction.
    /// - Returns: who can sign up again; nil if it isn't known.
    func deleteAccount(
        of person: UserID, reason: String,
        record: @escaping @Sendable (Transaction) throws -> Void
    ) async throws -> SignUpMode? {
        let farewell = try await database.write(
            about: Subjects([person]) { try $0.contacts(of: person).map(\.contact) }
        ) { transaction -> Farewell in
            guard let user = try transaction.user(person), user.guestSince == nil else {
                throw Administration.noSuchPerson
            }
            try record(transaction)
            return try delete(user, byAdministrator: true, in: transaction)
        }
        tell(farewell, reason: reason)
        return farewell.signUp
    }

    /// Sends the last messages. Bypasses the delivery queue, whose rows belong to users.
    /// - Parameter reason: an administrator's; nil if a device of the user deleted the account.
    private func tell(_ farewell: Farewell, reason: String? = nil) {
        if let number = farewell.number {
            sendText(number, NotificationText.accountDeletedText(signUp: farewell.signUp))
        }
        guard let address = farewell.address, options.isEmailAvailable else { return }
        let mail = NotificationText.lastMail(deletedFor: reason, signUp: farewell.signUp)
        sendMail(address, subject: mail.subject, paragraphs: mail.paragraphs)
    }

    /// Returns where the last messages to the user go. Charges the text message.
    private func prepareFarewell(
        to user: UserRow, byAdministrator: Bool, in transaction: Transaction
    ) throws -> Farewell {
        var farewell = Farewell(
            address: try transaction.confirmedAddress(of: user.id),
            signUp: try options.knowsSignUp
                ? SignUpTokens(core: core).mode(in: transaction) : nil)
        if byAdministrator, let number = user.phoneNumber, user.smsStoppedAt == nil,
            try transaction.spend(.alertBegin, on: .sms, by: user.id, options.budgets)
        {
            farewell.number = number
        }
        return farewell
    }

    /// Keeps what the limits count under a keyed hash of the number. `SignIn` gives it to the
    /// number's next account. Otherwise people could reset their limits by deleting the account.
    private func keepLimits(of user: UserRow, in transaction: Transaction) throws {
        guard let number = user.phoneNumber else { return }
        let now = transaction.now
        let keeper = UserID(key.limitsID(ofNumber: number.text))
        try transaction.moveCharges(
            of: user.id, to: keeper, since: now.adding(.zero - InvitationRules.window))
        let invitations = try transaction.invitationTimes(
            userHash: key.hash(invitationsOf: user.id.uuid),
            since: now.adding(.zero - InvitationRules.window))
        try transaction.note(.invitation, at: invitations, by: keeper)
        let emails = try transaction.emailCodeTimes(
            userHash: key.hash(emailOf: user.id.uuid),
            since: now.adding(.zero - EmailRules.window))
        try transaction.note(.emailCode, at: emails, by: keeper)
    }

    private func delete(
        _ user: UserRow, byAdministrator: Bool = false, in transaction: Transaction
    ) throws -> Farewell {
        // Before `keepLimits`, which moves the charge.
        let farewell = try prepareFarewell(
            to: user, byAdministrator: byAdministrator, in: transaction)
        // Names no session as the caller's.
        let sessions = try transaction.sessions(of: Caller(userID: user.id, sessionID: newID()))
        for session in sessions { transaction.forget(session: session.id) }
        let contacts = try transaction.contacts(of: user.id)
        var reached = try transaction.reachOfOpenAlerts(of: user.id)
        for open in try transaction.openAlerts(of: user.id) {
            try supersede(open, in: transaction)
            try transaction.addAttempts(about: open, to: &reached)
        }
        // Read before the user leaves the alerts. The departure may leave only people who refused.
        let unrefused = try refusedAlerts.unrefusedAlerts(
            of: contacts.map(\.contact), in: transaction)
        let protections = try relations.protections(
            of: contacts.map(\.contact), in: transaction)
        for row in contacts {
            try responding.releaseAcknowledgements(
                by: user.id, owner: row.contact, in: transaction)
        }
        let journey = try transaction.journey(of: user.id)
        try transaction.withdrawDrill(of: user.id, reason: .superseded)
        for row in contacts {
            try drills.leaveDrill(of: row.contact, user.id, in: transaction)
            try invitations.endInvitations(of: row.contact, to: user, in: transaction)
        }
        try transaction.withdrawNews(
            about: user.id, to: contacts.map(\.contact).sorted())
        try keepLimits(of: user, in: transaction)
        try keepStop(of: user, in: transaction)
        if let number = user.phoneNumber {
            try noteDeparture(from: .number(number), by: nil, in: transaction)
        }
        if let address = try transaction.confirmedAddress(of: user.id) {
            try noteDeparture(from: .address(address), by: nil, in: transaction)
        }
        try transaction.deleteUser(user)
        for row in contacts {
            try transaction.append(.contactRemoved(.init(contactID: user.id)), to: row.contact)
            guard let other = try transaction.user(row.contact) else { continue }
            let goodbye = Goodbye(
                alert: reached[row.contact], relation: row.relation,
                expectedReturn: journey?.returnAwaited(by: row.contact),
                byAdministrator: byAdministrator)
            try send(goodbye, of: user, to: other, in: transaction)
        }
        try refusedAlerts.restartRefused(among: unrefused, by: user.id, in: transaction)
        try relations.notifyOfLosses(since: protections, in: transaction)
        return farewell
    }

    /// What a contact is told about.
    private struct Goodbye {
        /// How the contact was told of the open alert that the deletion ends; nil without one.
        var alert: AlertReach?
        var relation: Relation
        /// The journey's return that the contact was told of; nil without one.
        var expectedReturn: Date?
        var byAdministrator: Bool
    }

    /// Tells a contact of the deletion. To contacts who were told of an open alert, this is its
    /// end.
    private func send(
        _ goodbye: Goodbye, of user: UserRow, to contact: UserRow, in transaction: Transaction
    ) throws {
        let (alert, relation) = (goodbye.alert, goodbye.relation)
        let isResponder = relation.responder.isInForce
        let text = NotificationText.accountDeleted(
            name: user.displayName, byAdministrator: goodbye.byAdministrator,
            duringAlert: alert != nil, expected: isResponder ? goodbye.expectedReturn : nil)
        var recipient = Recipient(contact)
        recipient.readTimes(like: user)
        recipient.isAccepted = alert == nil || relation.isConnected
        // A responder must not rely on alerts that can't come any more. The contact of a
        // responder loses one.
        var notice = Notice(
            text: text, isUrgent: alert != nil,
            cannotBeMuted: isResponder || relation.dependent.isInForce,
            purpose: alert == nil ? .other : .alertEnd, bySMS: alert?.bySMS == true)
        notice.hasTextInReserve = alert?.endText == .inReserve && isResponder
        try notifier.notify(recipient, notice, in: transaction)
    }
}

extension Journey {
    /// Returns the return that the responder was told of; nil after the journey's end or its alert.
    fileprivate func returnAwaited(by responder: UserID) -> Date? {
        guard isRunning, alert == nil, tellsResponders, responders?.contains(responder) ?? true
        else { return nil }
        return expectedReturn
    }
}
