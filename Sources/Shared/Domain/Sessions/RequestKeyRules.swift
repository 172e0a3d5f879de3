/// How long the server remembers idempotency keys (product.md, "Offline").
public enum RequestKeyRules {
    /// A request that is repeated later than this counts as a new one.
    public static let kept: Duration = .days(30)
    /// The number of a person's newest keys to keep. A device never has this many requests queued.
    public static let limit = 1_000
}
