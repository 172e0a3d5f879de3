import Domain
import Foundation

extension SQLConnection {
    /// Returns whether an alert would reach these people. People with a phone number have agreed to
    /// SMS and calls.
    /// - Parameter channels: the channels that the server supports. Others don't count: an app's
    ///   endpoint stays stored when the operator removes its push service.
    public func reachability(
        of people: [UserID], by channels: Set<DeliveryChannel>
    ) throws -> [UserID: Reachability] {
        let rows: [ReachabilityRow] = try query(
            about: people,
            {
                """
                SELECT user_id, 'webhook' AS channel, last_success_at AS proven_at, failing_since,
                    0 AS is_proof
                FROM devices WHERE user_id \($0)
                UNION ALL
                SELECT user_id, 'webPush', received_at, failing_since, 0
                FROM push_subscriptions WHERE user_id \($0)
                UNION ALL
                SELECT user_id, kind, received_at, failing_since, 0
                FROM app_endpoints WHERE user_id \($0)
                UNION ALL
                SELECT user_id, 'email', NULL, failing_since, 0
                FROM email_addresses WHERE address IS NOT NULL AND user_id \($0)
                UNION ALL
                SELECT id, 'sms', NULL, NULL, 0
                FROM users WHERE phone_number NOT LIKE '\(PhoneNumber.noNumber)%' AND id \($0)
                UNION ALL
                SELECT user_id, channel, proven_at, NULL, 1 FROM proofs WHERE user_id \($0)
                UNION ALL
                SELECT id, CASE WHEN guest_since IS NULL THEN 'stopped' ELSE 'stopped-guest' END,
                    NULL, NULL, 0
                FROM users WHERE sms_stopped_at IS NOT NULL AND id \($0)
                """
            }
        ) { try ReachabilityRow($0) }
        let own = Dictionary(grouping: rows, by: \.user)
        return Dictionary(
            people.map { person in
                let rows = own[person] ?? []
                let stopped = Set(rows.flatMap(\.stopped))
                var ways = rows.filter { !$0.isProof }.compactMap(\.evidence)
                if ways.contains(where: { $0.channel == .sms }) {
                    ways.append(ReachabilityEvidence(.voice))
                }
                ways.removeAll { stopped.contains($0.channel) }
                ways.removeAll { !channels.contains($0.channel) }
                for proof in rows.filter(\.isProof).compactMap(\.evidence) {
                    for index in ways.indices where ways[index].channel == proof.channel {
                        ways[index].provenAt = proof.provenAt
                    }
                }
                var answer = ReachabilityRules.reachability(by: ways, at: now)
                if !stopped.isEmpty { answer.hasStoppedTexts = true }
                return (person, answer)
            }, uniquingKeysWith: { first, _ in first })
    }

    /// Returns the channel of an e-mail, SMS or call. Returns nil for other deliveries, and for one
    /// from before the person changed the number or the address, because it may have gone to the
    /// old one.
    public func presentCarrier(of delivery: DeliveryID, to user: UserID) throws -> String? {
        let sent = try first(
            """
            SELECT channel, created_at FROM deliveries
            WHERE user_id = $1 AND id = $2 AND channel IN ('email', 'sms', 'voice')
            """, [.id(user), .id(delivery)]
        ) { (channel: try $0["channel"] as String, time: try $0["created_at"] as Date) }
        guard let sent else { return nil }
        let isMail = sent.channel == DeliveryChannel.email.rawValue
        let changedAt =
            isMail ? try confirmedEmail(of: user)?.verifiedAt : try numberChange(of: user)
        return isBefore(sent.time, changedAt) ? nil : sent.channel
    }

    /// Returns false if a message to the person by SMS or e-mail may have gone to a former number
    /// or address: the person has changed it since, or has removed the address. A guest's restored
    /// address is the same one.
    /// - Parameter sentAt: when the first such message was created; nil if there was none.
    public func hasCarrier(
        _ channel: DeliveryChannel, of user: UserID, since sentAt: Date?
    ) throws -> Bool {
        guard channel == .email else {
            return try !isBefore(sentAt, numberChange(of: user))
        }
        guard let email = try confirmedEmail(of: user) else { return false }
        guard isBefore(sentAt, email.verifiedAt) else { return true }
        return try self.user(user)?.hasOnlyEmail == true
    }

    /// Returns when the person last changed the number; nil if they never did.
    public func numberChange(of user: UserID) throws -> Date? {
        try value(
            "SELECT proven_at FROM proofs WHERE user_id = $1 AND channel = $2",
            [.id(user), .text(Transaction.numberChange)])
    }

