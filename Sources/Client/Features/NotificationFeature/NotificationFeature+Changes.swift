import Clients
import ComposableArchitecture
import Domain
import Foundation

/// Reading and deleting, one or all.
extension NotificationFeature {
    func markAllAsRead(_ state: inout State) -> Effect<Action> {
        guard !state.isChangingAll, state.unreadCount > 0 else { return .none }
        let ids = Set(state.notifications.ids)
        return changeAll(&state) {
            .markAllAsReadResponse(
                ids, await Self.failure(of: { try await notificationClient.markAllAsRead() }))
        }
    }

    func markedAsRead(
        _ ids: Set<NotificationID>, _ error: UserFacingError?, _ state: inout State
    ) -> Effect<Action> {
        if let error { state.error = error } else { state.markAsRead(ids, at: date.now) }
        return .none
    }

    func askToDelete(_ id: NotificationID, _ state: inout State) -> Effect<Action> {
        guard let item = state.notifications[id: id], !state.inFlight.contains(id) else {
            return .none
        }
        state.confirmDelete = .delete(item)
        return .none
    }

    func askToDeleteAll(_ state: inout State) -> Effect<Action> {
        guard !state.isChangingAll, !state.notifications.isEmpty else { return .none }
        state.confirmDelete = .deleteAll(
            count: state.canLoadEarlier ? nil : state.notifications.count)
        return .none
    }

    func delete(_ id: NotificationID, _ state: inout State) -> Effect<Action> {
        guard state.notifications[id: id] != nil, state.inFlight.insert(id).inserted else {
            return .none
        }
        return change(&state) {
            .deleteResponse(
                id, await Self.failure(of: { try await notificationClient.delete(id: id) }))
        }
    }

    func deleteAll(_ state: inout State) -> Effect<Action> {
        guard !state.isChangingAll else { return .none }
        let ids = Set(state.notifications.ids)
        return changeAll(&state) {
            .deleteAllResponse(
                ids, await Self.failure(of: { try await notificationClient.deleteAll() }))
        }
    }

    func deleted(
        _ ids: Set<NotificationID>, _ error: UserFacingError?, _ state: inout State
    ) -> Effect<Action> {
        if let error {
            state.error = error
        } else {
            state.notifications.removeAll { ids.contains($0.id) }
        }
        return .none
    }

    func markAsRead(_ id: NotificationID, _ state: inout State) -> Effect<Action> {
        guard let item = state.notifications[id: id], item.readAt == nil,
            state.inFlight.insert(id).inserted
        else { return .none }
        return change(&state) {
            .markAsReadResponse(
                id, await Self.failure(of: { try await notificationClient.markAsRead(id: id) }))
        }
    }

    private func changeAll(_ state: inout State, _ response: @escaping @Sendable () async -> Action)
        -> Effect<Action>
    {
        state.isChangingAll = true
        return change(&state, response)
    }

    private func change(_ state: inout State, _ response: @escaping @Sendable () async -> Action)
        -> Effect<Action>
    {
        state.error = nil
        return .run { send in await send(await response()) }.cancellable(id: CancelID.change)
    }

    private static func failure(of request: @Sendable () async throws -> Void) async
        -> UserFacingError?
    {
        do {
            try await request()
            return nil
        } catch {
            return UserFacingError(catching: error)
        }
    }
}

extension NotificationFeature.State {
    mutating func markAsRead(_ ids: Set<NotificationID>, at now: Date) {
        for id in ids where notifications[id: id]?.readAt == nil {
            notifications[id: id]?.readAt = now
        }
    }
}

extension ConfirmationAlertState<NotificationFeature.Action.DeleteConfirmation> {
    static func delete(_ item: NotificationItem) -> Self {
        Self {
            TextState("Delete this notification?")
        } actions: {
            ButtonState(role: .destructive, action: .deleteConfirmed(item.id)) {
                TextState("Delete")
            }
            ButtonState(role: .cancel) { TextState("Keep") }
        } message: {
            TextState("“\(item.title)” is removed from your list. What it told you about goes on.")
        }
    }

    /// - Parameter count: how many there are; nil when there may be more than are shown.
    static func deleteAll(count: Int?) -> Self {
        Self {
            TextState("Delete all notifications?")
        } actions: {
            ButtonState(role: .destructive, action: .deleteAllConfirmed) { TextState("Delete all") }
            ButtonState(role: .cancel) { TextState("Keep them") }
        } message: {
            TextState(
                """
                \(count == 1
                    ? "1 notification is"
                    : "\(count.map { "\($0)" } ?? "All") notifications are") \
                removed from your list, whatever is shown. What they told you about goes on.
                """
            )
        }
    }
}
