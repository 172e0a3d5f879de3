import Foundation

/// A backup has replaced the database: check-ins received after the backup are unknown (product.md,
/// "After downtime").
public struct Restoration: Equatable, Sendable {
    /// How long a person has to answer before the responders are notified.
    public static let patience: Duration = .minutes(15)
    /// How long lost check-ins matter. After the longest interval, their deadlines have passed
    /// anyway.
    public static let longest: Duration = .seconds(IntervalLimits.standard.seconds.upperBound)

    public var restoredAt: Date
    /// The time of the backup.
    public var incompleteSince: Date

    public init(restoredAt: Date, incompleteSince: Date) {
        self.restoredAt = restoredAt
        self.incompleteSince = incompleteSince
    }

    /// The time when lost check-ins stop mattering.
    public var end: Date { restoredAt.adding(Self.longest) }

    public enum Step: Equatable, Sendable {
        /// A check-in may have been lost: ask the person.
        case ask
        /// The person was asked: wait for their answer.
        case wait(until: Date)
        /// The person hasn't answered: notify the responders, and mention the doubt.
        case notifyWithDoubt
        /// No check-in that matters can have been lost: notify the responders.
        case notify
    }

    /// Returns the action for a deadline that has passed.
    /// - Parameters:
    ///   - heardAt: when a check-in was last received.
    ///   - askedAt: when the person was last asked.
    public func step(deadline: Date, heardAt: Date?, askedAt: Date?, at now: Date) -> Step {
        guard deadline >= incompleteSince, now < end else { return .notify }
        if let heardAt, heardAt >= restoredAt { return .notify }
        guard let askedAt, askedAt >= restoredAt else { return .ask }
        let end = askedAt.adding(Self.patience)
        return now < end ? .wait(until: end) : .notifyWithDoubt
    }
}
