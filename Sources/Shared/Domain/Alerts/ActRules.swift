import Foundation

/// Limits how often one person may change their answer to one alert (product.md, "Escalation").
/// Each change notifies everyone and stays in the alert's history.
public enum ActRules {
    public static let window: Duration = .hours(24)
    public static let limit = 20
    /// The same answer within this time is a repeat: a gateway may deliver an answer twice.
    public static let sameAnswer: Duration = .seconds(10)
    /// An "I can't" within this time after the same person's last one is a repeat: apps, carriers
    /// and gateways retry.
    public static let sameRefusal: Duration = .minutes(10)

    /// Returns true if an action counts towards the limit. "I'm on it" doesn't count. A person must
    /// withdraw it before repeating it, and the withdrawal counts.
    public static func isChange(_ kind: AlertAction.Kind) -> Bool {
        switch kind {
        case .withdrew, .declined, .withThem, .foundSafe, .emergencyServicesCalled, .resumed: true
        // Both follow a question that the server asks at most every half hour.
        case .confirmed, .lapsed: false
        case .acknowledged: false
        }
    }

    /// Returns the wait before the next change; nil if it may be made now.
    /// - Parameter changes: the times of this person's changes, in any order.
    public static func wait(after changes: [Date], at now: Date) -> Duration? {
        SlidingWindow.wait(after: changes, limit: limit, in: window, at: now)
    }
}
