import Domain

extension DrillFeature.State {
    /// How the user's own test goes; nil without one.
    public var ownWords: String? {
        own.map { $0.isRunning ? "The test is running. \($0.summary)" : $0.summary }
    }
}
