import ComposableArchitecture
import Domain

/// How far the server's clock is ahead of this device's clock. Countdowns use the server's time,
/// because a device's clock may be wrong.
@DependencyClient
public struct ServerClockClient: Sendable {
    /// Returns the difference; zero before the server's first answer, and within the allowed clock
    /// skew.
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
