import Domain
import Foundation

extension SQLConnection {
    /// Whether these people would hear of an alert. Those with a number have agreed to be told by
    /// SMS and calls.
    /// - Parameter carriers: e-mail, SMS and calls, as far as the server has them.
    public func reachability(
        of people: [UserID], by carriers: Set<DeliveryChannel>
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
                ways.removeAll { $0.channel.isCarrier && !carriers.contains($0.channel) }
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

    /// The tests that a user has sent, with the endpoint of each.
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

    /// Browsers and apps that have confirmed nothing since a moment, and were not tested since.
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
    /// nil for a channel of a newer program.
    let evidence: ReachabilityEvidence?
    /// It says something of a channel, which may be there no more.
    let isProof: Bool
    /// The ways that the person has closed by STOP.
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

extension DeliveryChannel {
    fileprivate var isCarrier: Bool {
        switch self {
        case .email, .sms, .voice: true
        case .stream, .console, .webhook, .webPush, .apns, .fcm, .unknown: false
        }
    }
}

extension Transaction {
    /// A test goes to a device. Returns false if it has confirmed a message meanwhile, was tested
    /// by another server, or is gone.
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

    /// The device that a delivery went to works. Written at most once an hour.
    func proveDevice(of delivery: DeliveryID, of user: UserID) throws {
        for table in PushEndpoint.Kind.tablesOfAddresses {
            try execute(
                """
                UPDATE \(table) SET received_at = $1, checked_at = $1
                WHERE user_id = $2 AND (received_at IS NULL OR received_at <= $3) AND id =
                    (SELECT device_id FROM deliveries WHERE user_id = $2 AND id = $4)
                """,
                [.date(now), .id(user), .date(now.adding(.zero - .hours(1))), .id(delivery)])
        }
    }

    /// A provider, or its key, says that a delivery has arrived.
    public func prove(_ delivery: DeliveryID, of user: UserID) throws {
        try execute(
            """
            INSERT INTO proofs (user_id, channel, proven_at)
            SELECT user_id, channel, $1 FROM deliveries
            WHERE user_id = $2 AND id = $3 AND channel IN ('email', 'sms', 'voice')
            ON CONFLICT (user_id, channel) DO UPDATE SET proven_at = excluded.proven_at
            """, [.date(now), .id(user), .id(delivery)])
    }
}
