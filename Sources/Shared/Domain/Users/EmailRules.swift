import Foundation

/// The confirmation of an address (product.md, "E-mail").
public enum EmailRules {
    /// The validity of a code. It is long, because an address gets only one message until its owner
    /// answers.
    public static let codeLifetime: Duration = .days(7)
    public static let triesPerCode = 10
    public static let window: Duration = .days(1)
    public static let daysUntilSecondMessage = 30

    /// Returns true if a message may be sent to an address that may belong to a person without an
    /// account. A second message is allowed later, because another user may have caused the first
    /// one and must not keep the owner from using the address. A third is never allowed.
    /// - Parameter unanswered: the times of unanswered messages to the mailbox, for any user.
    public static func mayWrite(unanswered: [Date], at now: Date) -> Bool {
        guard let first = unanswered.first else { return true }
        return unanswered.count == 1 && now.since(first) >= .days(daysUntilSecondMessage)
    }
}
