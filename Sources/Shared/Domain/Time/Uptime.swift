import Foundation

/// How long a device has been running, by its monotonic clock.
public struct Uptime: Codable, Equatable, Sendable {
    /// The id of the device's start. Times of different starts can't be compared.
    public var start: String
    /// The time since the start, including sleep.
    public var time: Duration

    public init(start: String, time: Duration) {
        self.start = start
        self.time = time
    }

    /// A smaller difference between the clock's time and the uptime isn't a change of the clock.
    private static let drift: Duration = .seconds(1)

    /// Returns the change of the device's clock since an earlier moment, negative if it was set
    /// back. Zero if it wasn't set; nil if the device was restarted since.
    /// - Parameters:
    ///   - now: the time of the device's clock at this uptime.
    ///   - moment: the time of the device's clock at the uptime `earlier`.
    public func clockChange(to now: Date, from moment: Date, _ earlier: Uptime) -> Duration? {
        guard start == earlier.start else { return nil }
        let change = now.since(moment) - (time - earlier.time)
        return change > Self.drift || change < .zero - Self.drift ? change : .zero
    }
}
