import Domain
import Foundation

extension SQLConnection {
    /// Whether these people would hear of an alert. All have agreed to be told by SMS.
    public func reachability(
        of people: [UserID], isSMSAvailable: Bool
    ) throws -> [UserID: Reachability] {
        let rows = try query(
            about: people,
            {
                """
                SELECT user_id, 'webhook' AS channel, last_success_at AS proven_at, failing_since
                FROM devices WHERE user_id \($0)
                UNION ALL
                SELECT user_id, 'webPush', received_at, failing_since
                FROM push_subscriptions WHERE user_id \($0)
                UNION ALL
                SELECT user_id, channel, proven_at, NULL FROM proofs WHERE user_id \($0)
                """
            }
        ) { (user: try $0["user_id"] as UserID, evidence: try ReachabilityEvidence($0)) }
        let evidence = Dictionary(grouping: rows, by: \.user).mapValues {
            $0.compactMap(\.evidence)
        }
        let added = isSMSAvailable ? [ReachabilityEvidence(.sms)] : []
        return Dictionary(
            people.map { person in
                // A proof of a channel that the server has lost proves nothing.
                let ways = (evidence[person] ?? []).filter { $0.channel != .sms || isSMSAvailable }
                return (person, ReachabilityRules.reachability(by: ways + added, at: now))
            }, uniquingKeysWith: { first, _ in first })
    }

    /// Browsers that have confirmed nothing since a moment, and were not tested since.
    public func browsersToTest(
        silentSince time: Date, limit: Int
    ) throws -> [(user: UserID, endpoint: PushEndpointID)] {
        try query(
            """
            SELECT user_id, id FROM push_subscriptions
            WHERE COALESCE(checked_at, created_at) <= $1
            ORDER BY COALESCE(checked_at, created_at) LIMIT $2
            """, [.date(time), .int(limit)]
        ) { (try $0["user_id"] as UserID, try $0["id"] as PushEndpointID) }
    }
}

extension ReachabilityEvidence {
    /// - Returns: nil for a channel of a newer program.
    fileprivate init?(_ row: SQLRow) throws {
        guard let channel = DeliveryChannel(rawValue: try row["channel"]) else { return nil }
        self.init(
            channel, provenAt: try row["proven_at"], failingSince: try row["failing_since"])
    }
}

extension Transaction {
    /// A test goes to a browser. Returns false if it has confirmed a message meanwhile, was tested
    /// by another server, or is gone.
    public func beginTest(
        of endpoint: PushEndpointID, of user: UserID, silentSince time: Date
    ) throws -> Bool {
        try execute(
            """
            UPDATE push_subscriptions SET checked_at = $1
            WHERE user_id = $2 AND id = $3 AND COALESCE(checked_at, created_at) <= $4
            """, [.date(now), .id(user), .id(endpoint), .date(time)]) > 0
    }

    /// The browser that a delivery went to works. Written at most once an hour.
    func proveBrowser(of delivery: DeliveryID, of user: UserID) throws {
        try execute(
            """
            UPDATE push_subscriptions SET received_at = $1, checked_at = $1
            WHERE user_id = $2 AND (received_at IS NULL OR received_at <= $3) AND id =
                (SELECT device_id FROM deliveries WHERE user_id = $2 AND id = $4)
            """, [.date(now), .id(user), .date(now.adding(.zero - .hours(1))), .id(delivery)])
    }

    /// A provider, or its key, says that a delivery has arrived.
    func prove(_ delivery: DeliveryID, of user: UserID) throws {
        try execute(
            """
            INSERT INTO proofs (user_id, channel, proven_at)
            SELECT user_id, channel, $1 FROM deliveries
            WHERE user_id = $2 AND id = $3 AND channel NOT IN ('stream', 'webhook', 'webPush')
            ON CONFLICT (user_id, channel) DO UPDATE SET proven_at = excluded.proven_at
            """, [.date(now), .id(user), .id(delivery)])
    }
}
