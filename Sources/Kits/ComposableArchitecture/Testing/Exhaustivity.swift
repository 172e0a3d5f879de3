/// How much of what a feature does a test has to state.
public enum Exhaustivity: Equatable, Sendable {
    /// All of it: each change of state, each action that is received, the end of each effect.
    case on

    /// Only what the test is about.
    ///
    /// - Parameter showSkippedAssertions: Whether what was left out is recorded, as issues that are
    ///   known.
    case off(showSkippedAssertions: Bool)

    /// Only what the test is about, and nothing is recorded of the rest.
    public static let off = Self.off(showSkippedAssertions: false)
}
