import API
import Clients
import Domain

extension NotificationClient {
    static func live(_ desk: Desk) -> NotificationClient {
        NotificationClient(
            notificationStream: { desk.stream(\.notifications) },
            notifications: { before in
                try await desk.with(.loadNotifications) {
                    try await $0.notificationHistory(before: before)
                }
            },
            markAsRead: { id in
                try await desk.with(.readNotification) { _ = try await $0.submit(.markAsRead(id)) }
            },
            markAllAsRead: {
                try await desk.with(.readNotification) { account in
                    try await account.clearCentre(
                        Routes.readAllNotifications, { .markAsRead($0) },
                        where: { $0.readAt == nil })
                }
            },
            delete: { id in
                try await desk.with(.deleteNotification) {
                    _ = try await $0.submit(.deleteNotification(id))
                }
            },
            deleteAll: {
                try await desk.with(.deleteNotification) { account in
                    try await account.clearCentre(
                        Routes.deleteAllNotifications, { .deleteNotification($0) },
                        where: { _ in true })
                }
            },
            preferences: { try await desk.with(.loadPreferences) { try await $0.preferences() } },
            updatePreferences: { new in
                try await desk.submit(.updatePreferences, .updatePreferences(new), \.preferences)
            },
            registerPushEndpoint: { url in
                try await desk.with(.saveDevice) { _ in try await desk.registerPushEndpoint(url) }
            }
        )
    }
}
