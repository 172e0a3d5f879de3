import ComposableArchitecture
import Foundation

/// Messages that this device shows by itself at a set time, without a network.
@DependencyClient
public struct LocalNotificationClient: Sendable {
    /// False on a device that can't show such messages. The app then computes none.
    public var isAvailable: @Sendable () -> Bool = { false }
    /// Replaces all scheduled messages. Without the person's permission the device shows none.
    /// Throws the system's error.
    public var schedule: @Sendable (_ notifications: [LocalNotification]) async throws -> Void
    public var cancelAll: @Sendable () async -> Void
}

public struct LocalNotification: Equatable, Sendable, Identifiable {
    public var id: String
    public var title: String
    public var body: String
    public var fireDate: Date

    public init(id: String, title: String, body: String, fireDate: Date) {
        self.id = id
        self.title = title
        self.body = body
        self.fireDate = fireDate
    }
}

extension LocalNotificationClient: DependencyKey {
    /// The value for a terminal and for a web session, because browsers get the server's reminders.
    public static let unavailable = LocalNotificationClient(
        isAvailable: { false }, schedule: { _ in }, cancelAll: {})

    /// The value until an app sets its own.
    public static let liveValue = unavailable
    public static let testValue = unavailable
}

extension DependencyValues {
    public var localNotificationClient: LocalNotificationClient {
        get { self[LocalNotificationClient.self] }
        set { self[LocalNotificationClient.self] = newValue }
    }
}
