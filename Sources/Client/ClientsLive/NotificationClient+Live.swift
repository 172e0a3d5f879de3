import API
import Clients
import Domain

extension NotificationClient {
    static func live(_ controller: SessionController) -> NotificationClient {
        NotificationClient(
            notificationStream: { controller.stream(\.notifications) },
            notifications: { before in
                try await controller.with(.loadNotifications) {
                    try await $0.notificationHistory(before: before)
                }
            },
            markAsRead: { id in
                try await controller.with(.action(.markAsRead)) {
                    _ = try await $0.submit(.markAsRead(id))
                }
            },
            markAllAsRead: {
                try await controller.with(.action(.markAsRead)) { account in
                    try await account.clearCentre(
                        Routes.readAllNotifications, { .markAsRead($0) },
                        where: { $0.readAt == nil })
                }
            },
            delete: { id in
                try await controller.with(.action(.deleteNotification)) {
                    _ = try await $0.submit(.deleteNotification(id))
                }
            },
            deleteAll: {
                try await controller.with(.action(.deleteNotification)) { account in
                    try await account.clearCentre(
                        Routes.deleteAllNotifications, { .deleteNotification($0) },
                        where: { _ in true })
                }
            },
            preferences: {
                try await controller.with(.loadPreferences) { try await $0.preferences() }
            },
            updatePreferences: { new, only in
                try await controller.submit(
                    .updatePreferences(new, only: only), \.preferences)
            },
            registerPushEndpoint: { url in
                try await controller.with(.saveDevice) { _ in
                    _ = try await controller.registerPushEndpoint(
                        PushEndpointRequest(kind: .webhook, url: url.absoluteString))
                }
            },
            pushEndpoints: {
                try await controller.with(.loadPushEndpoints) {
                    try await $0.connection.call(Routes.pushEndpoints).items
                }
            },
            removePushEndpoint: { id in
                try await controller.with(.deleteDevice) {
                    _ = try await $0.connection.call(Routes.deletePushEndpoint, id: id.uuid)
                }
            },
            addWebhook: { webhook in
                try await controller.with(.addWebhook) {
                    let id = PushEndpointID(controller.environment.makeID())
                    let saved = try await $0.connection.call(
                        Routes.savePushEndpoint, PushEndpointRequest(webhook), id: id.uuid)
                    return AddedWebhook(id: saved.id, signingSecret: saved.signingSecret)
                }
            },
            testPushEndpoint: { id in
                try await controller.with(.testPushEndpoint) {
                    _ = try await $0.connection.call(Routes.testPushEndpoint, id: id.uuid)
                }
            }
        )
    }
}

extension Account {
    /// Applies an action to all notifications: in one call while connected, otherwise one by one
    /// through the queue.
    fileprivate func clearCentre(
        _ route: Route<Empty, Empty>, _ action: (NotificationID) -> QueuedAction,
        where isConcerned: (NotificationItem) -> Bool
    ) async throws {
        let shown = shown.notifications
        let actions = shown.filter(isConcerned).map { action($0.id) }
        // Spares newer notifications. The person hasn't seen them, and one may be an alert.
        let newest = shown.first.map { [Endpoint.until: Timestamp.text($0.createdAt)] }
        do {
            try await connection.call(
                route, query: newest ?? [:], retry: storage == nil ? nil : .once)
            for action in actions { showDone(action) }
        } catch let failure as ClientFailure where failure.isConnectionFailure && storage != nil {
            try await submitAll(actions)
        }
    }

    /// Shows an action that the server has carried out without an event.
    func showDone(_ action: QueuedAction) {
        receive(
            .done(
                QueuedEntry(
                    id: environment.makeID(), position: 0, action: action,
                    createdAt: serverTime)))
    }
}
