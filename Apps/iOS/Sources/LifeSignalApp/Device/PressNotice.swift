import Domain
import LifeSignalDevice
import UserNotifications

/// The notifications by which this app answers a press on another notification.
enum PressNotice {
    static let notSent = "not-sent"
    static let nothingChanged = "nothing-changed"

    /// Returns the identifier of a notification about a press. It differs for each subject, because
    /// iOS replaces an earlier notification that has the same identifier.
    static func identifier(
        _ kind: String, of action: PushAction, about message: PushMessage
    ) -> String { "\(kind) \(subject(of: action, message))" }

    /// Removes "NOT SENT" about this subject once a later press was sent.
    static func removeNotSent(of action: PushAction, about message: PushMessage) {
        let center = UNUserNotificationCenter.current()
        let identifiers = [identifier(notSent, of: action, about: message)]
        center.removePendingNotificationRequests(withIdentifiers: identifiers)
        center.removeDeliveredNotifications(withIdentifiers: identifiers)
    }

    /// A later check-in also replaces an earlier one, and a person has one journey.
    private static func subject(of action: PushAction, _ message: PushMessage) -> String {
        let id: String? =
            switch action {
            case .acknowledgeAlert, .declineAlert: message.alertID?.description
            case .respondToPing: message.pingID?.description
            case .confirmDrill: message.notificationID?.description
            case .arrived, .later: PushAction.arrived.rawValue
            case .checkIn: nil
            }
        return id ?? action.rawValue
    }

    /// Removes all shown notifications except these. The person must read that a press was not
    /// sent, also if the session has ended.
    static func removeAllOthers() async {
        let center = UNUserNotificationCenter.current()
        let shown = await center.deliveredNotifications().map(\.request.identifier)
        center.removeDeliveredNotifications(
            withIdentifiers: shown.filter {
                !$0.hasPrefix(notSent) && !$0.hasPrefix(nothingChanged)
            })
    }
}
