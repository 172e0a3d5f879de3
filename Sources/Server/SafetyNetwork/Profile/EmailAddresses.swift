import Cryptography
import Domain
import Foundation
import Persistence
import Synchronization

/// What the unsubscribe link in an e-mail ends, in words for its reader.
public struct UnsubscribeView: Equatable, Sendable {
    /// True if the reader can add the address again in the profile.
    public var hasProfile: Bool
    /// The people that the reader stops helping, by name.
    public var helped: [String]
    /// The inviter's name, if the link only ends the e-mails about this inviter.
    public var inviter: String?
    /// True if the user has an address that was confirmed after the link was made, and that the
    /// link doesn't stop.
    public var isOutdated = false
}

/// The user's e-mail address (product.md, "E-mail").
public struct EmailAddresses: Commands {
    public let core: Core
    let notifier: Notifier
    let accountNews: AccountNews
    let invitationAnswers: InvitationAnswers
    let contacts: Contacts

    private struct Confirmation: Sendable {
        var status: EmailStatus
        /// nil without one.
        var left: FormerAddress?
    }

    /// A former address, which gets a last message.
    private struct FormerAddress: Sendable {
        var address: EmailAddress
        /// Whether the message has the link that ends the session.
        var getsLink: Bool
    }

    public func emailStatus(of caller: Caller) async throws -> EmailStatus {
        try await database.read { try $0.emailStatus(of: caller.userID) }
    }

    /// Stores an unconfirmed address and sends its code. Sends nothing to a mailbox that hasn't
    /// answered (`EmailRules.mayWrite`), because it may belong to another person. A valid code that
    /// the user has there counts again. The result doesn't show whether a message was sent. Throws
    /// `rateLimited`, or `unavailable` without e-mail.
    public func setEmailAddress(
        _ address: EmailAddress, from origin: String, of caller: Caller
    ) async throws -> EmailStatus {
        guard options.isEmailAvailable else {
            throw CommandError.unavailable(RefusalWords.noEmail.detail)
        }
        let code = random.code()
        let row = emailCode(for: address, from: origin, of: caller.userID)
        let (status, isSent) = try await database.write(
            about: Subjects([caller.userID], names: limitedNames(row))
        ) { transaction in
            try checkSession(of: caller, in: transaction)
            return try enter(row, code: code, address, of: caller.userID, in: transaction)
        }
        if isSent { send(code, to: address, row.id) }
        return status
    }

    private func enter(
        _ row: EmailCodeRow, code: String, _ address: EmailAddress, of user: UserID,
        in transaction: Transaction
    ) throws -> (status: EmailStatus, isSent: Bool) {
        guard try transaction.user(user) != nil else { throw CommandError.noSuchUser }
        let now = transaction.now
        guard try transaction.emailStatus(of: user).address != address.text else {
            return (try transaction.emailStatus(of: user), false)
        }
        let limits = options.emailCodeLimits
        let begin = now.adding(.zero - EmailRules.window)
        var sent = try transaction.emailCodeTimes(like: row, since: begin, limit: limits.inAll)
        sent.byUser += try transaction.earlierTimes(of: .emailCode, by: user, since: begin)
        // Somebody with the unlocked phone could replace the address and use up the owner's limit.
        let isFormer = try hasLeft(address, user, in: transaction)
        if isFormer { sent.byUser = [] }
        if let wait = limits.wait(after: sent, at: now) {
            throw CommandError.rateLimited(retryAfter: wait)
        }
        // Sends nothing while a code in the mailbox is valid, even if the user entered another
        // address meanwhile.
        let own = try transaction.unansweredCodes(like: row)
        let usable = own.first {
            SignInRules.isUsable(expiresAt: $0.expiresAt, triesLeft: $0.triesLeft, at: now)
        }
        if let usable {
            try transaction.setNewEmailAddress(address, code: usable.id, of: user)
            return (try transaction.emailStatus(of: user), false)
        }
        let mayWriteAgain =
            isFormer && EmailRules.mayWriteToFormer(unanswered: own.map(\.sentAt), at: now)
        // The address may wait with a code that was not sent.
        let waiting = try transaction.newEmailAddress(of: user)
        if let waiting, waiting.address == address.text, isUsable(waiting.code, at: now),
            !mayWriteAgain
        {
            return (try transaction.emailStatus(of: user), false)
        }
        var row = row
        let unanswered = try transaction.unansweredEmails(toMailbox: row.mailboxHash)
        let mayWrite = mayWriteAgain || EmailRules.mayWrite(unanswered: unanswered, at: now)
        row.state = mayWrite ? .sent : .notSent
        row.codeHash = key.hash(emailCode: code, id: row.id)
        row.expiresAt = now.adding(EmailRules.codeLifetime)
        row.triesLeft = EmailRules.triesPerCode
        try transaction.insert(row)
        try transaction.setNewEmailAddress(address, code: row.id, of: user)
        return (try transaction.emailStatus(of: user), row.state == .sent)
    }

