import Foundation

/// A period without any running server (product.md, "After downtime").
public struct Outage: Equatable, Sendable {
    /// A pause up to this length is a restart and not an outage.
    public static let threshold: Duration = .seconds(60)
    /// How long devices have to reconnect and to deliver queued check-ins.
    public static let grace: Duration = .seconds(60)

    /// The server's last sign of life before the outage.
    public var from: Date
    /// The first start of a server after the outage.
    public var to: Date
    /// The start of this outage. If this outage began during the grace of the previous one, the
    /// start of the previous one.
    public var silentSince: Date

    public init(from: Date, to: Date, silentSince: Date) {
        self.from = from
        self.to = to
        self.silentSince = silentSince
    }

    /// Returns nil if the pause was too short.
    public init?(from lastSignOfLife: Date, to start: Date, after earlier: Outage?) {
        guard start.since(lastSignOfLife) > Self.threshold else { return nil }
        self.init(from: lastSignOfLife, to: start, silentSince: lastSignOfLife)
        if let earlier, lastSignOfLife < earlier.graceEnd { silentSince = earlier.silentSince }
    }

    /// The end of the grace. It counts from the first start: further restarts don't extend it.
    public var graceEnd: Date { to.adding(Self.grace) }

    /// Returns true if the server was down when the deadline passed, so that it couldn't notify
    /// anyone.
    public func explains(_ deadline: Date) -> Bool { silentSince <= deadline && deadline <= to }
}
