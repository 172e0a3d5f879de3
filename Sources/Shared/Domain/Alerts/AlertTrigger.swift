/// How a person raises an alert by hand on their device (product.md, "Manual alert").
public enum AlertTrigger: String, CaseIterable, Sendable {
    /// Four presses. After a pause of 4 seconds, the count starts over.
    case fourPresses = "four-presses"
    /// Four presses, for people who press slowly. After a pause of 40 seconds, the count starts
    /// over.
    case slowPresses = "slow-presses"
    /// One press, then the answer to a question. Neither has a time limit.
    case confirmation

    /// If no press follows within this time, the count of presses starts over.
    public var timeout: Duration {
        self == .fourPresses ? AlertRules.tapTimeout : AlertRules.longTapTimeout
    }
}
