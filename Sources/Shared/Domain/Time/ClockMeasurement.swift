import Foundation

/// How far the server's clock was ahead of a device's clock when the device measured it.
public struct ClockMeasurement: Codable, Equatable, Sendable {
    public var offset: Duration
    /// When the device measured it, by the device's clock.
    public var deviceTime: Date
    /// The device's uptime at `deviceTime`; nil if unknown.
    public var uptime: Uptime?

    public init(offset: Duration, deviceTime: Date, uptime: Uptime? = nil) {
        self.offset = offset
        self.deviceTime = deviceTime
        self.uptime = uptime
    }

    /// Returns how far the server's clock is ahead now. Somebody may have set the device's clock
    /// since the measurement. Zero within `CheckInRules.clockSkew`, and after a restart of the
    /// device.
    /// - Parameter now: by the device's clock.
    public func offset(at now: Date, _ present: Uptime?) -> Duration {
        let offset = changed(at: now, present)
        return CheckInRules.isWithinSkew(offset) ? .zero : offset
    }

    private func changed(at now: Date, _ present: Uptime?) -> Duration {
        guard let uptime, let present else { return offset }
        guard let change = present.clockChange(to: now, from: deviceTime, uptime) else {
            return .zero
        }
        return offset - change
    }
}
