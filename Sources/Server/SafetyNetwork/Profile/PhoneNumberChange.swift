import Domain
import Foundation
import Persistence

public struct PhoneNumberChange: Commands {
    public let core: Core
    let notifier: Notifier
    let profiles: Profiles
    let codes: Codes
    let accountNews: AccountNews

    private struct Outcome: Sendable {
        var profile: UserProfile
        /// The number that gets a text message, and the message; nil without one.
        var told: (number: PhoneNumber, text: String)?
    }

    /// Moves the account to another number, proven by a code. Thieves of an account change its
    /// number, so the old number, the user's sessions and the contacts are notified. With the
    /// sign-in lock, the change waits for 7 days (`NumberMoves`), and each session can stop it. If
    /// another device ends the session that began it, the change ends too. A change back to a
    /// number that the account left in the last 7 days doesn't wait.
    /// Throws `unauthenticated` for a wrong code, `alreadyExists` if the number has an account,
    /// and `invalidArgument` for the number of a guest who is somebody's contact.
    public func changePhoneNumber(
        to number: PhoneNumber, code: String, by asker: CodeAsker = CodeAsker(), of caller: Caller
    ) async throws -> UserProfile {
        let code = try SignInRules.code(code)
        let outcome: Result<Outcome, CommandError> =
            try await database.write(
                about: Subjects(
                    [caller.userID], names: [number.text],
                    search: { try [$0.owner(ofNumber: number)].compactMap(\.self) })
            ) { transaction in
                try checkSession(of: caller, in: transaction)
                guard let user = try transaction.user(caller.userID) else {
                    throw CommandError.noSuchUser
                }
                // A repeat after a lost answer. Its code was used.
                guard number != user.phoneNumber else {
                    return .success(
                        Outcome(profile: try profiles.profile(of: user.id, in: transaction)))
                }
                if let refusal = try codes.use(
                    code: code, for: number, by: asker, in: transaction)
                {
                    return .failure(refusal)
                }
                let isLocked =
                    try transaction.hasSignInLock(user.id)
                    && !takesBack(number, for: user, in: transaction)
                // A change that waits deletes the guest only when it takes effect.
                guard try isLocked ? transaction.isFree(number) : transaction.free(number) else {
                    let holder = try transaction.user(phoneNumber: number)
                    return .failure(refusal(isGuest: holder?.guestSince != nil))
                }
                let text: String?
                if isLocked {
                    text = try begin(user, to: number, by: caller, in: transaction)
                } else {
                    try change(user, to: number, by: caller.sessionID, in: transaction)
                    // The code has come by SMS. No code goes to a test number.
                    if options.testNumbers[number] == nil {
                        try transaction.proveTexts(to: user.id)
                    }
                    text = NotificationText.numberLeft
                }
                var changed = Outcome(profile: try profiles.profile(of: user.id, in: transaction))
                if let text, let old = user.phoneNumber, user.smsStoppedAt == nil,
                    try transaction.spend(.alertBegin, on: .sms, by: user.id, options.budgets)
                {
                    changed.told = (old, text)
                }
                return .success(changed)
            }
        let changed = try outcome.get()
        if let (number, text) = changed.told { sendText(number, text) }
        return changed.profile
    }

    /// Returns whether the account left this number lately. Somebody with the unlocked phone could
    /// change the number and then turn the lock on.
    private func takesBack(
        _ number: PhoneNumber, for user: UserRow, in transaction: Transaction
    ) throws -> Bool {
        func departures(_ number: PhoneNumber) throws -> [Date] {
            try self.departures(from: .number(number), by: user.id, in: transaction)
        }
        return SignInLockRules.takesNumberBack(
            left: try departures(number),
            leftPresent: try user.phoneNumber.map { try departures($0) } ?? [],
            at: transaction.now)
    }

    /// - Parameter isGuest: true if a guest has the number, false if an account has it.
    private func refusal(isGuest: Bool) -> CommandError {
        guard isGuest else { return .alreadyExists(RefusalWords.numberTaken.detail) }
        return .invalidArgument(
            field: "phoneNumber", RefusalWords.guestNumber.detail, reason: .guestNumber)
    }

    /// Begins the wait, in place of a change to another number that waits. Returns the text for the
    /// present number; nil if this change waits already.
    private func begin(
        _ user: UserRow, to number: PhoneNumber, by caller: Caller, in transaction: Transaction
    ) throws -> String? {
        guard try transaction.numberMove(of: user.id)?.phoneNumber != number else { return nil }
        _ = try transaction.deleteNumberMove(of: user.id)
        let end = transaction.now.adding(SignInLockRules.wait)
        try transaction.insert(
            NumberMove(phoneNumber: number, takesEffectAt: end), of: user.id,
            begunBy: caller.sessionID)
        try transaction.append(.profileChanged, to: user.id)
        try accountNews.announce(
            .numberWillChange(to: number, at: end), doneBy: caller, isOncePerWindow: false,
            in: transaction)
        return NotificationText.numberWaits(at: options.publicURL.absoluteString)
    }

    /// Stores the new number, and tells the user's sessions and contacts.
    /// - Parameter session: the session that began the change; nil for an administrator's change.
    func change(
        _ user: UserRow, to number: PhoneNumber, by session: SessionID?, in transaction: Transaction
    ) throws {
        try keepStop(of: user, in: transaction)
        if let old = user.phoneNumber {
            try noteDeparture(from: .number(old), by: user.id, in: transaction)
        }
        try transaction.updatePhoneNumber(number, of: user.id)
        // A former device could find the new number by the codes that are reserved for it.
        try transaction.forgetDevices(of: user.id)
        try profiles.announceProfileChange(of: user.id, in: transaction)
        try notifyOfNewNumber(number, of: user, by: session, in: transaction)
    }

    private func notifyOfNewNumber(
        _ number: PhoneNumber, of user: UserRow, by session: SessionID?, in transaction: Transaction
    ) throws {
        // Goes to all devices, unlike `AccountNews.announce`: the owner may have only this one.
        var notice = Notice(text: .numberChanged(to: number), cannotBeMuted: true)
        notice.session = session
        try notifier.notify(Recipient(user).whateverIsMuted, notice, in: transaction)
        for row in try transaction.contacts(of: user.id) where row.relation.isConnected {
            guard let contact = try transaction.user(row.contact) else { continue }
            let news = Notice(
                text: .contactNumberChanged(name: user.displayName), about: user.id,
                cannotBeMuted: true)
            try notifier.notify(Recipient(contact), news, in: transaction)
        }
    }
}

extension Recipient {
    /// Copy without muted types, for messages about the account itself.
    var whateverIsMuted: Recipient {
        var recipient = self
        recipient.preferences = .standard
        return recipient
    }
}
