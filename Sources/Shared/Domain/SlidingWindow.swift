import Foundation

/// A rate limit: at most `limit` events in any period of the length `window`.
public enum SlidingWindow {
    /// More than the difference between the times of two servers.
    private static let skew: Duration = .seconds(10)

    /// Returns the wait before the next event; nil if it may happen now.
    /// - Parameter moments: the times of earlier events, in any order. Those in the future don't
    ///   count: a wrong clock gave them, and would make the wait too long.
    public static func wait(after moments: [Date], limit: Int, in window: Duration, at now: Date)
        -> Duration?
    {
        let recent = moments.filter { now < $0.adding(window) && $0.since(now) < skew }.sorted()
        guard recent.count >= limit else { return nil }
        return recent[recent.count - limit].adding(window).since(now)
    }
}
