import Domain
import Foundation

/// The state of the clock that a restarted server needs.
public struct ClockMemory: Equatable, Sendable {
    public enum Trust: Equatable, Sendable {
        /// The time agreed with the machine's clock.
        case full
        /// The machine's clock was set, nobody knows whether right; without it the time is this.
        case steady(Date, since: Date)
        /// The machine's clock was wrong, and the time is at least this.
        case atLeast

        fileprivate var steady: (time: Date, since: Date)? {
            if case .steady(let time, let since) = self { (time, since) } else { nil }
        }
    }

    /// The server's time.
    public var time: Date
    /// The time when this way of counting began.
    public var since: Date
    public var trust: Trust
    /// Since the machine started.
    public var boot: Duration
    /// The id of the machine's start that `boot` belongs to.
    public var bootID: Int64?

    public init(time: Date, since: Date, trust: Trust, boot: Duration, bootID: Int64?) {
        self.time = time
        self.since = since
        self.trust = trust
        self.boot = boot
        self.bootID = bootID
    }
}

/// The server's own state, beyond its users.
public struct ServerState: Equatable, Sendable {
    public var clock: ClockMemory?
    public var outage: Outage?
    public var restoration: Restoration?
    /// A restore has been made that no server has seen yet, with what it knows; see `Restoration`.
    public var restoredFrom: Date?
    /// Changes with each restore, so that a device notices.
    public var epoch: Int64?
    /// The last sign of life before the present server, and its start.
    public var lastSignOfLife: Date?
    public var startedAt: Date?
    /// The fingerprint of the key by which the rows were made; see `ServerKey.fingerprint`.
    public var keyFingerprint: Int64?

    public init() {}
}

extension ServerState {
    private enum Name: String, CaseIterable {
        case clockTime, clockSince, clockSteady, clockSteadySince, clockIsAtLeast, clockBoot,
            clockBootID
        case outageFrom, outageTo, outageSilentSince, restoredAt, incompleteSince, restoredFrom,
            epoch
        case lastSignOfLife, startedAt, keyFingerprint
    }

    fileprivate init(_ values: [String: Int64]) {
        func number(_ name: Name) -> Int64? { values[name.rawValue] }
        func date(_ name: Name) -> Date? { number(name).map { Date(milliseconds: $0) } }
        if let time = date(.clockTime), let since = date(.clockSince), let boot = number(.clockBoot)
        {
            let trust: ClockMemory.Trust =
                if number(.clockIsAtLeast) != nil {
                    .atLeast
                } else if let steady = date(.clockSteady), let since = date(.clockSteadySince) {
                    .steady(steady, since: since)
                } else {
                    .full
                }
            clock = ClockMemory(
                time: time, since: since, trust: trust, boot: .milliseconds(boot),
                bootID: number(.clockBootID))
        }
        if let from = date(.outageFrom), let to = date(.outageTo),
            let since = date(.outageSilentSince)
        {
            outage = Outage(from: from, to: to, silentSince: since)
        }
        if let restored = date(.restoredAt), let since = date(.incompleteSince) {
            restoration = Restoration(restoredAt: restored, incompleteSince: since)
        }
        restoredFrom = date(.restoredFrom)
        epoch = number(.epoch)
        lastSignOfLife = date(.lastSignOfLife)
        startedAt = date(.startedAt)
        keyFingerprint = number(.keyFingerprint)
    }

    private var values: [Name: Int64?] {
        [
            .clockTime: clock?.time.milliseconds, .clockSince: clock?.since.milliseconds,
            .clockSteady: clock?.trust.steady?.time.milliseconds,
            .clockSteadySince: clock?.trust.steady?.since.milliseconds,
            .clockIsAtLeast: clock?.trust == .atLeast ? 1 : nil,
            .clockBoot: clock?.boot.milliseconds,
            .clockBootID: clock?.bootID, .outageFrom: outage?.from.milliseconds,
            .outageTo: outage?.to.milliseconds,
            .outageSilentSince: outage?.silentSince.milliseconds,
            .restoredAt: restoration?.restoredAt.milliseconds,
            .incompleteSince: restoration?.incompleteSince.milliseconds,
            .restoredFrom: restoredFrom?.milliseconds,
            .epoch: epoch, .lastSignOfLife: lastSignOfLife?.milliseconds,
            .startedAt: startedAt?.milliseconds, .keyFingerprint: keyFingerprint,
        ]
    }

    /// The rows that differ, in a fixed order; nil for one that goes.
    fileprivate func changes(from old: ServerState) -> [(name: String, value: Int64?)] {
        Name.allCases.compactMap { name in
            let (new, old) = (values[name] ?? nil, old.values[name] ?? nil)
            return new == old ? nil : (name.rawValue, new)
        }
    }
}

extension SQLConnection {
    public func serverState() throws -> ServerState {
        let rows = try query("SELECT name, value FROM server_state", []) {
            (try $0["name"] as String, try $0["value"] as Int64)
        }
        return ServerState(Dictionary(rows) { $1 })
    }

    /// The same statements inside and outside a `Transaction`.
    func saveServerState(_ new: ServerState, replacing old: ServerState) throws {
        for change in new.changes(from: old) {
            if let value = change.value {
                try execute(
                    """
                    INSERT INTO server_state (name, value) VALUES ($1, $2)
                    ON CONFLICT (name) DO UPDATE SET value = excluded.value
                    """, [.text(change.name), .integer(value)])
            } else {
                try execute("DELETE FROM server_state WHERE name = $1", [.text(change.name)])
            }
        }
    }
}

extension Transaction {
    /// Changes what the server knows about itself.
    @discardableResult
    public func updateServerState(_ change: (inout ServerState) throws -> Void) throws
        -> ServerState
    {
        let old = try serverState()
        var new = old
        try change(&new)
        try saveServerState(new, replacing: old)
        return new
    }
}
