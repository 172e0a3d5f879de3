import Cryptography
import Domain
import Foundation
import Persistence

/// A session that a link in an e-mail can end.
public struct LinkedSession: Equatable, Sendable {
    /// nil if the session is over, and something that it began still waits.
    public var deviceName: String?
    /// Whether a change of the number that the session began waits.
    public var changesNumber = false
}

/// What a link in an e-mail has ended.
public enum LinkedEnd: Equatable, Sendable {
    /// The session, and what it began and still waited.
    case session
    /// Only the change of the number, and the end of the sign-in lock if it waited, because the
    /// session was over.
    case numberMove
    /// Only the end of the sign-in lock, because the session was over.
    case lockEnd
}

/// Announces one device's changes of the account to the user's other devices and by e-mail. They
/// can't be muted, because a thief may have the device (product.md, "Sign-in").
public struct AccountNews: Commands {
    public let core: Core
    let notifier: Notifier

    static let window: Duration = .minutes(10)

    /// Announces an action to the user's other sessions and e-mail address. Does nothing if both
    /// are missing, unless the action's effect outlives the session. The session's own device then
    /// shows the news in the notification centre, too.
    /// - Parameters:
    ///   - isOncePerWindow: true for an action that a session can repeat. It is announced once in
    ///     `window`.
    ///   - superseded: older news that the action makes untrue.
    func announce(
        _ text: NotificationText, doneBy caller: Caller, isOncePerWindow: Bool = true,
        window: Duration = AccountNews.window, replacing superseded: StoredNews? = nil,
        in transaction: Transaction
    ) throws {
        guard let user = try transaction.user(caller.userID) else { return }
        let hasEmail =
            try availableChannels.contains(.email)
            && transaction.confirmedEmail(of: user.id) != nil
        let isLasting = text.kind == .lastingChange
        guard try isLasting || hasEmail || transaction.hasOtherSession(than: caller) else { return }
        if isOncePerWindow,
            try hasAnnounced(text, doneBy: caller, within: window, in: transaction)
        {
            return
        }
        var notice = Notice(text: text, cannotBeMuted: true)
        notice.superseded = superseded
        notice.session = caller.sessionID
        notice.sparedEndpoints = Set(try transaction.pushEndpoints(ofSession: caller))
        try notifier.notify(Recipient(user), notice, in: transaction)
    }

    /// Returns true if an action of this session was announced by this title within `window`.
    func hasAnnounced(
        _ text: NotificationText, doneBy caller: Caller,
        within window: Duration = AccountNews.window, in transaction: Transaction
    ) throws -> Bool {
        try transaction.hasNews(
            ofSession: caller, titled: text.title,
            since: transaction.now.adding(.zero - window))
    }

    /// Announces that a refresh token was used after its successor. Two devices have the token, so
    /// one of them may have stolen it.
    func announceReuse(by caller: Caller, in transaction: Transaction) throws {
        guard let user = try transaction.user(caller.userID) else { return }
        try notifier.notify(
            Recipient(user), Notice(text: .sessionReused, cannotBeMuted: true), in: transaction)
    }

    /// Stops the change of the number that a session began, because another device has ended that
    /// session. Returns false if no such change waits.
    @discardableResult
    func stopNumberMove(begunBy session: Caller, in transaction: Transaction) throws -> Bool {
        guard try transaction.deleteNumberMove(begunBy: session),
            let user = try transaction.user(session.userID)
        else { return false }
        try transaction.append(.profileChanged, to: user.id)
        try notifier.notify(
            Recipient(user).whateverIsMuted,
            Notice(text: .numberMoveStopped, cannotBeMuted: true), in: transaction)
        return true
    }

    /// Keeps the sign-in lock on, because another device has ended the session that began the
    /// lock's end. Returns false if no such end waits.
    @discardableResult
    func keepLock(turnedOffBy session: Caller, in transaction: Transaction) throws -> Bool {
        guard try transaction.sessionOfLockEnd(of: session.userID) == session.sessionID,
            var lock = try transaction.signInLock(of: session.userID),
            let user = try transaction.user(session.userID)
        else { return false }
        lock.endsAt = nil
        try transaction.setSignInLock(lock, of: user.id)
        try notifier.notify(
            Recipient(user).whateverIsMuted,
            Notice(text: .lockStaysOn, cannotBeMuted: true), in: transaction)
        return true
    }

    // MARK: The link in an e-mail

    public func sessionLink(_ user: UserID, _ session: SessionID) -> URL {
        link(.session, user.uuid, session.uuid)
    }

    /// Returns the session of a link; nil if the link is invalid, or if the session is over and
    /// neither a change of the number nor an end of the lock that it began waits.
    public func linkedSession(by secret: String) async throws -> LinkedSession? {
        guard let caller = try await linkedCaller(secret) else { return nil }
        return try await database.read { connection -> LinkedSession? in
            let (session, user) = (caller.sessionID, caller.userID)
            let changesNumber = try connection.sessionOfNumberMove(of: user) == session
            if let known = try connection.sessions(of: caller).first(where: \.isCurrent) {
                return LinkedSession(
                    deviceName: known.deviceName, changesNumber: changesNumber)
            }
            let endsLock = try connection.sessionOfLockEnd(of: user) == session
            return changesNumber || endsLock ? LinkedSession(changesNumber: changesNumber) : nil
        }
    }

    /// Ends the session of a link, and stops the change of the number and the end of the sign-in
    /// lock that it began, even if the session has signed itself out. Announces each: somebody who
    /// reads an old e-mail could end the owner's sessions. Returns nil if there is none of them, or
    /// the link is invalid.
    public func endLinkedSession(by secret: String) async throws -> LinkedEnd? {
        guard let caller = try await linkedCaller(secret) else { return nil }
        return try await database.write(about: Subjects([caller.userID])) {
            transaction -> LinkedEnd? in
            try transaction.forgetDevice(of: caller)
            let isEnded = try transaction.deleteSession(caller)
            if isEnded, let user = try transaction.user(caller.userID) {
                try notifier.notify(
                    Recipient(user), Notice(text: .deviceSignedOutByLink, cannotBeMuted: true),
                    in: transaction)
            }
            let isStopped = try stopNumberMove(begunBy: caller, in: transaction)
            let isKept = try keepLock(turnedOffBy: caller, in: transaction)
            return isEnded ? .session : isStopped ? .numberMove : isKept ? .lockEnd : nil
        }
    }

    private func linkedCaller(_ secret: String) async throws -> Caller? {
        try await verified { LinkToken(secret, .session, key: key) }.map {
            Caller(userID: UserID($0.owner), sessionID: SessionID($0.subject))
        }
    }
}
