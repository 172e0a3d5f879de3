import Clients
import ComposableArchitecture

/// The reminders of a device that can show them by itself.
extension AppFeature {
    /// Nothing on any other device.
    func remind(_ action: ReminderFeature.Action) -> Effect<Action> {
        localNotificationClient.isAvailable() ? .send(.reminders(action)) : .none
    }

    func remind(of connectivity: Connectivity) -> Effect<Action> {
        remind(.checkInWaitingChanged(connectivity.waiting.contains { $0.kind == .checkIn }))
    }
}
