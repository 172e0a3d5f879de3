import Foundation

/// Limits the SMS and e-mails to one responder about one owner's alerts (product.md, "Storms").
/// Alarms are never delayed; news and messages about an end may wait.
public enum StormRules {
    public static let window: Duration = .minutes(10)
    /// From this many alerts within the window on, the message about an end waits.
    public static let limit = 4
    public static let pause: Duration = .minutes(10)
    /// After this many SMS within the window, news waits unless it corrects the last SMS.
    public static let newsLimit = 8

    /// Returns how many of a person's alerts within `alertsKeptWindow` stay in the history. Without
    /// this limit, raising and ending alerts in a loop would fill the disk. An alert takes about
    /// 3.6 KB per responder.
    public static func alertsKept(responders: Int) -> Int { max(20, 1_000 / max(1, responders)) }
    public static let alertsKeptWindow: Duration = .hours(24)
    /// Returns true if a new alarm needs no SMS, because the last SMS says the same.
    /// - Parameters:
    ///   - last: the claim of the last SMS to the recipient about any alert of the owner, sent or
    ///     pending.
    ///   - hasAnswered: true if the recipient has answered an alert of the owner since then, and
    ///     may believe that help is on the way.
    public static func sparesAlarm(after last: AlertClaim?, hasAnswered: Bool) -> Bool {
        last == .needsHelp && !hasAnswered
    }

    /// Returns how long the SMS and e-mail about an alert's end wait.
    /// - Parameter recentAlerts: the number of the owner's alerts within `window`, including this
    ///   one.
    public static func delayOfEnd(recentAlerts: Int) -> Duration {
        recentAlerts >= limit ? pause : .zero
    }
}
