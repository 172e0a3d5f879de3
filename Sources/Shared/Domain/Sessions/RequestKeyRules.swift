/// How long the server knows a request that was made already (product.md, "Offline").
public enum RequestKeyRules {
    /// A device that was offline for longer asks with new keys, or is told by the state it finds.
    public static let kept: Duration = .days(30)
}
