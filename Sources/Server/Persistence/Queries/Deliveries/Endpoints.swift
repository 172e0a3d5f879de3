import Domain
import Foundation

/// News about an endpoint for its owner.
public enum EndpointNews: Sendable, Equatable {
    /// The endpoint answered 404 or 410 for the first time since its last success.
    case gone
    /// The endpoint was removed, because it kept failing.
    case givenUp
    /// A browser's subscription or an app's token expired and was removed.
    case ended
    /// The browser subscribed with a key that the server has lost. It subscribes again when the
    /// person opens LifeSignal there.
    case hasOldKey
}

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

public struct EndpointFailure: Sendable {
    public var reason: DeliveryReason
    /// The address that was tried. The owner may have changed it meanwhile.
    public var url: URL
    /// True if the endpoint answered 404 or 410.
    public var isGone = false
    /// True if the message will not be retried.
    public var isFinal = false
    /// True if the endpoint will never accept another message.
    public var hasEnded = false
    /// When the endpoint ended, if known. A later registration is still valid.
    public var endedAt: Date?
    public var kind = PushEndpoint.Kind.webhook
    /// The number of attempts for this message, including this one.
    public var attempts: Int
    public var time: Date

    public init(_ reason: DeliveryReason, url: URL, attempts: Int, at time: Date) {
        self.reason = reason
        self.url = url
        self.attempts = attempts
        self.time = time
    }
}

public struct EndpointSuccess: Sendable {
    public var endpoint: PushEndpointID
    public var userID: UserID
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

/// The form of a webhook's messages, as stored.
public struct WebhookForm: Sendable, Equatable {
    public var template = WebhookTemplate.lifesignal
    public var chat: String?
    /// The access token, sealed with the server's key.
    public var sealedToken: Data?

    public init(
        template: WebhookTemplate = .lifesignal, chat: String? = nil, sealedToken: Data? = nil
    ) {
        self.template = template
        self.chat = chat
        self.sealedToken = sealedToken
    }

    init(_ row: SQLRow) throws {
        let name: String? = try row["webhook_template"]
        self.init(
            template: name.map { WebhookTemplate(rawValue: $0) ?? .unknown } ?? .lifesignal,
            chat: try row["webhook_chat"], sealedToken: try row["webhook_token"])
    }
}

extension SQLConnection {
    public func pushEndpoints(of user: UserID) throws -> [PushEndpoint] {
        try pushEndpoints(of: [user])[user] ?? []
    }

    /// Returns the session of a webhook; nil if there is none with this id, or if it has an access
    /// token, which saving the webhook again changes.
    public func sessionOfWebhook(
        withoutToken id: PushEndpointID, of user: UserID
    ) throws -> SessionID? {
        try value(
            "SELECT session_id FROM devices WHERE user_id = $1 AND id = $2 AND token IS NULL",
            [.id(user), .id(id)])
    }

    /// Returns the endpoints that are removed with this session.
    public func pushEndpoints(ofSession session: Caller) throws -> [PushEndpointID] {
        try values(
            """
            SELECT id FROM devices WHERE user_id = $1 AND session_id = $2
            UNION ALL
            SELECT id FROM push_subscriptions WHERE user_id = $1 AND session_id = $2
            UNION ALL
            SELECT id FROM app_endpoints WHERE user_id = $1 AND session_id = $2
            """, [.id(session.userID), .id(session.sessionID)])
    }

    /// Leaves out endpoints without a readable address: one row must not keep alarms from everyone.
    /// Only a newer server knows the meaning of a kind that is `unknown` here.
    public func pushEndpoints(of users: [UserID]) throws -> [UserID: [PushEndpoint]] {
        let rest = "url, created_at, last_success_at, failing_since, last_failure"
        let rows = try query(
            about: users,
            {
                """
                SELECT user_id, id, kind, \(rest), template, chat FROM devices
                WHERE user_id \($0)
                UNION ALL
                SELECT user_id, id, 'webPush', \(rest), NULL, NULL FROM push_subscriptions
                WHERE user_id \($0)
                UNION ALL
                SELECT user_id, id, kind, \(rest), NULL, NULL FROM app_endpoints
                WHERE user_id \($0)
                ORDER BY created_at, id
                """
            }
        ) { row -> (user: UserID, endpoint: PushEndpoint)? in
            guard let url = URL(string: try row["url"]) else { return nil }
            let endpoint = PushEndpoint(
                id: try row["id"],
                kind: PushEndpoint.Kind(rawValue: try row["kind"]) ?? .fallback, url: url,
                createdAt: try row["created_at"],
                lastSuccessAt: try row["last_success_at"],
                failingSince: try row["failing_since"], lastFailure: try row["last_failure"],
                template: (try row["template"] as String?).map {
                    WebhookTemplate(rawValue: $0) ?? .unknown
                }, chat: try row["chat"])
            return (user: try row["user_id"] as UserID, endpoint: endpoint)
        }
        return Dictionary(grouping: rows.compactMap(\.self), by: \.user)
            .mapValues { $0.map(\.endpoint) }
    }
}

extension Transaction {
    /// Saves an endpoint. A new address or token starts without the history of the old one.
    public func save(
        _ endpoint: PushEndpoint, of user: UserID, session: SessionID, sealedToken: Data? = nil
    ) throws {
        let isSame = "devices.url = excluded.url AND excluded.token IS NULL"
        let key: [SQLValue] = [.id(user), .id(endpoint.id)]
        noteReach(of: user)
        try forgetPushAddresses("id = $2", key)
        for table in PushEndpoint.Kind.tablesOfAddresses {
            try execute("DELETE FROM \(table) WHERE user_id = $1 AND id = $2", key)
        }
        try execute(
            """
            INSERT INTO devices (user_id, id, session_id, kind, url, created_at, template, chat,
                token)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
            ON CONFLICT (user_id, id) DO UPDATE SET session_id = excluded.session_id,
                kind = excluded.kind, url = excluded.url, template = excluded.template,
                chat = excluded.chat, token = excluded.token,
                last_success_at = CASE WHEN \(isSame) THEN devices.last_success_at END,
                failing_since = CASE WHEN \(isSame) THEN devices.failing_since END,
                last_failure = CASE WHEN \(isSame) THEN devices.last_failure END,
                gone_since = CASE WHEN \(isSame) THEN devices.gone_since END
            """,
            [
                .id(user), .id(endpoint.id), .id(session), .text(endpoint.kind.rawValue),
                .text(endpoint.url.absoluteString), .date(endpoint.createdAt),
                endpoint.template.map { .text($0.rawValue) } ?? .null,
                endpoint.chat.map { .text($0) } ?? .null,
                sealedToken.map { .blob($0) } ?? .null,
            ]
        )
    }

