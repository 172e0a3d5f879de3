import Foundation

/// A rate limit that holds in every period of a given length.
public enum SlidingWindow {
    /// Returns the wait before the next event; nil if it may happen now.
    /// - Parameter moments: the times of earlier events, in any order.
    public static func wait(after moments: [Date], limit: Int, in window: Duration, at now: Date)
        -> Duration?
    {
        let recent = moments.filter { now < $0.adding(window) }.sorted()
        guard recent.count >= limit else { return nil }
        return recent[recent.count - limit].adding(window).since(now)
    }
}
