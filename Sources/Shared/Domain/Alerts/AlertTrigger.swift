/// How a person raises an alert by hand on their device (product.md, "Manual alert").
public enum AlertTrigger: String, CaseIterable, Sendable {
    /// Four presses. After 4 seconds without a press, the count starts over.
    case fourPresses = "four-presses"
    /// Four presses. After 40 seconds without a press, the count starts over.
    case slowPresses = "slow-presses"
    /// One press, then a question to confirm, without a time limit.
    case confirmation

    /// After this time without a press, the count starts over.
    public var timeout: Duration {
        self == .fourPresses ? AlertRules.tapTimeout : AlertRules.longTapTimeout
    }
}
