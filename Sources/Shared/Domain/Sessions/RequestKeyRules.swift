/// How long the server remembers idempotency keys (product.md, "Offline").
public enum RequestKeyRules {
    /// A request repeated after this time counts as new.
    public static let kept: Duration = .days(30)
    /// How many newest keys of a person are kept. No device queues this many requests.
    public static let limit = 1_000
    /// How many newest answers and offers by text message are kept. Forged ones must not displace
    /// the keys of a person's devices.
    public static let limitOfTexts = 100
}
