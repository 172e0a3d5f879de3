import Domain
import Foundation

/// A delivery to be entered in the ledger.
public struct NewDelivery: Sendable {
    public var id: DeliveryID
    public var recipient: Recipient
    public var item: NotificationItem
    public var channel: DeliveryChannel
    public var deviceID: DeviceID?
    /// Whose alert it belongs to, for the history of that alert.
    public var alertOwner: UserID?
    public var purpose: DeliveryPurpose
    /// News of an alert: it goes before everything else, and is useful for longer.
    public var isUrgent: Bool
    /// It waits at least until then; nil for no wait.
    public var notBefore: Date?
    /// Why it is not sent at all; nil when it is.
    public var spared: String?

    public init(
        id: DeliveryID, recipient: Recipient, item: NotificationItem, channel: DeliveryChannel,
        deviceID: DeviceID?, alertOwner: UserID?, purpose: DeliveryPurpose = .other,
        isUrgent: Bool = false
    ) {
        self.id = id
        self.recipient = recipient
        self.item = item
        self.channel = channel
        self.deviceID = deviceID
        self.alertOwner = alertOwner
        self.purpose = purpose
        self.isUrgent = isUrgent
    }
}

/// A delivery that a worker has taken for one try, with where to send it.
public struct LeasedDelivery: Sendable {
    public var record: DeliveryRecord
    public var phoneNumber: PhoneNumber
    public var url: URL?
}

extension Transaction {
    /// A row before the first try. A stream's row waits for a stream to come and take it; the others are due at once.
    public func insert(_ delivery: NewDelivery) throws {
        let isSent = delivery.channel != .stream && delivery.spared == nil
        let due = isSent ? delivery.notBefore ?? delivery.item.createdAt : nil
        let isUseful = DeliveryRules.usefulFor(delivery.isUrgent ? .alert : delivery.item.type)
        try execute(
            """
            INSERT INTO deliveries (user_id, id, notification_id, channel, device_id, recipient_name,
                alert_user_id, alert_id, next_try_at, created_at, updated_at, purpose, priority,
                useful_until, state, reason, attempts)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $10, $11, $12, $13, $14, $15, 0)
            """,
            [
                .id(delivery.recipient.id), .id(delivery.id), .id(delivery.item.id), .text(delivery.channel.rawValue),
                .id(delivery.deviceID), .text(delivery.recipient.displayName), .id(delivery.alertOwner),
                .id(delivery.alertOwner == nil ? nil : delivery.item.alertID), .date(due), .date(delivery.item.createdAt),
                .text(delivery.purpose.rawValue), .int(delivery.isUrgent ? 0 : 1),
                .date((delivery.notBefore ?? delivery.item.createdAt).adding(isUseful)),
                .text((delivery.spared == nil ? DeliveryState.queued : .superseded).rawValue),
                delivery.spared.map { .text($0) } ?? .null,
            ]
        )
        if due != nil { wakeDelivery() }
    }

    /// Takes what is due and counts the try, before the try: a worker that dies leaves the row to the next one, after
    /// `lease`. Alerts go first.
    public func leaseDeliveries(channels: [DeliveryChannel], at now: Date, lease: Duration, limit: Int) throws -> [LeasedDelivery] {
        let names = channels.map { "'\($0.rawValue)'" }.joined(separator: ", ")
        let leased = try query(
            """
            SELECT d.user_id, d.id, d.channel, d.device_id, d.attempts, d.created_at, u.phone_number, v.url,
                n.id, n.type, n.title, n.body, n.created_at, n.read_at, n.about_user_id, n.alert_id, n.ping_id
            FROM deliveries d
            JOIN users u ON u.id = d.user_id
            JOIN notifications n ON n.user_id = d.user_id AND n.id = d.notification_id
            LEFT JOIN devices v ON v.user_id = d.user_id AND v.id = d.device_id
            WHERE d.next_try_at IS NOT NULL AND d.next_try_at <= $1 AND d.channel IN (\(names))
            ORDER BY (n.type <> 'alert'), d.next_try_at LIMIT $2
            """,
            [.date(now), .int(limit)]
        ) { row in
            LeasedDelivery(
                record: DeliveryRecord(
                    id: row.id(1), userID: row.id(0), notification: NotificationItem(row, from: 8),
                    channel: DeliveryChannel(rawValue: row.text(2)) ?? .webhook, deviceID: row.optionalID(3),
                    attempts: Int(row.integer(4)) + 1, createdAt: row.date(5)
                ),
                phoneNumber: try PhoneNumber(row.text(6)), url: row.isNull(7) ? nil : URL(string: row.text(7))
            )
        }
        for delivery in leased {
            try execute(
                """
                UPDATE deliveries SET state = 'sending', attempts = $1, next_try_at = $2, updated_at = $3
                WHERE user_id = $4 AND id = $5
                """,
                [
                    .int(delivery.record.attempts), .date(now.adding(lease)), .date(now), .id(delivery.record.userID),
                    .id(delivery.record.id),
                ]
            )
        }
        return leased
    }

