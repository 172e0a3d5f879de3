/// How much of a feature's behaviour a test must assert.
public enum Exhaustivity: Equatable, Sendable {
    /// Everything: each state change, each received action, the end of each effect.
    case on

    /// Only what the test chooses to assert.
    ///
    /// - Parameter showSkippedAssertions: Whether to record skipped assertions as known issues.
    case off(showSkippedAssertions: Bool)

    /// Only what the test chooses to assert. Skipped assertions aren't recorded.
    public static let off = Self.off(showSkippedAssertions: false)
}
