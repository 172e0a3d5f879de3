import Domain
import Foundation
import Persistence

/// Begins the waits that protect an account again, and ends links that sign in, after a restore
/// from a backup. The backup doesn't know which of them were stopped or used since.
struct RestoredWaits: Commands {
    let core: Core
    let notifier: Notifier

    typealias Text = (number: PhoneNumber, text: String)

    /// - Parameter backup: until when the data of the backup is complete.
    /// - Returns: the text messages to send once the transaction is stored.
    func beginAgain(after backup: Date, in transaction: Transaction) throws -> [Text] {
        // The next code begins a wait and announces it.
        try transaction.deleteUnstoppedSignInWaits()
        // Tokens may have been used or revoked since. The operator can make new ones.
        try transaction.revokeSignUpTokensForNumbers()
        for user in try transaction.peopleWithSignInLock(endingAfter: backup) {
            try lengthenLock(of: user, in: transaction)
        }
        return try transaction.peopleWithNumberMove().compactMap {
            try delayMove(of: $0, in: transaction)
        }
    }

    private func lengthenLock(of id: UserID, in transaction: Transaction) throws {
        guard let user = try transaction.user(id), var lock = try transaction.signInLock(of: id)
        else { return }
        let end = transaction.now.adding(SignInLockRules.wait)
        lock.endsAt = end
        try transaction.setSignInLock(lock, of: id)
        try tell(user, .lockEnds(at: end), in: transaction)
    }

    /// - Returns: the text message to the present number; nil if none goes there.
    private func delayMove(of id: UserID, in transaction: Transaction) throws -> Text? {
        guard let user = try transaction.user(id), var move = try transaction.numberMove(of: id)
        else { return nil }
        let session = try transaction.sessionOfNumberMove(of: id)
        let wait = session == nil ? NumberMove.delay : SignInLockRules.wait
        move.takesEffectAt = transaction.now.adding(wait)
        _ = try transaction.deleteNumberMove(of: id)
        try transaction.insert(move, of: id, begunBy: session)
        try transaction.append(.profileChanged, to: id)
        let (number, due) = (move.phoneNumber, move.takesEffectAt)
        let text: NotificationText =
            session == nil
            ? .numberMoves(to: number, at: due) : .numberWillChange(to: number, at: due)
        try tell(user, text, ofSession: session, in: transaction)
        guard user.smsStoppedAt == nil, let present = user.phoneNumber,
            try transaction.spend(.alertBegin, on: .sms, by: id, options.budgets)
        else { return nil }
        let address = options.publicURL.absoluteString
        guard session == nil else {
            return (number: present, text: NotificationText.numberWaits(at: address))
        }
        let isLocked = try transaction.hasSignInLock(id)
        let words = NotificationText.numberWillLeave(at: address, isLocked: isLocked)
        return (number: present, text: words)
    }

    /// - Parameter session: the session that the message offers to end.
    private func tell(
        _ user: UserRow, _ text: NotificationText, ofSession session: SessionID? = nil,
        in transaction: Transaction
    ) throws {
        var notice = Notice(text: text, cannotBeMuted: true)
        notice.session = session
        try notifier.notify(Recipient(user).whateverIsMuted, notice, in: transaction)
    }
}