    /// Makes due what a worker had taken that died with its server. Only where no other server can have it.
    public func releaseLeases(at now: Date) throws {
        try execute(
            "UPDATE deliveries SET next_try_at = $1 WHERE next_try_at IS NOT NULL AND next_try_at > $1 AND state = 'sending'", [.date(now)]
        )
    }

    /// Enters the outcome of a try. One that was seen meanwhile stays seen.
    public func settleDelivery(
        _ record: DeliveryRecord, as state: DeliveryState, nextTry: Date?, providerID: String? = nil, at now: Date
    ) throws {
        try execute(
            """
            UPDATE deliveries SET state = $1, next_try_at = $2, provider_id = COALESCE($3, provider_id), updated_at = $4
            WHERE user_id = $5 AND id = $6 AND state IN ('queued', 'sending', 'retrying')
            """,
            [
                .text(state.rawValue), .date(nextTry), providerID.map { .text($0) } ?? .null, .date(now), .id(record.userID),
                .id(record.id),
            ]
        )
    }

    /// What the provider says later about a message it took. Returns whether it was one of ours.
    public func reportDelivery(providerID: String, as state: DeliveryState, at now: Date) throws -> Bool {
        try execute(
            """
            UPDATE deliveries SET state = $1, updated_at = $2, next_try_at = NULL
            WHERE provider_id = $3 AND state IN ('sending', 'retrying', 'accepted')
            """,
            [.text(state.rawValue), .date(now), .text(providerID)]
        ) > 0
    }

    /// These notifications have left on a stream.
    public func markStreamed(_ items: [(user: UserID, notification: NotificationID)], at now: Date) throws {
        for item in items {
            try execute(
                """
                UPDATE deliveries SET state = 'accepted', attempts = attempts + 1, updated_at = $1
                WHERE user_id = $2 AND notification_id = $3 AND channel = 'stream' AND state = 'queued'
                """,
                [.date(now), .id(item.user), .id(item.notification)]
            )
        }
    }

    /// The person acted on the alert: everything they were told about it has been understood.
    public func markAcknowledged(alert: AlertID, owner: UserID, by recipient: UserID, at now: Date) throws {
        try execute(
            """
            UPDATE deliveries SET state = 'acknowledged', next_try_at = NULL, updated_at = $1
            WHERE alert_user_id = $2 AND alert_id = $3 AND user_id = $4 AND state NOT IN ('failed', 'givenUp')
            """,
            [.date(now), .id(owner), .id(alert), .id(recipient)]
        )
    }

    public func forgetDevice(_ id: DeviceID, of user: UserID) throws {
        _ = try deleteDevice(id, of: user)
        try execute(
            "UPDATE deliveries SET next_try_at = NULL, state = 'failed' WHERE user_id = $1 AND device_id = $2 AND next_try_at IS NOT NULL",
            [.id(user), .id(id)]
        )
    }
}

extension SQLConnection {
    public func nextDelivery(channels: [DeliveryChannel]) throws -> Date? {
        let names = channels.map { "'\($0.rawValue)'" }.joined(separator: ", ")
        return try first(
            """
            SELECT next_try_at FROM deliveries
            WHERE next_try_at IS NOT NULL AND channel IN (\(names)) ORDER BY next_try_at LIMIT 1
            """, []
        ) { $0.date(0) }
    }

    /// How many deliveries are not settled, by state, for the operator's figures.
    public func openDeliveries() throws -> [DeliveryState: Int] {
        let rows = try query("SELECT state, COUNT(*) FROM deliveries WHERE next_try_at IS NOT NULL GROUP BY state", []) {
            (DeliveryState(rawValue: $0.text(0)) ?? .queued, Int($0.integer(1)))
        }
        return Dictionary(rows, uniquingKeysWith: +)
    }
}
