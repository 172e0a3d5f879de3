public enum EventRules {
    /// How long a stream can resume after an event. Clients disconnected for longer reload
    /// everything.
    public static let kept: Duration = .days(7)
    /// How many newest events of a person are kept. Pruning happens at every sixteenth event, so
    /// there can be a few more.
    public static let limit: Int64 = 1_024
}
