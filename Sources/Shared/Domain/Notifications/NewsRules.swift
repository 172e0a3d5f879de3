/// Limits how often one person's actions are announced to another, or to the person's own devices
/// (product.md, "Storms").
/// Beginnings, repeats and ends of alerts have no such limit.
public enum NewsRules {
    public static let window: Duration = .minutes(10)
    /// The most messages by push, webhook and e-mail within the window.
    public static let limit = 10

    /// The most notifications that a person keeps about each other person, and about no person. A
    /// notification about an alert is deleted with the alert.
    public static let kept = 100

    /// Returns true if the newest message exceeds the limit. The notification centre and the
    /// streams show it at once. The other channels carry it when the window ends, unless newer news
    /// replaces it.
    /// - Parameter count: the news within `window`, including the newest.
    public static func isTooMuch(_ count: Int) -> Bool { count > limit }

    /// Returns the types that share this type's subject. If several messages about a subject wait,
    /// only the newest is sent.
    public static func subject(of type: NotificationType) -> [NotificationType] {
        switch type {
        case .contactAdded, .contactRemoved, .roleChanged:
            [.contactAdded, .contactRemoved, .roleChanged]
        case .alert, .ping, .checkIn, .system: [type]
        }
    }

    /// Returns true for channels without this limit.
    public static func carriesAll(_ channel: DeliveryChannel) -> Bool {
        switch channel {
        case .stream, .console, .sms, .voice, .unknown: true
        case .webhook, .webPush, .apns, .fcm, .email: false
        }
    }
}
