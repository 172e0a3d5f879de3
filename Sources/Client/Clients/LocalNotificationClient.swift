import ComposableArchitecture
import Foundation

/// Messages that this device shows at a set time, without a network.
@DependencyClient
public struct LocalNotificationClient: Sendable {
    /// False on a device that can't show local notifications. The app then computes none.
    public var isAvailable: @Sendable () -> Bool = { false }
    /// Replaces all scheduled messages. Shows none without the person's permission. Throws the
    /// system's error.
    public var schedule: @Sendable (_ notifications: [LocalNotification]) async throws -> Void
    public var cancelAll: @Sendable () async -> Void
}

public struct LocalNotification: Equatable, Sendable, Identifiable {
    public var id: String
    public var title: String
    public var body: String
    /// When the message is due, by the server's clock.
    public var fireDate: Date

    public init(id: String, title: String, body: String, fireDate: Date) {
        self.id = id
        self.title = title
        self.body = body
        self.fireDate = fireDate
    }
}

extension LocalNotificationClient: DependencyKey {
    /// For terminals and web sessions. Browsers get the server's reminders instead.
    public static let unavailable = LocalNotificationClient(
        isAvailable: { false }, schedule: { _ in }, cancelAll: {})

    /// Apps replace this value.
    public static let liveValue = unavailable
    public static let testValue = unavailable
}

extension DependencyValues {
    public var localNotificationClient: LocalNotificationClient {
        get { self[LocalNotificationClient.self] }
        set { self[LocalNotificationClient.self] = newValue }
    }
}
