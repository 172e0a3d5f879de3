import ComposableArchitecture
import Domain

/// Turns push messages to this device on and off. `status` reports the results.
/// `NotificationClient` lists the server's endpoints.
@DependencyClient
public struct PushClient: Sendable {
    /// Yields the device's last status, and then each later status, even an equal one.
    public var status: @Sendable () -> AsyncStream<PushStatus> = { .finished }
    /// Asks the person for permission if necessary, and registers the device. In the web app the
    /// page does this, because a browser can ask only while it handles a tap.
    public var turnOn: @Sendable () async -> Void
    /// Unregisters the device.
    public var turnOff: @Sendable () async -> Void
    /// Stores on this device that the person said "Not now".
    public var putOff: @Sendable () async -> Void
}

/// A device's status for push messages.
public struct PushStatus: Equatable, Sendable {
    public enum Permission: String, Equatable, Sendable, CaseIterable {
        case unsupported
        /// The person has to install the app first, because iOS sends messages only to pages on the
        /// home screen.
        case needsInstallation
        case undecided
        case denied
        case granted
    }

    public var permission: Permission
    /// The endpoint of this device; nil while push messages are off.
    public var endpoint: PushEndpointID?
    /// True if the person said "Not now" on this device.
    public var isPutOff: Bool
    /// True if the person gave permission but the device could not register.
    public var hasFailed: Bool

    public init(
        _ permission: Permission, endpoint: PushEndpointID? = nil, isPutOff: Bool = false,
        hasFailed: Bool = false
    ) {
        self.permission = permission
        self.endpoint = endpoint
        self.isPutOff = isPutOff
        self.hasFailed = hasFailed
    }
}

extension PushClient {
    /// A device without messages, such as a terminal.
    public static let unsupported = PushClient(
        status: { .finished }, turnOn: {}, turnOff: {}, putOff: {})
}

extension PushClient: TestDependencyKey {
    public static let testValue = PushClient()
}

extension DependencyValues {
    public var pushClient: PushClient {
        get { self[PushClient.self] }
        set { self[PushClient.self] = newValue }
    }
}
