import Foundation

/// How often a user may check in (product.md, "Check-in").
public enum CheckInLimits {
    /// A check-in is exempt from limits if it is newer than the last one by more than this. A user
    /// can therefore make about six exempt check-ins a minute.
    public static let distance: Duration = .seconds(10)
    /// The limit for check-ins that aren't exempt: repeats within ten seconds and past moments.
    /// Past moments only enter the history.
    public static let perHour = 60
    public static let window: Duration = .hours(1)

    /// The greatest age of an exempt check-in, equal to the longest interval. Without this limit,
    /// an account could fill years of history with check-ins ten seconds apart.
    public static let horizon: Duration = .seconds(IntervalLimits.standard.seconds.upperBound)

    /// Returns true if no limit may refuse a check-in of this moment.
    public static func isExempt(_ moment: Date, after last: Date?, at now: Date) -> Bool {
        now.since(moment) < horizon && last.map { moment.since($0) > distance } ?? true
    }

    /// Returns the wait before a check-in that isn't exempt; nil if it may be accepted now.
    /// - Parameters:
    ///   - taken: the times of earlier check-ins that weren't exempt, in any order.
    ///   - limit: 0 for no limit.
    public static func wait(after taken: [Date], limit: Int = perHour, at now: Date) -> Duration? {
        limit > 0 ? SlidingWindow.wait(after: taken, limit: limit, in: window, at: now) : nil
    }
}

/// How many reminders and last calls go by SMS or call (product.md, "The last call"). Each change
/// of the schedule may bring a new deadline, and with it new messages.
public enum DeadlineMessageLimits {
    /// The limit for reminders by SMS, last calls by SMS, and calls. One deadline has two reminders
    /// and one of each of the others.
    public static let perHour = 3
    public static let window: Duration = .hours(1)

    /// Returns true if the next message of the same kind is sent without SMS or call.
    /// - Parameters:
    ///   - earlier: the times of the messages within `window`.
    ///   - lastCheckIn: the check-in that ends the count of last calls. Their number then depends
    ///     only on changes of the schedule since. nil for reminders, because check-ins in a loop
    ///     also cause reminders.
    public static func isTooMuch(_ earlier: [Date], since lastCheckIn: Date?) -> Bool {
        earlier.filter { $0 > lastCheckIn ?? .distantPast }.count >= perHour
    }
}
