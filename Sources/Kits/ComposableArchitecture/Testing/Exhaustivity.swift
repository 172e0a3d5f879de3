/// How much of a feature's behaviour a test must assert.
public enum Exhaustivity: Equatable, Sendable {
    /// Every state change, every received action, and the end of every effect.
    case on

    /// Only what the test chooses to assert.
    ///
    /// - Parameter showSkippedAssertions: Whether to record skipped assertions as known issues.
    case off(showSkippedAssertions: Bool)

    /// Only what the test chooses to assert, without a record of skipped assertions.
    public static let off = Self.off(showSkippedAssertions: false)
}
