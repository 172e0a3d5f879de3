/// Limits how often one person's actions are announced to another (product.md, "Storms"). The limit
/// doesn't apply to beginnings, repeats and ends of alerts.
public enum NewsRules {
    public static let window: Duration = .minutes(10)
    /// The largest number of messages within the window that go out by push, webhook and e-mail.
    public static let limit = 10

    /// The most notifications that a person keeps about each other person, and the most about
    /// nobody in particular. Notifications about an alert are deleted with the alert.
    public static let kept = 100

    /// Returns true if the newest message exceeds the limit. It then appears in the notification
    /// centre and the streams at once, but the other channels carry it only after the window has
    /// ended, unless newer news replaces it.
    /// - Parameter count: the news within `window`, including the newest.
    public static func isTooMuch(_ count: Int) -> Bool { count > limit }

    /// Returns the types with the same subject as this one. Of several held-back messages about one
    /// subject, only the newest is sent.
    public static func subject(of type: NotificationType) -> [NotificationType] {
        switch type {
        case .contactAdded, .contactRemoved, .roleChanged:
            [.contactAdded, .contactRemoved, .roleChanged]
        case .alert, .ping, .checkIn, .system: [type]
        }
    }

    /// Returns true for channels to which the limit doesn't apply.
    public static func carriesAll(_ channel: DeliveryChannel) -> Bool {
        switch channel {
        case .stream, .console, .sms, .voice, .unknown: true
        case .webhook, .webPush, .apns, .fcm, .email: false
        }
    }
}
