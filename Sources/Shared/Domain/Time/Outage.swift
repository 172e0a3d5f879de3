import Foundation

/// A time without any running server (product.md, "After downtime").
public struct Outage: Equatable, Sendable {
    /// A pause of this length is a restart and no outage yet.
    public static let threshold: Duration = .seconds(60)
    /// The time for returning devices to deliver the check-ins that waited on them.
    public static let grace: Duration = .seconds(60)

    /// The last sign of life before it.
    public var from: Date
    /// The first start after it.
    public var to: Date
    /// Its beginning, or that of the one before it if nobody could be notified in between.
    public var silentSince: Date

    public init(from: Date, to: Date, silentSince: Date) {
        self.from = from
        self.to = to
        self.silentSince = silentSince
    }

    /// nil when the pause was too short.
    public init?(from lastSignOfLife: Date, to start: Date, after earlier: Outage?) {
        guard start.since(lastSignOfLife) > Self.threshold else { return nil }
        self.init(from: lastSignOfLife, to: start, silentSince: lastSignOfLife)
        if let earlier, lastSignOfLife < earlier.graceEnd { silentSince = earlier.silentSince }
    }

    /// Counted from the first start: a further restart never renews it.
    public var graceEnd: Date { to.adding(Self.grace) }

    /// True if the server was down when the deadline passed and could notify nobody.
    public func explains(_ deadline: Date) -> Bool { silentSince <= deadline && deadline <= to }
}
