import Foundation

/// How often a user may check in (product.md, "Check-in").
public enum CheckInLimits {
    /// No limit refuses a check-in that is newer than the last one by more than this. Such
    /// check-ins are few: in the long run six a minute.
    public static let distance: Duration = .seconds(10)
    /// The limit of all others: repeats within ten seconds, and moments that belong to the history
    /// only.
    public static let perHour = 60
    public static let window: Duration = .hours(1)

    /// A check-in from before the longest interval proves nothing about now: without this bound, an
    /// account could fill decades with check-ins ten seconds apart.
    public static let horizon: Duration = .seconds(IntervalLimits.standard.seconds.upperBound)

    /// True if no limit may refuse a check-in of this moment.
    public static func isExempt(_ moment: Date, after last: Date?, at now: Date) -> Bool {
        now.since(moment) < horizon && last.map { moment.since($0) > distance } ?? true
    }

    /// How long to wait before a check-in that is not exempt; nil when it may be taken now.
    /// - Parameters:
    ///   - taken: when such check-ins were taken, in any order.
    ///   - limit: 0 for none.
    public static func wait(after taken: [Date], limit: Int = perHour, at now: Date) -> Duration? {
        limit > 0 ? SlidingWindow.wait(after: taken, limit: limit, in: window, at: now) : nil
    }
}
