import ComposableArchitecture
import Domain
import Foundation

/// The user's notifications and notification preferences.
@DependencyClient
public struct NotificationClient: Sendable {
    /// The notification centre as this device has it, newest first, at once, and again after each
    /// change.
    public var notificationStream: @Sendable () -> AsyncStream<[NotificationItem]> = { .finished }
    /// The notification centre, newest first. Throws `UserFacingError`.
    public var notifications:
        @Sendable (_ before: String?) async throws -> ListPage<NotificationItem>
    /// Throws `UserFacingError`.
    public var markAsRead: @Sendable (_ id: NotificationID) async throws -> Void
    /// Throws `UserFacingError`.
    public var markAllAsRead: @Sendable () async throws -> Void
    /// Throws `UserFacingError`.
    public var delete: @Sendable (_ id: NotificationID) async throws -> Void
    /// Throws `UserFacingError`.
    public var deleteAll: @Sendable () async throws -> Void
    /// The muted types. Throws `UserFacingError`.
    public var preferences: @Sendable () async throws -> NotificationPreferences
    /// Mutes types; alerts can't be muted. Throws `UserFacingError`.
    public var updatePreferences:
        @Sendable (_ preferences: NotificationPreferences) async throws -> Submission<
            NotificationPreferences
        >
    /// Registers where this device can be told while the app is closed; forgotten at sign-out.
    /// Throws `UserFacingError`.
    public var registerPushEndpoint: @Sendable (_ url: URL) async throws -> Void
    /// The user's browsers, phones and webhooks, oldest first. Throws `UserFacingError`.
    public var pushEndpoints: @Sendable () async throws -> [PushEndpoint]
    /// Throws `UserFacingError`.
    public var removePushEndpoint: @Sendable (_ id: PushEndpointID) async throws -> Void
    /// Has the server send a message to this endpoint only. Throws `UserFacingError`.
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
