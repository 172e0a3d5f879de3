import ComposableArchitecture
import Domain

/// This device's part in getting messages while the app is closed. The server's list of endpoints
/// is `NotificationClient`'s.
@DependencyClient
public struct PushClient: Sendable {
    /// The device's last report, at once, and every report from then on, also an equal one.
    public var status: @Sendable () -> AsyncStream<PushStatus> = { .finished }
    /// Asks the person for the permission where the system wants that, and registers the device.
    /// `status` says how it went. A browser asks only in the tap itself: its page does this, and
    /// the web app's value does nothing.
    public var turnOn: @Sendable () async -> Void
    /// The same for taking it back.
    public var turnOff: @Sendable () async -> Void
    /// Keeps on this device that the person is not to be asked again.
    public var putOff: @Sendable () async -> Void
}

/// How a device stands with its messages.
public struct PushStatus: Equatable, Sendable {
    public enum Permission: String, Equatable, Sendable, CaseIterable {
        /// The device can't get any.
        case unsupported
        /// It could, if the app were installed: iOS gives messages to pages of the home screen.
        case needsInstallation
        /// The person has not been asked.
        case undecided
        case denied
        case granted
    }

    public var permission: Permission
    /// The endpoint of this device; nil while it gets no messages.
    public var endpoint: PushEndpointID?
    /// "Not now" was said on this device.
    public var isPutOff: Bool
    /// The permission is there, and the device could not register.
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
    /// A device without messages, as a terminal.
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
