/// When the operator hears that the database's disk fills up.
public enum DiskSpace {
    /// In bytes. With less, `/health/ready` warns and `doctor` asks for more.
    public static let low: Int64 = 500_000_000
    /// In bytes. With less, the heartbeat stops.
    static let least: Int64 = 100_000_000

    /// Returns the warning about this many free bytes; nil if there is none.
    /// - Parameter free: nil if the database is on another machine.
    public static func warning(free: Int64?) -> String? { words(free, below: low) }

    static func words(_ free: Int64?, below limit: Int64) -> String? {
        guard let free, free < limit else { return nil }
        return "the disk is nearly full: \(free / 1_000_000) MB are free"
    }
}
