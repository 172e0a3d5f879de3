/// How a person raises an alert by hand on their device (product.md, "Manual alert").
public enum AlertTrigger: String, CaseIterable, Sendable {
    /// Four presses, which start over after a pause of 4 seconds.
    case fourPresses = "four-presses"
    /// Four presses, which start over after a pause of 40 seconds, for people who press slowly.
    case slowPresses = "slow-presses"
    /// One press, and the answer to a question, both without a time limit.
    case confirmation

    /// The time without a press after which the presses start over.
    public var timeout: Duration {
        self == .fourPresses ? AlertRules.tapTimeout : AlertRules.longTapTimeout
    }
}
