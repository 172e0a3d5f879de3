import Foundation

/// The confirmation of an address (product.md, "E-mail").
public enum EmailRules {
    /// How long a code is valid. It is long, because an address gets no further message until its
    /// owner answers.
    public static let codeLifetime: Duration = .days(7)
    public static let triesPerCode = 10
    public static let window: Duration = .days(1)
    public static let daysUntilSecondMessage = 30
    /// How long an address has to be confirmed before its messages have links that end sessions. In
    /// this time, the owner's sessions can remove an address that somebody else has added.
    public static let pauseBeforeSessionLinks: Duration = .days(7)

    /// How long an account's former address doesn't count towards the account's limit of addresses.
    public static let returnWithoutLimit: Duration = .days(7)

    /// Returns true if a message to an address may have the link that ends a session.
    public static func maySendSessionLink(confirmedAt: Date, at time: Date) -> Bool {
        time.since(confirmedAt) >= pauseBeforeSessionLinks
    }

    /// Returns true if a mailbox may get a message. After an unanswered message, one more is
    /// allowed later, and never a third. A stranger who caused the first message must not block the
    /// address for its owner.
    /// - Parameter unanswered: the times of unanswered messages to the mailbox, for any user.
    public static func mayWrite(unanswered: [Date], at now: Date) -> Bool {
        guard let first = unanswered.first else { return true }
        return unanswered.count == 1 && now.since(first) >= .days(daysUntilSecondMessage)
    }

    /// Returns true if the account's former mailbox may get a message. Somebody with the unlocked
    /// phone could enter the address before the owner does, and use up the code's attempts.
    /// - Parameter unanswered: the times of the account's own unanswered messages to the mailbox.
    public static func mayWriteToFormer(unanswered: [Date], at now: Date) -> Bool {
        !unanswered.contains { now.since($0) < window }
    }
}
