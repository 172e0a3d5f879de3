/// How often one person's acts may be announced to another (product.md, "Storms"). Beginnings,
/// repeats and ends of alerts are no news in this sense, and are never held back.
public enum NewsRules {
    public static let window: Duration = .minutes(10)
    /// The most news within the window that goes out by push, webhook and e-mail.
    public static let limit = 10

    /// True if the newest is beyond the limit: it stays in the notifications and the streams.
    /// - Parameter count: the news within `window`, the newest included.
    public static func isTooMuch(_ count: Int) -> Bool { count > limit }

    /// The channels that carry every change.
    public static func carriesAll(_ channel: DeliveryChannel) -> Bool {
        switch channel {
        case .stream, .console, .sms, .voice, .unknown: true
        case .webhook, .webPush, .apns, .fcm, .email: false
        }
    }
}