    /// Returns whether the account used this mailbox in the last days.
    private func hasLeft(
        _ address: EmailAddress, _ user: UserID, in transaction: Transaction
    ) throws -> Bool {
        let begin = transaction.now.adding(.zero - EmailRules.returnWithoutLimit)
        return try departures(from: .address(address), by: user, in: transaction)
            .contains { begin < $0 }
    }

    /// Uses the new address from now on. A former address gets a last message. Throws
    /// `invalidArgument` for a wrong or expired code, and `accountLocked`, which keeps the waiting
    /// address and its attempts.
    public func confirmEmailAddress(code: String, of caller: Caller) async throws -> EmailStatus {
        let code = try SignInRules.code(code)
        let outcome: Result<Confirmation, CommandError> = try await database.write(
            about: Subjects([caller.userID])
        ) { transaction in
            guard let user = try transaction.user(caller.userID) else {
                throw CommandError.noSuchUser
            }
            try checkSession(of: caller, in: transaction)
            guard user.lockedAt == nil else { throw CommandError.accountLocked }
            guard let waiting = try transaction.newEmailAddress(of: user.id) else {
                // The answer to an earlier request may have been lost.
                let words = try transaction.emailStatus(of: user.id).address.map {
                    "No new address waits for a code. Messages go to \($0)."
                }
                return .failure(
                    .invalidArgument(field: "code", words ?? "Enter an e-mail address first."))
            }
            var row = waiting.code
            guard isUsable(row, at: transaction.now) else {
                return .failure(
                    .invalidArgument(
                        field: "code",
                        """
                        That code has expired. Use another e-mail address, or enter this one again \
                        \(EmailRules.daysUntilSecondMessage) days after the message.
                        """))
            }
            let isRight = try isProven(in: transaction) {
                key.isHash(row.codeHash, ofEmailCode: code, id: row.id)
            }
            guard isRight else {
                // The transaction returns this error. Throwing it would roll back the counted
                // attempt.
                row.triesLeft -= 1
                try transaction.update(row)
                return .failure(
                    .invalidArgument(
                        field: "code", "That code is not right. Check the message and try again."))
            }
            row.triesLeft = 0
            if row.state == .sent { row.state = .answered }
            try transaction.update(row)
            let left = try formerAddress(of: user.id, in: transaction)
            try transaction.confirmNewEmailAddress(of: user.id)
            // The user must notice a thief who adds an address of their own.
            var notice = Notice(
                text: left == nil
                    ? .emailAdded(waiting.address) : .emailReplaced(by: waiting.address),
                cannotBeMuted: true)
            notice.session = caller.sessionID
            try notifier.notify(Recipient(user).whateverIsMuted, notice, in: transaction)
            let mailbox = (try? EmailAddress(waiting.address))?.mailbox
            let former = left.flatMap { $0.address.mailbox == mailbox ? nil : $0 }
            if let former {
                try noteDeparture(from: .address(former.address), by: user.id, in: transaction)
            }
            return .success(
                Confirmation(
                    status: try transaction.emailStatus(of: user.id), left: former))
        }
        let confirmation = try outcome.get()
        if let left = confirmation.left { sendLastMail(to: left, of: caller) }
        return confirmation.status
    }

    /// Removes the address. The other sessions and the address itself are told, because a thief's
    /// later acts would not be announced there.
    public func deleteEmailAddress(of caller: Caller) async throws {
        // After a commit with an unknown outcome, the second run may find no address.
        let left = Mutex<FormerAddress?>(nil)
        try await database.write(
            about: Subjects([caller.userID], isRepeatable: true)
        ) { transaction in
            let former = try formerAddress(of: caller.userID, in: transaction)
            guard try transaction.deleteEmailAddress(of: caller.userID), let former else { return }
            try noteDeparture(
                from: .address(former.address), by: caller.userID, in: transaction)
            try accountNews.announce(
                .emailRemoved, doneBy: caller, isOncePerWindow: false, in: transaction)
            left.withLock { $0 = former }
        }
        if let former = left.withLock({ $0 }) { sendLastMail(to: former, of: caller) }
    }

    private func formerAddress(
        of user: UserID, in transaction: Transaction
    ) throws -> FormerAddress? {
        guard let email = try transaction.confirmedEmail(of: user),
            let address = try? EmailAddress(email.address)
        else { return nil }
        return FormerAddress(
            address: address,
            getsLink: EmailRules.maySendSessionLink(
                confirmedAt: email.verifiedAt, at: transaction.now))
    }

    /// Bypasses the delivery queue, which knows only the present address.
    private func sendLastMail(to former: FormerAddress, of caller: Caller) {
        guard options.isEmailAvailable else { return }
        let link = accountNews.sessionLink(caller.userID, caller.sessionID)
        let mail = NotificationText.emailLeft(sessionLink: former.getsLink ? link : nil)
        sendMail(former.address, subject: mail.subject, paragraphs: mail.paragraphs)
    }

