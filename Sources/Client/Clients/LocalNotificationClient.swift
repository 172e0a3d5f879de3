import ComposableArchitecture
import Foundation

/// Messages that this device shows by itself at a time set before, with no network.
@DependencyClient
public struct LocalNotificationClient: Sendable {
    /// False on a device that can't: nobody computes messages for it then.
    public var isAvailable: @Sendable () -> Bool = { false }
    /// Shows these and no others that were set before. Without the person's permission it shows
    /// none. Throws what the system says.
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
    /// A terminal's, and a web session's: the server's reminders go to browsers.
    public static let unavailable = LocalNotificationClient(
        isAvailable: { false }, schedule: { _ in }, cancelAll: {})

    /// An app sets its own.
    public static let liveValue = unavailable
    public static let testValue = unavailable
}

extension DependencyValues {
    public var localNotificationClient: LocalNotificationClient {
        get { self[LocalNotificationClient.self] }
        set { self[LocalNotificationClient.self] = newValue }
    }
}
