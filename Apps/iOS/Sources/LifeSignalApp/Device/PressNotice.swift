import Domain
import LifeSignalDevice
import UserNotifications

/// The notifications by which this app answers a press on another notification, and says that a
/// press on the widget was not sent.
enum PressNotice {
    static let notSent = "not-sent"
    static let nothingChanged = "nothing-changed"

    /// Shows the result of a press.
    /// - Parameters:
    ///   - level: `.active` for a press that took effect. A Focus must not hide any other result,
    ///     because the person believes that the press was sent.
    ///   - message: the message whose subject a tap on the result opens; nil for none.
    static func show(
        _ title: String, _ body: String, id: String,
        level: UNNotificationInterruptionLevel = .timeSensitive, about message: PushMessage? = nil
    ) async {
        let content = UNMutableNotificationContent()
        content.title = title
        content.body = body
        content.sound = .default
        content.interruptionLevel = level
        if let message { content.userInfo = message.userInfo }
        let request = UNNotificationRequest(identifier: id, content: content, trigger: nil)
        try? await UNUserNotificationCenter.current().add(request)
    }

    /// Says that a press without a notification was not sent, or that it changed nothing because
    /// there is no journey.
    /// - Parameter error: nil if its reason has no words.
    static func showFailure(_ error: UserFacingError?, of action: PushAction) async {
        let hasNoSubject = error?.has(.notFound) == true
        let reason = error.map { $0.message.isEmpty ? SpokenError($0).words : $0.message }
        await show(
            hasNoSubject ? AppWords.nothingChanged : AppWords.notSent(action.button),
            reason ?? AppWords.tryAgain,
            id: identifier(hasNoSubject ? nothingChanged : notSent, of: action))
    }

    /// Returns the identifier of a notification about a press. It differs for each subject, because
    /// iOS replaces an earlier notification that has the same identifier.
    static func identifier(
        _ kind: String, of action: PushAction, about message: PushMessage? = nil
    ) -> String { "\(kind) \(subject(of: action, message))" }

    /// Removes "NOT SENT" about this subject once a later press was sent.
    static func removeNotSent(of action: PushAction, about message: PushMessage? = nil) {
        let center = UNUserNotificationCenter.current()
        let identifiers = [identifier(notSent, of: action, about: message)]
        center.removePendingNotificationRequests(withIdentifiers: identifiers)
        center.removeDeliveredNotifications(withIdentifiers: identifiers)
    }

    /// A later check-in also replaces an earlier one, and a person has one journey.
    private static func subject(of action: PushAction, _ message: PushMessage?) -> String {
        let id: String? =
            switch action {
            case .acknowledgeAlert, .declineAlert: message?.alertID?.description
            case .respondToPing: message?.pingID?.description
            case .confirmDrill: message?.notificationID?.description
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
