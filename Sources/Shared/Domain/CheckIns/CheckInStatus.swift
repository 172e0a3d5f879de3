import Foundation

/// How near the deadline is, for the person who has to check in.
public enum CheckInStatus: String, Codable, Sendable, CaseIterable {
    /// More than two hours left, or no deadline yet.
    case normal
    /// Two hours left or less.
    case warning
    /// Thirty minutes left or less, or overdue.
    case critical

    public init(deadline: Date?, at now: Date) {
        guard let deadline else {
            self = .normal
            return
        }
        let left = deadline.since(now)
        self =
            left <= Reminder.thirtyMinutes.lead
            ? .critical : left <= Reminder.twoHours.lead ? .warning : .normal
    }
}

extension CheckInRules {
    /// Returns the time until the displayed minutes, left or overdue, change: more than zero, at
    /// most a minute. `CheckInStatus` changes only at such moments.
    public static func untilNextMinute(deadline: Date, at now: Date) -> Duration {
        let minute: Int64 = 60_000
        let rest = deadline.since(now).milliseconds % minute
        return .milliseconds(rest > 0 ? rest : minute + rest)
    }
}
