import Domain
import Foundation
import UserNotifications

/// This device's own reminders, in case the server's reminders don't arrive. Each is due one minute
/// after the server's reminder. The arrival of the server's reminder removes this device's
/// reminder.
public enum LocalReminder {
    /// The prefix of the reminders' identifiers.
    public static let mark = "reminder "
    /// The prefix of a journey's reminders.
    public static let journeyMark = mark + "journey-"
    /// The delay after the server's reminder, in seconds.
    public static let patience: TimeInterval = 60
    private static let dueKey = "due"

    /// The due time, stored in the reminder for later. The system's `nextTriggerDate` can't be
    /// used, because it adds the reminder's interval to the time of the call.
    public static func userInfo(due: Date) -> [AnyHashable: Any] {
        [dueKey: due.timeIntervalSince1970]
    }

    public enum Topic: Sendable { case checkIn, journey }

    /// Returns what a message is about that makes a reminder of this device redundant; nil for
    /// other messages. The message may be the server's reminder, or a report of the user's own
    /// missed check-in.
    public static func topic(repeatedBy content: UNNotificationContent) -> Topic? {
        switch content.categoryIdentifier {
        case PushAction.checkIn.rawValue: .checkIn
        case PushAction.arrived.rawValue: .journey
        default: PushMessage(content.userInfo)?.isAboutOwnAlert == true ? .checkIn : nil
        }
    }

    /// Removes the reminder that an arrived message makes redundant, whether pending or already
    /// shown.
    public static func takeAwayTheNext(_ topic: Topic, at now: Date = .now) async {
        let center = UNUserNotificationCenter.current()
        let pending = await center.pendingNotificationRequests().filter {
            isAbout(topic, $0.identifier) && isDue($0, at: now)
        }
        center.removePendingNotificationRequests(withIdentifiers: pending.map(\.identifier))
        let shown = await center.deliveredNotifications().map(\.request.identifier)
        center.removeDeliveredNotifications(
            withIdentifiers: shown.filter { isAbout(topic, $0) })
    }

    private static func isAbout(_ topic: Topic, _ identifier: String) -> Bool {
        switch topic {
        case .checkIn: identifier.hasPrefix(mark) && !identifier.hasPrefix(journeyMark)
        case .journey: identifier.hasPrefix(journeyMark)
        }
    }

    /// Removes the visible reminders and questions that a check-in has answered, both this device's
    /// and the server's.
    public static func takeAwayAnswered(by checkIn: Date) async {
        let center = UNUserNotificationCenter.current()
        let delivered = await center.deliveredNotifications()
        let answered = delivered.filter { $0.date < checkIn && isAnswered($0.request) }
        center.removeDeliveredNotifications(withIdentifiers: answered.map(\.request.identifier))
    }

    /// Removes the visible reminders of a journey that has ended or got a later return.
    public static func takeAwayJourney() async {
        let center = UNUserNotificationCenter.current()
        let answered = await center.deliveredNotifications().map(\.request).filter {
            $0.content.categoryIdentifier == PushAction.arrived.rawValue
                || isAbout(.journey, $0.identifier)
        }
        center.removeDeliveredNotifications(withIdentifiers: answered.map(\.identifier))
    }

    private static func isAnswered(_ request: UNNotificationRequest) -> Bool {
        let actions: [PushAction] = [.checkIn, .respondToPing]
        return isAbout(.checkIn, request.identifier)
            || actions.map(\.rawValue).contains(request.content.categoryIdentifier)
    }

    private static func isDue(_ request: UNNotificationRequest, at now: Date) -> Bool {
        guard let due = request.content.userInfo[dueKey] as? TimeInterval else {
            return false
        }
        // The server's reminder arrives on time or a little late. So this device's reminder for the
        // same deadline is due within `patience`.
        return due - now.timeIntervalSince1970 <= patience
    }
}
