import Foundation

/// A limit on the number of things within any stretch of time.
public enum SlidingWindow {
    /// How long to wait before the next one; nil when it may be now.
    /// - Parameter moments: when there was one, in any order.
    public static func wait(after moments: [Date], limit: Int, in window: Duration, at now: Date)
        -> Duration?
    {
        let recent = moments.filter { now < $0.adding(window) }.sorted()
        guard recent.count >= limit else { return nil }
        return recent[recent.count - limit].adding(window).since(now)
    }
}
