import Domain
import Foundation
import Persistence

/// Changes of a phone number that wait: by an administrator for a day, for people who have lost
/// theirs, and by the person for 7 days, with the sign-in lock. Each session can stop them.
public struct NumberMoves: Commands {
    public let core: Core
    let notifier: Notifier
    let profiles: Profiles
    let administration: Administration
    let phoneNumberChange: PhoneNumberChange
    let recovery: Recovery

    private typealias Text = (number: PhoneNumber, text: String)

    private static let page = 100
    private static let noMove = CommandError.notFound("No change of your number is waiting.")

    private static let numberTaken = CommandError.alreadyExists(
        "The new number has an account, or has accepted an invitation.")

    private static let numberAwaited = CommandError.alreadyExists(
        "A change of another account to this number is waiting.")

    /// What the log has as administrator and reason if a change that is due can't be made.
    private static let server = "the server"
    private static let taken = "The number stays: another person has the new number."

    private static let codeTooNew = CommandError.invalidArgument(
        field: "recoveryCode",
        """
        The sign-in lock is on, and these recovery codes were made less than 7 days ago. Leave the \
        code out: the number then changes in 24 hours.
        """, reason: .recoveryCodeTooNew)

    /// Begins a change, which takes effect in 24 hours, or at once with a recovery code. Replaces a
    /// change that the person began, and an administrator's to another number, which may have been
    /// mistyped. Revokes the unused links that sign in the new number: an account that one opens
    /// would end the change. Throws `alreadyExists` if the new number has an account or a guest who
    /// is somebody's contact, if an administrator's change to it waits, or, without a recovery
    /// code, if another person's change to it waits.
    public func move(
        _ number: String, to typed: String, reason: String, recoveryCode: String? = nil,
        by administrator: String
    ) async throws -> AdminDone {
        let reason = try AdminRules.reason(reason)
        let new = try PhoneNumber(typed: typed, field: "to")
        let id = try await administration.find(number)
        if let recoveryCode {
            return try await moveNow(
                id, to: new, reason, try RecoveryCodeRules.characters(typed: recoveryCode),
                by: administrator)
        }
        let address = options.publicURL.absoluteString
        let (told, ended) = try await database.write(
            about: Subjects([id], names: [new.text])
        ) { transaction -> (told: Text?, ended: Int) in
            guard let user = try transaction.user(id) else { throw Administration.noSuchPerson }
            guard try transaction.isFree(new) else { throw Self.numberTaken }
            guard try !transaction.isAwaited(new, byOthersThan: id) else {
                throw Self.numberAwaited
            }
            if let waiting = try transaction.numberMove(of: id) {
                let isOwn = try transaction.sessionOfNumberMove(of: id) != nil
                guard isOwn || waiting.phoneNumber != new else {
                    throw CommandError.alreadyExists("A change to this number is waiting already.")
                }
                _ = try transaction.deleteNumberMove(of: id)
            }
            let due = transaction.now.adding(NumberMove.delay)
            try transaction.insert(NumberMove(phoneNumber: new, takesEffectAt: due), of: id)
            let ended = try Self.endLinks(to: new, in: transaction)
            try administration.change(
                user, .move, reason, .numberMoves(to: new, at: due), by: administrator,
                in: transaction)
            guard user.smsStoppedAt == nil, let number = user.phoneNumber else {
                return (told: nil, ended: ended)
            }
            let isLocked = try transaction.hasSignInLock(id)
            let text = NotificationText.numberWillLeave(at: address, isLocked: isLocked)
            return (told: (number: number, text: text), ended: ended)
        }
        if let told { sendText(told.number, told.text) }
        let text =
            told != nil && options.isSMSAvailable
            ? "The present number gets a text message."
            : "No text message goes to the present number."
        return AdminDone(
            message: """
                The number changes in 24 hours. If the account is locked then, it changes when \
                it is unlocked. All sessions are told, and each can stop it until then. \(text)\
                \(Self.words(endedLinks: ended))
                """)
    }

    /// Revokes the links that sign in a number. Returns how many could still be used.
    private static func endLinks(
        to number: PhoneNumber, in transaction: Transaction
    ) throws -> Int {
        let usable = try transaction.signUpTokens().filter {
            $0.phoneNumber == number && $0.state(at: transaction.now) == .usable
        }
        try transaction.revokeSignUpTokens(for: [number.text])
        return usable.count
    }