    /// Stops e-mails to an address by a link in one of them. A new address that awaits its code
    /// stays. Changes nothing if the link was used before, or if the address was changed or
    /// confirmed since. Returns false for a forged link.
    public func unsubscribe(_ text: String) async throws -> Bool {
        if let isKnown = try await invitationAnswers.declineInvitation(by: text) { return isKnown }
        guard let token = try await verified({ UnsubscribeToken(text, key: key) }) else {
            return false
        }
        let user = UserID(token.user)
        try await database.write(about: Subjects([user], isRepeatable: true)) { transaction in
            guard let row = try transaction.user(user),
                let email = try transaction.confirmedEmail(of: user),
                token.isAbout(email.address, verifiedAt: email.verifiedAt, key: key),
                try transaction.removeConfirmedEmail(of: user)
            else { return }
            // A guest leaves no account. Their inviters must not write again.
            if row.guestSince == nil, let address = try? EmailAddress(email.address) {
                try noteDeparture(from: .address(address), by: user, in: transaction)
            }
            try notifier.notify(
                Recipient(row).whateverIsMuted, Notice(text: .emailStopped), in: transaction)
        }
        try await leaveAsGuest(user)
        return true
    }

    /// Returns what an unsubscribe link would end now; nil for a forged link, and for one of an
    /// invitation that is gone.
    public func unsubscribeView(_ text: String) async throws -> UnsubscribeView? {
        if let refusal = try await verified({ LinkToken(text, .refusal, key: key) }) {
            let invitation = try await invitationAnswers.invitation(
                by: refusal.text(.invitation, key: key))
            return invitation.map {
                UnsubscribeView(
                    hasProfile: false, helped: $0.state == .accepted ? [$0.sender] : [],
                    inviter: $0.sender)
            }
        }
        guard let token = try await verified({ UnsubscribeToken(text, key: key) }) else {
            return nil
        }
        let user = UserID(token.user)
        return try await database.read { connection -> UnsubscribeView? in
            let row = try connection.user(user)
            let hasProfile = row.map { $0.guestSince == nil } ?? false
            var view = UnsubscribeView(hasProfile: hasProfile, helped: [])
            guard let email = try connection.confirmedEmail(of: user) else { return view }
            view.isOutdated = !token.isAbout(
                email.address, verifiedAt: email.verifiedAt, key: key)
            guard !view.isOutdated, row?.hasOnlyEmail == true else { return view }
            view.helped = try connection.contacts(of: user)
                .filter { $0.relation.dependent.isInForce }
                .compactMap { try connection.user($0.contact)?.displayName }.sorted()
            return view
        }
    }

    /// Ends the relations of a guest without a working channel, and notifies the others.
    private func leaveAsGuest(_ user: UserID) async throws {
        let owners = try await database.read { connection -> [UserID] in
            guard try connection.user(user)?.hasOnlyEmail == true,
                try connection.confirmedEmail(of: user) == nil
            else { return [] }
            return try connection.contacts(of: user).map(\.contact)
        }
        for owner in owners {
            try await contacts.endHelp(of: user, for: owner)
        }
    }

    /// Ends the relations of at most a hundred guests without a channel.
    func partFromUnreachableGuests() async throws {
        for guest in try await database.read({ try $0.unreachableGuests(limit: 100) }) {
            try await leaveAsGuest(guest)
        }
    }

    /// Tells the owner, even if muted, that their address doesn't work. Runs in the transaction
    /// that discovers this.
    public func notifyOwner(
        ofEmail user: UserID, _ news: EndpointNews, in transaction: Transaction
    ) throws {
        guard let owner = try transaction.user(user) else { return }
        let text: NotificationText = news == .gone ? .emailIsGone : .emailGivenUp
        try notifier.notify(Recipient(owner).whateverIsMuted, Notice(text: text), in: transaction)
    }

    private func isUsable(_ row: EmailCodeRow, at now: Date) -> Bool {
        SignInRules.isUsable(expiresAt: row.expiresAt, triesLeft: row.triesLeft, at: now)
    }

    private func emailCode(
        for address: EmailAddress, from origin: String, of user: UserID
    ) -> EmailCodeRow {
        let origin = NetworkAddress(origin)
        let id: CodeRequestID = newID()
        return EmailCodeRow(
            id: id.uuid, mailboxHash: key.hash(mailbox: address.mailbox),
            userHash: key.hash(emailOf: user.uuid), addressHash: key.hash(address: origin.key),
            networkHash: origin.network.map { key.hash(address: $0) })
    }

    /// Returns names to lock. Requests that share one of them run one after the other.
    private func limitedNames(_ row: EmailCodeRow) -> [String] {
        let hashes = [row.mailboxHash, row.addressHash, row.networkHash].compactMap(\.self)
        return ["all e-mail codes"] + hashes.map { "e-mail \($0.base64EncodedString())" }
    }

    private func send(_ code: String, to address: EmailAddress, _ id: UUID) {
        sendEmailCode(address, code) {
            // If this fails, the lost mail counts towards the limits.
            try? await database.write(about: .none) { try $0.forgetEmail(withCode: id) }
        }
    }
}

extension SQLConnection {
    /// Returns the confirmed address; nil if there is none.
    func confirmedAddress(of user: UserID) throws -> EmailAddress? {
        try confirmedEmail(of: user).flatMap { try? EmailAddress($0.address) }
    }
}
