import Domain
import Foundation
import Persistence

/// Begins the waits that protect an account again, after a restore from a backup. The backup
/// doesn't know which of them the person has stopped since.
struct RestoredWaits: Commands {
    let core: Core
    let notifier: Notifier

    /// - Parameter backup: until when the data of the backup is complete.
    func beginAgain(after backup: Date, in transaction: Transaction) throws {
        // The next code begins a wait and announces it.
        try transaction.deleteUnstoppedSignInWaits()
        for user in try transaction.peopleWithSignInLock(endingAfter: backup) {
            try lengthenLock(of: user, in: transaction)
        }
        for user in try transaction.peopleWithNumberMove() {
            try delayMove(of: user, in: transaction)
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

    private func delayMove(of id: UserID, in transaction: Transaction) throws {
        guard let user = try transaction.user(id), var move = try transaction.numberMove(of: id)
        else { return }
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