    private static func words(endedLinks count: Int) -> String {
        switch count {
        case 0: ""
        case 1: " The unused link for the new number was revoked."
        default: " \(count) unused links for the new number were revoked."
        }
    }

    /// Returns the person and the number's present owner, a guest that the change may delete.
    private func subjects(moving id: UserID, to new: PhoneNumber) -> Subjects {
        Subjects(
            [id], names: [new.text],
            search: { try [$0.owner(ofNumber: new)].compactMap(\.self) })
    }

    /// Changes the number at once, because the person has told a recovery code. A waiting change
    /// ends.
    private func moveNow(
        _ id: UserID, to new: PhoneNumber, _ reason: String, _ code: String,
        by administrator: String
    ) async throws -> AdminDone {
        let left: PhoneNumber? = try await database.write(
            about: subjects(moving: id, to: new)
        ) { transaction in
            guard let user = try transaction.user(id), user.guestSince == nil else {
                throw Administration.noSuchPerson
            }
            // A failure below undoes this, too.
            guard try transaction.free(new) else { throw Self.numberTaken }
            // Somebody with the unlocked phone may have made them.
            if let lock = try transaction.signInLock(of: id),
                SignInLockRules.isOn(endsAt: lock.endsAt, at: transaction.now),
                !SignInLockRules.codesUnlock(madeAt: lock.codesMadeAt, at: transaction.now)
            {
                throw Self.codeTooNew
            }
            guard try recovery.take(code, of: id, in: transaction) else {
                throw Recovery.wrongCode
            }
            _ = try transaction.deleteNumberMove(of: id)
            let rest = try transaction.recoveryCodes(of: id)
            try administration.change(
                user, .move, reason, .recoveryCodeUsed(left: rest), by: administrator,
                in: transaction)
            try phoneNumberChange.change(user, to: new, by: nil, in: transaction)
            return user.smsStoppedAt == nil ? user.phoneNumber : nil
        }
        if let left { sendText(left, NotificationText.numberLeft) }
        return AdminDone(message: "The number has changed. All sessions are told.")
    }

    /// Stops the change of the caller's number. Throws `notFound` without one.
    public func stop(of caller: Caller) async throws -> UserProfile {
        try await database.write(about: Subjects([caller.userID])) { transaction in
            guard try transaction.deleteNumberMove(of: caller.userID),
                let user = try transaction.user(caller.userID)
            else { throw Self.noMove }
            try transaction.append(.profileChanged, to: user.id)
            try notifier.notify(
                Recipient(user).whateverIsMuted,
                Notice(text: .numberMoveStopped, cannotBeMuted: true), in: transaction)
            return try profiles.profile(of: user.id, in: transaction)
        }
    }

    /// Makes the changes that are due. A change of a locked account waits until the account is
    /// unlocked. A change ends without effect if the new number has got an account, or a guest who
    /// is somebody's contact: the person is told why, and the log has the end of an
    /// administrator's change. Returns how many numbers changed.
    public func pass() async throws -> Int {
        var (changed, last): (Int, UserID?) = (0, nil)
        while true {
            let due = try await database.read { [last] in
                try $0.dueNumberMoves(after: last, limit: Self.page)
            }
            for id in due {
                guard let move = try await database.read({ try $0.numberMove(of: id) }) else {
                    continue
                }
                changed += try await take(move, of: id) ? 1 : 0
            }
            guard due.count == Self.page, let end = due.last else { return changed }
            last = end
        }
    }

    private func take(_ move: NumberMove, of id: UserID) async throws -> Bool {
        let new = move.phoneNumber
        return try await database.write(about: subjects(moving: id, to: new)) { transaction in
            // Reads the row again, because the person may have stopped the change.
            guard try transaction.numberMove(of: id) == move,
                move.takesEffectAt <= transaction.now, let user = try transaction.user(id),
                user.lockedAt == nil
            else { return false }
            let session = try transaction.sessionOfNumberMove(of: id)
            _ = try transaction.deleteNumberMove(of: id)
            guard try transaction.free(new) else {
                if session == nil {
                    try administration.record(
                        .move, Self.taken, about: id, by: Self.server, in: transaction)
                }
                try transaction.append(.profileChanged, to: id)
                try notifier.notify(
                    Recipient(user).whateverIsMuted,
                    Notice(text: .newNumberTaken, cannotBeMuted: true), in: transaction)
                return false
            }
            try phoneNumberChange.change(user, to: new, by: session, in: transaction)
            return true
        }
    }
}
