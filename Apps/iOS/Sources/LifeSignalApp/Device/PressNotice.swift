import UserNotifications

/// The notifications by which this app answers a press on another notification.
enum PressNotice {
    static let notSent = "not-sent"
    static let nothingChanged = "nothing-changed"

    /// Removes all shown notifications except these. The person must read that a press was not
    /// sent, also if the session has ended.
    static func removeAllOthers() async {
        let center = UNUserNotificationCenter.current()
        let shown = await center.deliveredNotifications().map(\.request.identifier)
        center.removeDeliveredNotifications(
            withIdentifiers: shown.filter { $0 != notSent && $0 != nothingChanged })
    }
}