    private func isBefore(_ time: Date?, _ change: Date?) -> Bool {
        guard let time, let change else { return false }
        // A change in the future comes from a wrong clock.
        return time < change && change <= now
    }

    public func endpointTests(
        of user: UserID, since time: Date
    ) throws -> [(endpoint: PushEndpointID?, time: Date)] {
        try query(
            """
            SELECT device_id, created_at FROM deliveries
            WHERE user_id = $1 AND purpose = 'test' AND created_at > $2
            """, [.id(user), .date(time)]
        ) { (try $0["device_id"] as PushEndpointID?, try $0["created_at"] as Date) }
    }

    /// Returns the people whose endpoint or e-mail address began to fail within this period.
    public func people(
        failingSinceAfter start: Date, until end: Date
    ) throws -> Set<UserID> {
        let tables = PushEndpoint.Kind.tables + ["email_addresses"]
        return Set(
            try tables.flatMap { table in
                try values(
                    "SELECT user_id FROM \(table) WHERE failing_since > $1 AND failing_since <= $2",
                    [.date(start), .date(end)]) as [UserID]
            })
    }

    /// Returns a page of the people whose endpoint or e-mail address began to fail at `end` or
    /// before, and whose contacts haven't been told since, in the order of their ids.
    public func peopleFailingUntold(
        until end: Date, after user: UserID?, limit: Int
    ) throws -> [UserID] {
        let tables = PushEndpoint.Kind.tables + ["email_addresses"]
        let people = tables.map { table in
            """
            SELECT e.user_id FROM \(table) e JOIN users u ON u.id = e.user_id
            WHERE e.failing_since <= $1 AND (u.unreachable_told_at IS NULL
                OR u.unreachable_told_at < e.failing_since) AND e.user_id > $2
            """
        }
        return try values(
            "\(people.joined(separator: " UNION ")) ORDER BY user_id LIMIT $3",
            [.date(end), user.map { .id($0) } ?? .blob(Data()), .int(limit)])
    }

    /// Returns true if the person has a working endpoint in a session that expires after `end`.
    /// - Parameter channels: the channels that the server supports.
    public func hasEndpoint(
        of user: UserID, inSessionsAfter end: Date, by channels: Set<DeliveryChannel>
    ) throws -> Bool {
        try PushEndpoint.Kind.allCases.contains { kind in
            guard channels.contains(kind.channel) else { return false }
            return try hasRow(
                """
                SELECT 1 FROM \(kind.table) e JOIN sessions s ON s.user_id = e.user_id
                    AND s.id = e.session_id
                WHERE e.user_id = $1 AND s.refresh_expires_at > $2\(kind.condition)
                    AND (e.failing_since IS NULL OR e.failing_since > $3)
                """,
                [
                    .id(user), .date(end),
                    .date(now.adding(.zero - ReachabilityRules.failsAfter)),
                ])
        }
    }

    /// - Parameter channels: the channels that the server supports.
    public func hasEndpoint(
        ofSession session: SessionID, of user: UserID, by channels: Set<DeliveryChannel>
    ) throws -> Bool {
        try PushEndpoint.Kind.allCases.contains { kind in
            guard channels.contains(kind.channel) else { return false }
            return try hasRow(
                """
                SELECT 1 FROM \(kind.table) e
                WHERE e.user_id = $1 AND e.session_id = $2\(kind.condition)
                """, [.id(user), .id(session)])
        }
    }

    /// Returns browsers and apps without a confirmed message or a test since `time`.
    public func devicesToTest(
        silentSince time: Date, limit: Int
    ) throws -> [(user: UserID, endpoint: PushEndpointID)] {
        try PushEndpoint.Kind.tablesOfAddresses.flatMap { table in
            try query(
                """
                SELECT user_id, id FROM \(table) WHERE COALESCE(checked_at, created_at) <= $1
                ORDER BY COALESCE(checked_at, created_at) LIMIT $2
                """, [.date(time), .int(limit)]
            ) { (try $0["user_id"] as UserID, try $0["id"] as PushEndpointID) }
        }
    }
}

private struct ReachabilityRow {
    let user: UserID
    /// nil for a channel that only newer servers know.
    let evidence: ReachabilityEvidence?
    /// True if the row only proves that a channel worked. The person may have lost this channel.
    let isProof: Bool
    /// The channels that the person has closed with STOP.
    let stopped: [DeliveryChannel]

