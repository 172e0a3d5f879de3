import ComposableArchitecture
import Domain
import Foundation

/// The user's notifications and notification preferences. Every error is a `UserFacingError`.
@DependencyClient
public struct NotificationClient: Sendable {
    /// Yields this device's notifications, newest first, now and after each change.
    public var notificationStream: @Sendable () -> AsyncStream<[NotificationItem]> = { .finished }
    /// Newest first.
    public var notifications:
        @Sendable (_ before: String?) async throws -> ListPage<NotificationItem>
    public var markAsRead: @Sendable (_ id: NotificationID) async throws -> Void
    public var markAllAsRead: @Sendable () async throws -> Void
    public var delete: @Sendable (_ id: NotificationID) async throws -> Void
    public var deleteAll: @Sendable () async throws -> Void
    public var preferences: @Sendable () async throws -> NotificationPreferences
    /// Mutes or unmutes only this type, or sets all muted types for nil. Alerts can't be muted.
    public var updatePreferences:
        @Sendable (_ preferences: NotificationPreferences, _ only: NotificationType?) async throws
            -> Submission<NotificationPreferences>
    /// Registers the address that receives messages while the app is closed. Sign-out removes the
    /// address.
    public var registerPushEndpoint: @Sendable (_ url: URL) async throws -> Void
    /// Oldest first.
    public var pushEndpoints: @Sendable () async throws -> [PushEndpoint]
    public var removePushEndpoint: @Sendable (_ id: PushEndpointID) async throws -> Void
    /// Adds a webhook. It stays when this device registers another address for itself.
    public var addWebhook: @Sendable (_ webhook: Webhook) async throws -> AddedWebhook
    public var testPushEndpoint: @Sendable (_ id: PushEndpointID) async throws -> Void
}

extension NotificationClient: TestDependencyKey {
    public static let testValue = NotificationClient()
}

extension DependencyValues {
    public var notificationClient: NotificationClient {
        get { self[NotificationClient.self] }
        set { self[NotificationClient.self] = newValue }
    }
}
