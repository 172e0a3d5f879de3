import ComposableArchitecture
import Domain

/// Turns on and off the messages that this device gets while the app is closed.
/// `NotificationClient` has the server's list of endpoints.
@DependencyClient
public struct PushClient: Sendable {
    /// Yields the device's last report at once, and then each later report, even if it equals the
    /// one before.
    public var status: @Sendable () -> AsyncStream<PushStatus> = { .finished }
    /// Asks the person for permission if the system wants that, and registers the device. `status`
    /// reports the result. A browser can ask only while it handles the tap. So its page asks, and
    /// this function does nothing in the web app.
    public var turnOn: @Sendable () async -> Void
    /// Unregisters the device. `status` reports the result. In the web app, the page does this as
    /// well.
    public var turnOff: @Sendable () async -> Void
    /// Remembers on this device not to ask the person again.
    public var putOff: @Sendable () async -> Void
}

/// Whether a device receives messages.
public struct PushStatus: Equatable, Sendable {
    public enum Permission: String, Equatable, Sendable, CaseIterable {
        /// The device can't receive messages.
        case unsupported
        /// The device can receive messages once the app is installed, because iOS sends them only
        /// to pages on the home screen.
        case needsInstallation
        /// The person has not been asked.
        case undecided
        case denied
        case granted
    }

    public var permission: Permission
    /// The endpoint of this device; nil while it gets no messages.
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
