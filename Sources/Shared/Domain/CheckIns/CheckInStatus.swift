import Foundation

/// How near the deadline is, as the person who has to check in sees it.
public enum CheckInStatus: String, Codable, Sendable, CaseIterable {
    /// More than two hours left, or no deadline yet.
    case normal
    /// Two hours left or less.
    case warning
    /// Thirty minutes left or less, or too late.
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
    /// How long until the whole minutes that are left, or that it is too late, change: more than
    /// zero, at most a minute. A change of `CheckInStatus`, and the deadline, are among these
    /// moments.
    public static func untilNextMinute(deadline: Date, at now: Date) -> Duration {
        let minute: Int64 = 60_000
        let rest = deadline.since(now).milliseconds % minute
        return .milliseconds(rest > 0 ? rest : minute + rest)
    }
}