    init(_ row: SQLRow) throws {
        user = try row["user_id"]
        let (provenAt, failingSince): (Date?, Date?) =
            (try row["proven_at"], try row["failing_since"])
        let channel: String = try row["channel"]
        stopped =
            switch channel {
            case "stopped": [.sms]
            case "stopped-guest": [.sms, .voice]
            default: []
            }
        evidence = DeliveryChannel(rawValue: channel).map {
            ReachabilityEvidence($0, provenAt: provenAt, failingSince: failingSince)
        }
        isProof = try row["is_proof"]
    }
}

extension PushEndpoint.Kind {
    /// An SQL condition, because the kinds of apps share a table.
    fileprivate var condition: String {
        [.apns, .fcm].contains(self) ? " AND e.kind = '\(rawValue)'" : ""
    }
}

extension DeliveryChannel {
    /// True for e-mail, SMS and calls.
    public var isCarrier: Bool {
        switch self {
        case .email, .sms, .voice: true
        case .stream, .console, .webhook, .webPush, .apns, .fcm, .unknown: false
        }
    }
}

extension Transaction {
    /// Records the start of a device's test. Returns false if the device has confirmed a message
    /// meanwhile, another server has tested it, or it was removed.
    public func beginTest(
        of endpoint: PushEndpointID, of user: UserID, silentSince time: Date
    ) throws -> Bool {
        try PushEndpoint.Kind.tablesOfAddresses.contains { table in
            try execute(
                """
                UPDATE \(table) SET checked_at = $1
                WHERE user_id = $2 AND id = $3 AND COALESCE(checked_at, created_at) <= $4
                """, [.date(now), .id(user), .id(endpoint), .date(time)]) > 0
        }
    }

    /// Records that the person's contacts are told of the person's unreachability. Returns false if
    /// they were told after `time`.
    public func noteUnreachable(_ user: UserID, unlessToldAfter time: Date) throws -> Bool {
        try execute(
            """
            UPDATE users SET unreachable_told_at = $1
            WHERE id = $2 AND (unreachable_told_at IS NULL OR unreachable_told_at <= $3)
            """, [.date(now), .id(user), .date(time)]) > 0
    }

    /// Records that the device of a delivery works, at most once an hour.
    func proveDevice(of delivery: DeliveryID, of user: UserID) throws {
        let endpoint: PushEndpointID? = try value(
            "SELECT device_id FROM deliveries WHERE user_id = $1 AND id = $2",
            [.id(user), .id(delivery)])
        guard let endpoint else { return }
        for table in PushEndpoint.Kind.tablesOfAddresses {
            let changed = try execute(
                """
                UPDATE \(table) SET received_at = $1, checked_at = $1
                WHERE user_id = $2 AND (received_at IS NULL OR received_at <= $3) AND id = $4
                """,
                [.date(now), .id(user), .date(now.adding(.zero - .hours(1))), .id(endpoint)])
            guard changed > 0 else { continue }
            noteReach(of: user)
            try keepSessions(ofEndpoints: [(user, endpoint)], in: table)
        }
    }

    /// Records that a delivery has arrived, which proves its channel. A delivery from before the
    /// person changed the number or the address proves nothing.
    public func prove(_ delivery: DeliveryID, of user: UserID) throws {
        guard let channel = try presentCarrier(of: delivery, to: user) else { return }
        try saveProof(channel, of: user)
        noteReach(of: user)
    }

    /// Deletes the proofs by SMS and calls, because the person has another number.
    func withdrawProofsOfNumber(of user: UserID) throws {
        try execute(
            "DELETE FROM proofs WHERE user_id = $1 AND channel IN ('sms', 'voice')", [.id(user)])
        try saveProof(Self.numberChange, of: user)
        noteReach(of: user)
    }

    /// Deletes the proof by e-mail, because the person has another address.
    func withdrawProofOfEmail(of user: UserID) throws {
        try execute("DELETE FROM proofs WHERE user_id = $1 AND channel = 'email'", [.id(user)])
    }

    /// The name of the row of `proofs` with the time of the last change of the number. Reachability
    /// ignores the row, because no channel has this name.
    fileprivate static let numberChange = "number"

    /// - Parameter channel: a channel, or `numberChange`.
    private func saveProof(_ channel: String, of user: UserID) throws {
        try execute(
            """
            INSERT INTO proofs (user_id, channel, proven_at) VALUES ($1, $2, $3)
            ON CONFLICT (user_id, channel) DO UPDATE SET proven_at = excluded.proven_at
            """, [.id(user), .text(channel), .date(now)])
    }
}
