import Domain
import Foundation
import Persistence

public struct Notifications: Commands {
    public let core: Core

    public func notifications(of caller: Caller, page: Page) async throws -> [NotificationItem] {
        try await database.read { try $0.notifications(of: caller.userID, page: page) }
    }

    public func markRead(_ id: NotificationID, of caller: Caller) async throws {
        try await database.write(about: Subjects([caller.userID], isRepeatable: true)) {
            transaction in
            guard try transaction.notification(id, of: caller.userID) != nil else {
                throw CommandError.noSuchNotification
            }
            guard try transaction.markRead(.one(id), of: caller.userID) > 0 else { return }
            let change = UserEvent.NotificationChange(notificationID: id, readAt: transaction.now)
            try transaction.append(.notificationsChanged(change), to: caller.userID)
        }
    }

    /// Stops no SMS or call about an open alert: the person may not have noticed it in the list.
    /// - Parameter until: leaves newer notifications unread; nil for none. Reading a notification
    ///   ends its other deliveries, except news of the account, so unseen ones must stay unread.
    public func markAllRead(of caller: Caller, until: Date? = nil) async throws {
        let all = SomeNotifications.until(until ?? .distantFuture)
        try await database.write(about: Subjects([caller.userID], isRepeatable: true)) {
            transaction in
            guard try transaction.markRead(all, of: caller.userID, isAct: false) > 0 else {
                return
            }
            try transaction.append(.notificationsChanged(.init()), to: caller.userID)
        }
    }

    public func deleteNotification(_ id: NotificationID, of caller: Caller) async throws {
        let deleted = try await database.write(about: Subjects([caller.userID])) {
            try delete(
                .one(id), .init(notificationID: id), of: caller.userID, isAct: true, in: $0)
        }
        guard deleted > 0 else { throw CommandError.noSuchNotification }
    }

    /// Stops no SMS or call about an open alert, like `markAllRead`.
    /// - Parameter until: as in `markAllRead`.
    public func deleteAllNotifications(of caller: Caller, until: Date? = nil) async throws {
        let all = SomeNotifications.until(until ?? .distantFuture)
        try await database.write(about: Subjects([caller.userID], isRepeatable: true)) {
            _ = try delete(all, .init(), of: caller.userID, isAct: false, in: $0)
        }
    }

    /// Returns the number of deleted notifications.
    private func delete(
        _ some: SomeNotifications, _ change: UserEvent.NotificationChange, of user: UserID,
        isAct: Bool, in transaction: Transaction
    ) throws -> Int {
        let deleted = try transaction.deleteNotifications(some, of: user, isAct: isAct)
        if deleted > 0 { try transaction.append(.notificationsChanged(change), to: user) }
        return deleted
    }

    public func preferences(of caller: Caller) async throws -> NotificationPreferences {
        guard let user = try await database.read({ try $0.user(caller.userID) }) else {
            throw CommandError.noSuchUser
        }
        return user.preferences
    }

    /// Stores the preferences and returns the current ones.
    /// - Parameter key: idempotency key. A repeat changes nothing and gets the present state.
    @discardableResult
    public func setPreferences(
        _ preferences: NotificationPreferences, of caller: Caller, key: UUID? = nil
    ) async throws -> NotificationPreferences {
        try await database.write(about: Subjects([caller.userID], isRepeatable: true)) {
            transaction in
            guard let user = try transaction.user(caller.userID) else {
                throw CommandError.noSuchUser
            }
            if try isRepeat("updateNotificationPreferences", key, of: caller, in: transaction) {
                return user.preferences
            }
            try transaction.updatePreferences(preferences, of: caller.userID)
            if preferences.allows(.ping) != user.preferences.allows(.ping) {
                // Responders see whether devices announce pings.
                transaction.notePings(of: caller.userID)
            }
            return preferences
        }
    }
}