    /// Deletes an endpoint. Returns false if it didn't exist.
    public func deletePushEndpoint(_ id: PushEndpointID, of user: UserID) throws -> Bool {
        let key: [SQLValue] = [.id(user), .id(id)]
        try forgetPushAddresses("id = $2", key)
        let deleted = try PushEndpoint.Kind.tables.map {
            try execute("DELETE FROM \($0) WHERE user_id = $1 AND id = $2", key)
        }
        noteReach(of: user)
        return deleted.contains { $0 > 0 }
    }

    /// Deletes an endpoint and fails its unsent deliveries.
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

    /// Records successes, at most one a minute for an endpoint that wasn't failing.
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
        let changed = try update(about: keys) {
            """
            UPDATE \(table) SET last_success_at = \($0["success_at"]), failing_since = NULL,
                last_failure = NULL, gone_since = NULL \($0.from)
            WHERE \(table).user_id = \($0["user_id"]) AND \(table).id = \($0["id"])
                AND \(table).url = \($0["url"]) AND (failing_since IS NOT NULL
                    OR last_success_at IS NULL OR last_success_at <= \($0["written_until"]))
            """
        }
        let written = changed.sorted().map { inOrder[$0] }
        for success in written { noteReach(of: success.userID) }
        // Only webhooks count. A push service accepts messages even if the device is gone.
        let taken = written.filter { $0.kind == .webhook }.map { ($0.userID, $0.endpoint) }
        try keepSessions(ofEndpoints: taken, in: table)
    }

    /// Extends the sessions of endpoints that work, at most once a day. Accepting a message counts
    /// as use of the session.
    func keepSessions(
        ofEndpoints endpoints: [(user: UserID, id: PushEndpointID)], in table: String
    ) throws {
        guard !endpoints.isEmpty else { return }
        let end = now.adding(SignInRules.refreshTokenLifetime)
        let keys = RowKeys(
            ["user_id": .bytea, "id": .bytea], endpoints.map { [.id($0.user), .id($0.id)] })
        let sessions = try query(
            about: keys,
            {
                """
                SELECT e.user_id, e.session_id FROM \(table) e
                JOIN sessions s ON s.user_id = e.user_id AND s.id = e.session_id\($0.join)
                WHERE s.refresh_expires_at > $1 AND s.refresh_expires_at <= $2
                    AND e.user_id = \($0["user_id"]) AND e.id = \($0["id"])
                """
            }, [.date(now), .date(end.adding(.zero - .days(1)))], Caller.init)
        for session in Set(sessions).sorted(by: {
            ($0.userID, $0.sessionID) < ($1.userID, $1.sessionID)
        }) {
            try execute(
                "UPDATE sessions SET refresh_expires_at = $1 WHERE user_id = $2 AND id = $3",
                [.date(end), .id(session.userID), .id(session.sessionID)])
        }
    }

    /// Records that an endpoint didn't accept a message. Removes the endpoint if it kept failing.
    /// Returns the news for its owner; if several servers detect the failure, only one gets the
    /// news.
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
            noteReach(of: user)
            try settleDeliveries(to: id, of: user)
            return .ended
        }
        let before = try first(
            """
            SELECT failing_since, gone_since, last_failure FROM \(table)
            WHERE user_id = $1 AND id = $2 AND url = $3
            """, key
        ) {
            (
                failingSince: try $0["failing_since"] as Date?,
                goneSince: try $0["gone_since"] as Date?,
                lastFailure: try $0["last_failure"] as String?
            )
        }
        guard let before else { return nil }
        // The push service may still know the browser, so its row stays until the session ends.
        if failure.reason == .keyChanged {
            return try noteOldKey(failure, in: table, key, after: before.lastFailure)
        }
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
            noteReach(of: user)
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

    private func noteOldKey(
        _ failure: EndpointFailure, in table: String, _ key: [SQLValue], after last: String?
    ) throws -> EndpointNews? {
        guard last != "\(failure.reason)" else { return nil }
        let changed = try execute(
            """
            UPDATE \(table) SET failing_since = COALESCE(failing_since, $1), last_failure = $2
            WHERE user_id = $3 AND id = $4 AND url = $5
                AND (last_failure IS NULL OR last_failure <> $2)
            """, [.date(failure.time), .text("\(failure.reason)")] + key)
        return changed > 0 ? .hasOldKey : nil
    }
}
