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

    /// The device's clock was set if its time and the uptime differ by more.
    private static let drift: Duration = .seconds(1)

    /// Returns by how much somebody has set the device's clock since an earlier moment; zero if
    /// nobody has. Nil if the device was restarted since.
    /// - Parameters:
    ///   - now: the time of the device's clock at this uptime.
    ///   - moment: the time of the device's clock at the uptime `earlier`.
    public func clockChange(to now: Date, from moment: Date, _ earlier: Uptime) -> Duration? {
        guard start == earlier.start else { return nil }
        let change = now.since(moment) - (time - earlier.time)
        return change > Self.drift || change < .zero - Self.drift ? change : .zero
    }
}
