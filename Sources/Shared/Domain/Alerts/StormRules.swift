import Foundation

/// How many SMS, and how many e-mails, one owner's alerts may cost one responder (product.md,
/// "Storms"). No alarm is ever delayed: only the message about an end waits.
public enum StormRules {
    public static let window: Duration = .minutes(10)
    /// The alert within the window from which on the message about its end waits.
    public static let limit = 4
    public static let pause: Duration = .minutes(10)
    /// The most SMS about one alert within the window; news beyond them goes by push and stream.
    public static let newsLimit = 8

    /// How long the SMS and e-mail about the end of an alert wait.
    /// - Parameter recentAlerts: how many alerts the owner has had within `window`, this one
    ///   included.
    public static func delayOfEnd(recentAlerts: Int) -> Duration {
        recentAlerts >= limit ? pause : .zero
    }
}
