import Domain
import Foundation

/// The state of the server's clock, which a restarted server continues from.
public struct ClockMemory: Equatable, Sendable {
    public enum Trust: Equatable, Sendable {
        /// The server's time agreed with the machine's clock.
        case full
        /// The machine's clock was changed, correctly or not. The date is the time that the
        /// machine's clock would show without the change.
        case steady(Date, since: Date)
        /// The machine's clock was wrong. The real time is `time` or later.
        case atLeast

        fileprivate var steady: (time: Date, since: Date)? {
            if case .steady(let time, let since) = self { (time, since) } else { nil }
        }
    }

    public var time: Date
    /// When the current `trust` began.
    public var since: Date
    public var trust: Trust
    /// The time since the machine's boot.
    public var boot: Duration
    /// The id of the boot that `boot` counts from.
    public var bootID: Int64?

    public init(time: Date, since: Date, trust: Trust, boot: Duration, bootID: Int64?) {
        self.time = time
        self.since = since
        self.trust = trust
        self.boot = boot
        self.bootID = bootID
    }
}

/// The server's own state, apart from its users' data.
public struct ServerState: Equatable, Sendable {
    public var clock: ClockMemory?
    public var outage: Outage?
    public var restoration: Restoration?
    /// A restored backup is complete up to this time. A server that notices the restore sets it to
    /// nil. See `Restoration`.
    public var restoredFrom: Date?
    /// The `number` of the announcement about the last restore.
    public var restoreNews: Int64?
    /// Changes with each restore, so that devices notice the restore.
    public var epoch: Int64?
    /// The time when a server last ran. `startedAt` is the start of the current server.
    public var lastSignOfLife: Date?
    public var startedAt: Date?
    /// The fingerprint of the key that the rows were written with; see `ServerKey.fingerprint`.
    public var keyFingerprint: Int64?
    /// The number of former keys that the servers accept; nil for none.
    public var formerKeys: Int64?
    /// When the key was rotated, while rows with values of former keys are being renewed.
    public var keyRotatedAt: Date?
    /// The version of the stored form of phone numbers; nil for the oldest form.
    public var numberForm: Int64?
    /// Who may sign up unless the operator says otherwise; nil before the first start of a version
    /// that knows it.
    public var signUp: SignUpMode?
    /// When a server with the channel last ran. Only for channels of shared databases that depend
    /// on a server's settings.
    public var channelsSeen: [DeliveryChannel: Date] = [:]

    public init() {}
}

extension ServerState {
    /// How often the servers store their channels; far less than `channelMemory`.
    public static let pauseBetweenChannelNotes: Duration = .seconds(30)
    /// How long a channel counts as one of a running server.
    public static let channelMemory: Duration = .seconds(60)

    /// Notes that a server with these channels runs.
    public mutating func note(_ channels: Set<DeliveryChannel>, at now: Date) {
        for (_, channel) in Self.channelNames where channels.contains(channel) {
            if let seen = channelsSeen[channel],
                (Duration.zero..<Self.pauseBetweenChannelNotes).contains(now.since(seen))
            {
                continue
            }
            channelsSeen[channel] = now
        }
    }

    /// Returns the channels of the servers that run now.
    /// - Parameter start: ignores servers that have stored nothing since this time; nil for none.
    public func runningChannels(since start: Date? = nil, at now: Date) -> Set<DeliveryChannel> {
        let running = channelsSeen.filter { _, seen in
            now.since(seen) <= Self.channelMemory && start.map { $0 < seen } != false
        }
        return Set(running.keys)
    }
}

extension ServerState {
    private enum Name: String, CaseIterable {
        case clockTime, clockSince, clockSteady, clockSteadySince, clockIsAtLeast, clockBoot,
            clockBootID
        case outageFrom, outageTo, outageSilentSince, restoredAt, incompleteSince, restoredFrom,
            restoreNews, epoch
        case lastSignOfLife, startedAt, keyFingerprint, formerKeys, keyRotatedAt, numberForm, signUp
        case emailSeen, smsSeen, voiceSeen, apnsSeen, fcmSeen
    }

    private static let channelNames: [(name: Name, channel: DeliveryChannel)] = [
        (.emailSeen, .email), (.smsSeen, .sms), (.voiceSeen, .voice), (.apnsSeen, .apns),
        (.fcmSeen, .fcm),
    ]

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
        restoreNews = number(.restoreNews)
        epoch = number(.epoch)
        lastSignOfLife = date(.lastSignOfLife)
        startedAt = date(.startedAt)
        keyFingerprint = number(.keyFingerprint)
        formerKeys = number(.formerKeys)
        keyRotatedAt = date(.keyRotatedAt)
        numberForm = number(.numberForm)
        signUp = number(.signUp).map { $0 == 0 ? .open : .invited }
        for (name, channel) in Self.channelNames { channelsSeen[channel] = date(name) }
    }

    private var values: [Name: Int64?] {
        var values: [Name: Int64?] = [
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
            .restoredFrom: restoredFrom?.milliseconds, .restoreNews: restoreNews,
            .epoch: epoch, .lastSignOfLife: lastSignOfLife?.milliseconds,
            .startedAt: startedAt?.milliseconds, .keyFingerprint: keyFingerprint,
            .formerKeys: formerKeys, .keyRotatedAt: keyRotatedAt?.milliseconds,
            .numberForm: numberForm,
            .signUp: signUp.map { $0 == .open ? 0 : 1 },
        ]
        for (name, channel) in Self.channelNames {
            values[name] = channelsSeen[channel]?.milliseconds
        }
        return values
    }

    /// Returns the rows that differ, in a fixed order. The value nil deletes the row.
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
