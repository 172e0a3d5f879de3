import Foundation

/// A period without any running server (product.md, "After downtime").
public struct Outage: Equatable, Sendable {
    /// A shorter pause is a restart, not an outage.
    public static let threshold: Duration = .seconds(60)
    /// How long devices have to deliver queued check-ins before deadlines count as missed.
    public static let grace: Duration = .seconds(60)

    /// When a server last recorded that it was running.
    public var from: Date
    /// When the first server started after the outage.
    public var to: Date
    /// The start of the outage. If it began during the previous outage's grace, the start of the
    /// previous outage.
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

    /// The end of the grace. Further restarts don't extend it.
    public var graceEnd: Date { to.adding(Self.grace) }

    /// Returns true if the deadline passed during the outage, so that no server could notify
    /// anyone.
    public func explains(_ deadline: Date) -> Bool { silentSince <= deadline && deadline <= to }

    /// Returns true if the time to answer a question after a restore ended during the outage, so
    /// that no server could receive the answer.
    public func explains(questionAt askedAt: Date) -> Bool {
        explains(askedAt.adding(Restoration.patience))
    }
}
