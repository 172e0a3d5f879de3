import Domain
import Foundation

/// News about an endpoint that its owner has to hear.
public enum EndpointNews: Sendable, Equatable {
    /// It has answered 404 or 410 for the first time since it last worked.
    case gone
    /// It was removed, because it has done nothing but fail.
    case givenUp
    /// A browser's subscription or an app's token has ended, and was removed.
    case ended
}

/// A notice to the owner of an endpoint.
public struct EndpointNotice: Sendable, Equatable {
    public var news: EndpointNews
    public var userID: UserID
    public var url: URL
    public var reason: DeliveryReason
    public var kind = PushEndpoint.Kind.webhook

    public init(news: EndpointNews, userID: UserID, url: URL, reason: DeliveryReason) {
        self.news = news
        self.userID = userID
        self.url = url
        self.reason = reason
    }
}

/// A try at an endpoint that failed.
public struct EndpointFailure: Sendable {
    public var reason: DeliveryReason
    /// The address that was tried. The owner may have moved the endpoint meanwhile.
    public var url: URL
    /// It answered 404 or 410.
    public var isGone = false
    /// The message gets no further tries.
    public var isFinal = false
    /// The endpoint will never take anything again.
    public var hasEnded = false
    /// If the provider says when: a later registration is not meant.
    public var endedAt: Date?
    public var kind = PushEndpoint.Kind.webhook
    /// Tries for this message, with this one.
    public var attempts: Int
    public var time: Date

    public init(_ reason: DeliveryReason, url: URL, attempts: Int, at time: Date) {
        self.reason = reason
        self.url = url
        self.attempts = attempts
        self.time = time
    }
}

/// An endpoint has taken a message.
public struct EndpointSuccess: Sendable {
    public var endpoint: PushEndpointID
    public var userID: UserID
    /// The address that has taken it.
    public var url: URL
    public var time: Date
    public var kind = PushEndpoint.Kind.webhook

    public init(_ endpoint: PushEndpointID, of user: UserID, url: URL, at time: Date) {
        self.endpoint = endpoint
        userID = user
        self.url = url
        self.time = time
    }
}

extension SQLConnection {
    public func pushEndpoints(of user: UserID) throws -> [PushEndpoint] {
        try pushEndpoints(of: [user])[user] ?? []
    }

    public func pushEndpoints(of users: [UserID]) throws -> [UserID: [PushEndpoint]] {
        let rest = "url, created_at, last_success_at, failing_since, last_failure"
        let rows = try query(
            about: users,
            {
                """
                SELECT user_id, id, kind, \(rest) FROM devices WHERE user_id \($0)
                UNION ALL
                SELECT user_id, id, 'webPush', \(rest) FROM push_subscriptions WHERE user_id \($0)
                UNION ALL
                SELECT user_id, id, kind, \(rest) FROM app_endpoints WHERE user_id \($0)
                ORDER BY created_at, id
                """
            }
        ) { row in
            let id: PushEndpointID = try row["id"]
            guard let kind = PushEndpoint.Kind(rawValue: try row["kind"]),
                let url = URL(string: try row["url"])
            else {
                throw DatabaseError.unreadable("an endpoint of an unknown kind or address")
            }
            let endpoint = PushEndpoint(
                id: id, kind: kind, url: url, createdAt: try row["created_at"],
                lastSuccessAt: try row["last_success_at"],
                failingSince: try row["failing_since"], lastFailure: try row["last_failure"])
            return (user: try row["user_id"] as UserID, endpoint: endpoint)
        }
        return Dictionary(grouping: rows, by: \.user).mapValues { $0.map(\.endpoint) }
    }
}

extension Transaction {
    /// A new address begins without the history of the old one.
    public func save(_ endpoint: PushEndpoint, of user: UserID, session: SessionID) throws {
        let key: [SQLValue] = [.id(user), .id(endpoint.id)]
        try forgetPushAddresses("id = $2", key)
        for table in PushEndpoint.Kind.tablesOfAddresses {
            try execute("DELETE FROM \(table) WHERE user_id = $1 AND id = $2", key)
        }
        try execute(
            """
            INSERT INTO devices (user_id, id, session_id, kind, url, created_at)
            VALUES ($1, $2, $3, $4, $5, $6)
            ON CONFLICT (user_id, id) DO UPDATE SET session_id = excluded.session_id,
                kind = excluded.kind, url = excluded.url,
                last_success_at =
                    CASE WHEN devices.url = excluded.url THEN devices.last_success_at END,
                failing_since = CASE WHEN devices.url = excluded.url THEN devices.failing_since END,
                last_failure = CASE WHEN devices.url = excluded.url THEN devices.last_failure END,
                gone_since = CASE WHEN devices.url = excluded.url THEN devices.gone_since END
            """,
            [
                .id(user), .id(endpoint.id), .id(session), .text(endpoint.kind.rawValue),
                .text(endpoint.url.absoluteString), .date(endpoint.createdAt),
            ]
        )
    }

