import Foundation

/// A rate limit: at most `limit` events in any period of the length `window`.
public enum SlidingWindow {
    /// Moments further in the future don't count. A wrong clock gave them, and they would make the
    /// wait too long. The times of two servers differ by less.
    public static let skew: Duration = .seconds(10)

    /// Returns the wait before the next event; nil if it may happen now.
    /// - Parameter moments: the times of earlier events, in any order.
    public static func wait(after moments: [Date], limit: Int, in window: Duration, at now: Date)
        -> Duration?
    {
        let recent = moments.filter { now < $0.adding(window) && $0.since(now) < skew }.sorted()
        guard recent.count >= limit else { return nil }
        return recent[recent.count - limit].adding(window).since(now)
    }
}
