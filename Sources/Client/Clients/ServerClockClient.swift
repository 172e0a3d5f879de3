import ComposableArchitecture
import Domain
import Foundation

/// How far the server's clock is ahead of this device's clock. Countdowns use the server's time,
/// because a device's clock may be wrong.
@DependencyClient
public struct ServerClockClient: Sendable {
    /// Returns the difference; zero before the server's first answer, and within the allowed clock
    /// skew.
    public var offset: @Sendable () -> Duration = { .zero }
    /// Returns the newest measurement, for a process that reads it later; nil before the server's
    /// first answer.
    public var measurement: @Sendable () -> ClockMeasurement? = { nil }
}

extension ServerClockClient {
    /// Returns the server's time at a moment of this device's clock.
    public func time(at moment: Date) -> Date { moment.adding(offset()) }
}

extension ServerClockClient: DependencyKey {
    /// The device's own clock. Apps replace this value.
    public static let liveValue = ServerClockClient(
        offset: { .zero }, measurement: { nil })
    public static let testValue = liveValue
}

extension DependencyValues {
    public var serverClock: ServerClockClient {
        get { self[ServerClockClient.self] }
        set { self[ServerClockClient.self] = newValue }
    }
}
