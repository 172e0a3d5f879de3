import Foundation

/// A backup has taken the place of the database: check-ins received after it was made are unknown
/// (product.md, "After downtime").
public struct Restoration: Equatable, Sendable {
    /// The time for a person to answer before the responders are notified.
    public static let patience: Duration = .minutes(15)
    /// The longest interval: after it, every check-in that was lost would have been missed anyway.
    public static let longest: Duration = .seconds(IntervalLimits.standard.seconds.upperBound)

    public var restoredAt: Date
    /// The time of the backup.
    public var incompleteSince: Date

    public init(restoredAt: Date, incompleteSince: Date) {
        self.restoredAt = restoredAt
        self.incompleteSince = incompleteSince
    }

    /// The time from which nothing that was lost can matter any more.
    public var end: Date { restoredAt.adding(Self.longest) }

    public enum Step: Equatable, Sendable {
        /// A check-in may have been lost: ask the person.
        case ask
        /// The person has been asked.
        case wait(until: Date)
        /// The person has not answered: notify the responders, and say what is not known.
        case notifyWithDoubt
        /// Nothing that could matter was lost.
        case notify
    }

    /// The action for a deadline that has passed.
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
