import Foundation

/// The replacement of the database by a backup. Check-ins received after the backup are lost
/// (product.md, "After downtime").
public struct Restoration: Equatable, Sendable {
    /// How long a person has to answer before the responders are notified.
    public static let patience: Duration = .minutes(15)
    /// How long alerts of the backup, and returns that have passed since, wait for devices that
    /// have ended them.
    public static let grace = Outage.grace
    /// How long lost check-ins matter: the longest time from a check-in to its deadline. It is a
    /// week between two deadlines, and a day from an opening to the first of them.
    public static let longest: Duration = .days(8)

    public var restoredAt: Date
    public var incompleteSince: Date

    public init(restoredAt: Date, incompleteSince: Date) {
        self.restoredAt = restoredAt
        self.incompleteSince = incompleteSince
    }

    /// When lost check-ins stop mattering.
    public var end: Date { restoredAt.adding(Self.longest) }

    /// Returns until when an alert of the backup waits; nil if it doesn't wait, or no longer.
    public func holdEnd(ofAlertSince start: Date, at now: Date) -> Date? {
        let end = restoredAt.adding(Self.grace)
        return start < restoredAt && restoredAt <= now && now < end ? end : nil
    }

    public enum Step: Equatable, Sendable {
        /// Ask the person, because a check-in may be lost.
        case ask
        case wait(until: Date)
        /// The person hasn't answered. Notify the responders and mention the doubt.
        case notifyWithDoubt
        /// No check-in is lost that matters. Notify the responders.
        case notify
    }

    /// Returns what to do about a missed deadline.
    /// - Parameters:
    ///   - heardAt: when the server last received a check-in.
    ///   - askedAt: when the person was last asked.
    public func step(deadline: Date, heardAt: Date?, askedAt: Date?, at now: Date) -> Step {
        guard deadline >= incompleteSince, now < end else { return .notify }
        if let heardAt, heardAt >= restoredAt { return .notify }
        guard let askedAt, askedAt >= restoredAt else { return .ask }
        let end = askedAt.adding(Self.patience)
        return now < end ? .wait(until: end) : .notifyWithDoubt
    }
}
