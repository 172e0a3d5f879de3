import Clients
import ComposableArchitecture
import Domain

/// Notifications beyond the newest, which the device keeps.
extension NotificationFeature {
    func loadEarlier(_ state: inout State) -> Effect<Action> {
        guard state.canLoadEarlier, let oldest = state.notifications.last else { return .none }
        state.earlier = .loading
        state.error = nil
        let place = Page.Cursor(time: oldest.createdAt, id: oldest.id.uuid).description
        return .run { send in
            await send(
                .earlierResponse(
                    .userFacing { try await notificationClient.notifications(before: place) }))
        }
        .cancellable(id: CancelID.earlier, cancelInFlight: true)
    }

    static func newestFirst(_ items: [NotificationItem]) -> IdentifiedArrayOf<
        NotificationItem
    > {
        IdentifiedArray(
            items.sorted { ($0.createdAt, $0.id) > ($1.createdAt, $1.id) },
            uniquingIDsWith: { first, _ in first })
    }
}

extension NotificationFeature.State {
    /// Earlier notifications that were loaded besides the newest, which the device keeps.
    func keptEarlier(than items: [NotificationItem]) -> [NotificationItem] {
        guard earlier != .unknown, let oldest = items.map(\.createdAt).min() else { return [] }
        return notifications.filter { $0.createdAt < oldest }
    }
}
