import Domain
import Foundation

/// A delivery to be entered in the ledger.
public struct NewDelivery: Sendable {
    public var id: DeliveryID
    public var recipient: Recipient
    public var item: NotificationItem
    public var channel: DeliveryChannel
    public var pushEndpointID: PushEndpointID?
    /// The owner of the alert, for the history of that alert.
    public var alertOwner: UserID?
    public var purpose: DeliveryPurpose
    /// News of an alert: it goes before everything else, and is useful for longer.
    public var isUrgent: Bool
    /// The first try is not made before; nil for at once.
    public var notBefore: Date?
    /// Why it is not sent at all; nil when it is.
    public var spared: String?

    public init(
        id: DeliveryID, recipient: Recipient, item: NotificationItem, channel: DeliveryChannel,
        pushEndpointID: PushEndpointID?, alertOwner: UserID?, purpose: DeliveryPurpose = .other,
        isUrgent: Bool = false, notBefore: Date? = nil
    ) {
        self.id = id
        self.recipient = recipient
        self.item = item
        self.channel = channel
        self.pushEndpointID = pushEndpointID
        self.alertOwner = alertOwner
        self.purpose = purpose
        self.isUrgent = isUrgent || item.type == .alert
        self.notBefore = notBefore
    }
}

extension NewDelivery {
    private var start: Date { max(notBefore ?? item.createdAt, item.createdAt) }

    fileprivate var due: Date? { channel != .stream && spared == nil ? start : nil }

    fileprivate var values: [SQLValue] {
        let usefulFor = DeliveryRules.usefulFor(isUrgent ? .alert : item.type)
        return [
            .id(recipient.id), .id(id), .id(item.id), .text(channel.rawValue),
            .id(pushEndpointID), .text(recipient.displayName), .id(alertOwner),
            .id(alertOwner == nil ? nil : item.alertID), .date(due), .date(item.createdAt),
            .date(item.createdAt), .text(purpose.rawValue), .int(isUrgent ? 0 : 1),
            .date(start.adding(usefulFor)),
            .text((spared == nil ? DeliveryState.queued : .superseded).rawValue),
            spared.map { .text($0) } ?? .null, .int(0),
        ]
    }
}

/// The change to a row of the ledger by one try.
public struct DeliveryUpdate: Sendable {
    public var state: DeliveryState
    public var reason: DeliveryReason?
    public var nextTry: Date?
    public var providerID: String?
    /// When the try ended, which may be before the transaction begins that enters it.
    public var time: Date

    public init(
        _ state: DeliveryState, reason: DeliveryReason? = nil, nextTry: Date? = nil,
        providerID: String? = nil, at time: Date
    ) {
        self.state = state
        self.reason = reason
        self.nextTry = nextTry
        self.providerID = providerID
        self.time = time
    }
}

extension Transaction {
    /// A row before the first try. A stream's row waits for a stream to come and take it; the
    /// others are due at once.
    public func insert(_ delivery: NewDelivery) throws { try insert([delivery]) }

    public func insert(_ deliveries: [NewDelivery]) throws {
        try insert(
            into: "deliveries",
            [
                "user_id", "id", "notification_id", "channel", "device_id", "recipient_name",
                "alert_user_id", "alert_id", "next_try_at", "created_at", "updated_at", "purpose",
                "priority", "useful_until", "state", "reason", "attempts",
            ], deliveries.map(\.values))
        if deliveries.contains(where: { $0.due != nil }) { wakeDelivery() }
    }

    /// Enters the outcome of a try. A row that is known to have arrived stays so, and a failure
    /// counts only for the newest try. A try that was overtaken while it was under way and has
    /// failed is the last one. Returns the row's new state; nil when nothing has changed.
    @discardableResult
    public func settleDelivery(_ record: DeliveryRecord, _ update: DeliveryUpdate) throws
        -> DeliveryState?
    {
        guard update.state != .accepted else {
            let changed = try execute(
                """
                UPDATE deliveries SET state = 'accepted', reason = NULL, next_try_at = NULL,
                    provider_id = COALESCE($1, provider_id), updated_at = $2
                WHERE user_id = $3 AND id = $4 AND state IN ('queued', 'sending', 'retrying')
                """,
                [
                    update.providerID.map { .text($0) } ?? .null, .date(update.time),
                    .id(record.userID), .id(record.id),
                ]
            )
            if changed > 0 { try note(update.providerID, of: record.id, record.userID) }
            return changed > 0 ? .accepted : nil
        }
        let overtaken = try execute(
            """
            UPDATE deliveries SET state = 'superseded', reason = COALESCE(reason, 'superseded'),
                next_try_at = NULL, updated_at = $1
            WHERE user_id = $2 AND id = $3 AND superseded = 1 AND state = 'sending'
                AND attempts = $4
            """,
            [.date(update.time), .id(record.userID), .id(record.id), .int(record.attempts)]
        )
        if overtaken > 0 { return .superseded }
        let changed = try execute(
            """
            UPDATE deliveries SET state = $1, reason = $2, next_try_at = $3, updated_at = $4
            WHERE user_id = $5 AND id = $6 AND state IN ('queued', 'sending', 'retrying')
                AND attempts = $7
            """,
            [
                .text(update.state.rawValue), .text("\(update.reason ?? .other)"),
                .date(update.nextTry), .date(update.time), .id(record.userID), .id(record.id),
                .int(record.attempts),
            ]
        )
        return changed > 0 ? update.state : nil
    }

    /// These notifications have left on a stream. Rows change in one order, so that two servers
    /// with streams of one person don't lock each other out.
    public func markStreamed(_ items: [(user: UserID, notification: NotificationID)]) throws {
        for item in items.sorted(by: { ($0.user, $0.notification) < ($1.user, $1.notification) }) {
            try execute(
                """
                UPDATE deliveries SET state = 'accepted', attempts = attempts + 1, updated_at = $1
                WHERE user_id = $2 AND notification_id = $3 AND channel = 'stream'
                    AND state = 'queued'
                """,
                [.date(now), .id(item.user), .id(item.notification)]
            )
        }
    }

    /// The person acted on the alert: every message about it counts as understood.
    public func markAcknowledged(alert: AlertID, owner: UserID, by recipient: UserID) throws {
        try execute(
            """
            UPDATE deliveries SET state = 'acknowledged', next_try_at = NULL, updated_at = $1
            WHERE alert_user_id = $2 AND alert_id = $3 AND user_id = $4
                AND state NOT IN ('failed', 'givenUp', 'superseded')
            """,
            [.date(now), .id(owner), .id(alert), .id(recipient)]
        )
    }
}
