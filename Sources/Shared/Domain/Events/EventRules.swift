public enum EventRules {
    /// How long a stream can resume after an event. A client that was disconnected for longer has
    /// to reload everything.
    public static let kept: Duration = .days(7)
    /// The most of a person's newest events to keep. They are pruned only at every sixteenth event,
    /// so there can be a few more.
    public static let limit: Int64 = 1_024
}
