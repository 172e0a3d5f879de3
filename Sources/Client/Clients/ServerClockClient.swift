import ComposableArchitecture
import Domain

/// How far the server's clock is ahead of this device's clock, as measured from the server's
/// answers. Countdowns use the server's time, because a device may have a wrong clock.
@DependencyClient
public struct ServerClockClient: Sendable {
    /// The difference; zero before the first answer, and if the difference is within the allowed
    /// clock skew.
    public var offset: @Sendable () -> Duration = { .zero }
}

extension ServerClockClient: TestDependencyKey {
    public static let testValue = ServerClockClient(offset: { .zero })
}

extension DependencyValues {
    public var serverClock: ServerClockClient {
        get { self[ServerClockClient.self] }
        set { self[ServerClockClient.self] = newValue }
    }
}