    /// Returns whether there was one.
    public func deletePushEndpoint(_ id: PushEndpointID, of user: UserID) throws -> Bool {
        let key: [SQLValue] = [.id(user), .id(id)]
        try forgetPushAddresses("id = $2", key)
        let deleted = try PushEndpoint.Kind.tables.map {
            try execute("DELETE FROM \($0) WHERE user_id = $1 AND id = $2", key)
        }
        return deleted.contains { $0 > 0 }
    }

    /// Removes an endpoint and settles what waits for it.
    public func forgetPushEndpoint(_ id: PushEndpointID, of user: UserID) throws {
        _ = try deletePushEndpoint(id, of: user)
        try settleDeliveries(to: id, of: user)
    }

    private func settleDeliveries(to id: PushEndpointID, of user: UserID) throws {
        try execute(
            """
            UPDATE deliveries SET next_try_at = NULL, state = 'failed', reason = 'endpoint-removed'
            WHERE next_try_at IS NOT NULL AND user_id = $1
                AND channel IN ('webhook', 'webPush', 'apns', 'fcm') AND device_id = $2
            """,
            [.id(user), .id(id)]
        )
        try advanceSteps(of: [user])
    }

    /// Written at most once a minute while all is well.
    public func noteEndpointSuccesses(_ successes: [EndpointSuccess]) throws {
        for (table, some) in Dictionary(grouping: successes, by: \.kind.table) {
            try noteSuccesses(some, in: table)
        }
    }

    private func noteSuccesses(_ successes: [EndpointSuccess], in table: String) throws {
        let inOrder = successes.sorted { ($0.userID, $0.endpoint) < ($1.userID, $1.endpoint) }
        let keys = RowKeys(
            [
                "success_at": .bigint, "user_id": .bytea, "id": .bytea, "url": .text,
                "written_until": .bigint,
            ],
            inOrder.map {
                [
                    .date($0.time), .id($0.userID), .id($0.endpoint), .text($0.url.absoluteString),
                    .date($0.time.adding(.zero - .minutes(1))),
                ]
            })
        try update(about: keys) {
            """
            UPDATE \(table) SET last_success_at = \($0["success_at"]), failing_since = NULL,
                last_failure = NULL, gone_since = NULL \($0.from)
            WHERE \(table).user_id = \($0["user_id"]) AND \(table).id = \($0["id"])
                AND \(table).url = \($0["url"]) AND (failing_since IS NOT NULL
                    OR last_success_at IS NULL OR last_success_at <= \($0["written_until"]))
            """
        }
    }

    /// Notes that an endpoint did not take a message. Returns what its owner has to hear of it; an
    /// endpoint that is given up has been removed then. Of several servers that find out, one hears
    /// of it here.
    public func noteEndpointFailure(
        _ id: PushEndpointID, of user: UserID, _ failure: EndpointFailure
    ) throws -> EndpointNews? {
        let key: [SQLValue] = [.id(user), .id(id), .text(failure.url.absoluteString)]
        let table = failure.kind.table
        if failure.hasEnded {
            if let end = failure.endedAt, try isRegistered(key, after: end) { return nil }
            try forgetPushAddresses("id = $2 AND url = $3", key)
            let removed = try execute(
                "DELETE FROM \(table) WHERE user_id = $1 AND id = $2 AND url = $3", key)
            guard removed > 0 else { return nil }
            try settleDeliveries(to: id, of: user)
            return .ended
        }
        let before = try first(
            """
            SELECT failing_since, gone_since FROM \(table)
            WHERE user_id = $1 AND id = $2 AND url = $3
            """, key
        ) {
            (
                failingSince: try $0["failing_since"] as Date?,
                goneSince: try $0["gone_since"] as Date?
            )
        }
        guard let before else { return nil }
        if let since = before.failingSince,
            EndpointRules.isGivenUp(
                failingSince: since, attempts: failure.attempts, isFinal: failure.isFinal,
                at: failure.time)
        {
            try forgetPushAddresses("id = $2 AND url = $3", key)
            let removed = try execute(
                """
                DELETE FROM \(table)
                WHERE user_id = $1 AND id = $2 AND url = $3 AND failing_since = $4
                """, key + [.date(since)])
            guard removed > 0 else { return nil }
            try settleDeliveries(to: id, of: user)
            return .givenUp
        }
        let isNews = failure.isGone && before.goneSince == nil
        let changed = try execute(
            """
            UPDATE \(table) SET failing_since = COALESCE(failing_since, $1), last_failure = $2,
                gone_since = COALESCE(gone_since, $3)
            WHERE user_id = $4 AND id = $5 AND url = $6 \(isNews ? "AND gone_since IS NULL" : "")
            """,
            [.date(failure.time), .text("\(failure.reason)")]
                + [.date(failure.isGone ? failure.time : nil)] + key)
        return isNews && changed > 0 ? .gone : nil
    }
}
