import Domain
import Foundation

public struct NewDelivery: Sendable {
    public var id: DeliveryID
    public var recipient: Recipient
    public var item: NotificationItem
    public var channel: DeliveryChannel
    public var pushEndpointID: PushEndpointID?
    /// The owner of the alert that the delivery belongs to; nil if it belongs to none.
    public var alertOwner: UserID?
    public var purpose: DeliveryPurpose
    /// True for messages about alerts. They are sent first and retried for longer.
    public var isUrgent: Bool
    /// The earliest time of the first attempt; nil for now.
    public var notBefore: Date?
    /// When the escalation ladder (push, SMS, call) starts this delivery.
    public var ladderStart = Ladder.Start.atOnce
    /// The reason why the message isn't sent at all; nil if it is sent.
    public var spared: String?
    /// True if a rate limit holds the delivery back until `notBefore`. A newer message may replace
    /// it.
    public private(set) var isHeld = false

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
    public mutating func hold(until time: Date) {
        notBefore = time
        isHeld = true
    }

    private var start: Date {
        let pause: Duration =
            switch ladderStart {
            case .after(let pause): pause
            case .ifUnreached: Ladder.smsAfter
            case .atOnce, .inTurn: .zero
            }
        return max(notBefore ?? item.createdAt, item.createdAt.adding(pause))
    }

    fileprivate var due: Date? {
        channel != .stream && spared == nil && ladderStart != .inTurn ? start : nil
    }

    private var reason: String? {
        spared ?? (isHeld ? StormRules.reason : ladderStart.reason.map { "\($0)" })
    }

    fileprivate var values: [SQLValue] {
        let usefulFor =
            purpose == .drill
            ? DrillRules.length : DeliveryRules.usefulFor(isUrgent ? .alert : item.type)
        return [
            .id(recipient.id), .id(id), .id(item.id), .text(channel.rawValue),
            .id(pushEndpointID), .text(recipient.displayName), .id(alertOwner),
            .id(alertOwner == nil ? nil : item.alertID), .date(due), .date(item.createdAt),
            .date(item.createdAt), .text(purpose.rawValue), .int(isUrgent ? 0 : 1),
            .date(start.adding(usefulFor)),
            .text((spared == nil ? DeliveryState.queued : .superseded).rawValue),
            reason.map { .text($0) } ?? .null, .int(0),
        ]
    }
}

/// The change to a row of `deliveries` after one attempt.
public struct DeliveryUpdate: Sendable {
    public var state: DeliveryState
    public var reason: DeliveryReason?
    public var nextTry: Date?
    public var providerID: String?
    /// The end of the attempt, which may be before the transaction that records it.
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
    /// Inserts a row before its first attempt. A row for an event stream is never due, because the
    /// open stream sends it.
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

    /// Records the outcomes of attempts, and returns the new states. A message that has arrived
    /// keeps its state. A failure counts only for the newest attempt. Unless that attempt was
    /// refused, the reason of an earlier one that the provider may have accepted stays. A
    /// superseded delivery isn't retried.
    public func settleDeliveries(
        _ outcomes: [(record: DeliveryRecord, update: DeliveryUpdate)]
    ) throws -> [DeliveryID: DeliveryState] {
        let inOrder = outcomes.sorted { $0.record.key < $1.record.key }
        let states = try enterFailures(inOrder.filter { $0.update.state != .accepted })
        return try enterSuccesses(inOrder.filter { $0.update.state == .accepted })
            .reduce(into: states) { $0[$1] = .accepted }
    }

    private func enterSuccesses(
        _ outcomes: [(record: DeliveryRecord, update: DeliveryUpdate)]
    ) throws -> [DeliveryID] {
        let keys = RowKeys(
            ["provider": .text, "ended_at": .bigint, "user_id": .bytea, "id": .bytea],
            outcomes.map { record, update in
                [
                    update.providerID.map { .text($0) } ?? .null, .date(update.time),
                    .id(record.userID), .id(record.id),
                ]
            })
        let changed = try update(about: keys) {
            """
            UPDATE deliveries SET state = 'accepted', reason = NULL, next_try_at = NULL,
                provider_id = COALESCE(\($0["provider"]), provider_id),
                updated_at = \($0["ended_at"]) \($0.from)
            WHERE deliveries.user_id = \($0["user_id"]) AND deliveries.id = \($0["id"])
                AND state IN ('queued', 'sending', 'retrying')
            """
        }
        return try changed.sorted().map { number in
            let (record, update) = outcomes[number]
            try note(update.providerID, of: record.id, record.userID)
            return record.id
        }
    }

    private func enterFailures(
        _ outcomes: [(record: DeliveryRecord, update: DeliveryUpdate)]
    ) throws -> [DeliveryID: DeliveryState] {
        let keys = RowKeys(
            [
                "new_state": .text, "new_reason": .text, "next_try": .bigint,
                "ended_at": .bigint, "user_id": .bytea, "id": .bytea, "tries": .bigint,
            ],
            outcomes.map { record, update in
                [
                    .text(update.state.rawValue), .text("\(update.reason ?? .other)"),
                    .date(update.nextTry), .date(update.time), .id(record.userID),
                    .id(record.id), .int(record.attempts),
                ]
            })
        let superseded = "superseded = 1 AND state = 'sending'"
        let changed = try query(
            about: keys,
            {
                """
                UPDATE deliveries SET
                    state = CASE WHEN \(superseded) THEN 'superseded' ELSE \($0["new_state"]) END,
                    reason = CASE WHEN NOT (\(superseded)) THEN
                            CASE WHEN \($0["new_state"]) IN ('retrying', 'givenUp')
                                AND reason IN (\(StoredReason.uncertain)) THEN reason
                                ELSE \($0["new_reason"]) END
                        WHEN \($0["new_reason"]) IN (\(StoredReason.uncertain)) THEN 'unconfirmed'
                        ELSE COALESCE(reason, 'superseded') END,
                    next_try_at = CASE WHEN \(superseded) THEN NULL
                        ELSE CAST(\($0["next_try"]) AS BIGINT) END,
                    updated_at = \($0["ended_at"]) \($0.from)
                WHERE deliveries.user_id = \($0["user_id"]) AND deliveries.id = \($0["id"])
                    AND state IN ('queued', 'sending', 'retrying') AND attempts = \($0["tries"])
                RETURNING deliveries.id AS id, state
                """
            }
        ) { (try $0["id"] as DeliveryID, DeliveryState(rawValue: try $0["state"])) }
        return Dictionary(changed, uniquingKeysWith: { $1 }).compactMapValues(\.self)
    }

    /// Marks notifications as sent on an event stream. Updates rows in a fixed order, so that two
    /// servers can't deadlock.
    public func markStreamed(_ items: [(user: UserID, notification: NotificationID)]) throws {
        let inOrder = items.sorted { ($0.user, $0.notification) < ($1.user, $1.notification) }
        try update(
            about: RowKeys(
                ["user_id": .bytea, "notification_id": .bytea],
                inOrder.map { [.id($0.user), .id($0.notification)] }),
            {
                """
                UPDATE deliveries SET state = 'accepted', attempts = attempts + 1,
                    updated_at = $1, sent_at = $1 \($0.from)
                WHERE deliveries.user_id = \($0["user_id"])
                    AND deliveries.notification_id = \($0["notification_id"])
                    AND channel = 'stream' AND state = 'queued'
                """
            }, [.date(now)])
    }

    /// Marks all messages to a responder about the alert as acknowledged, because they answered it.
    /// A message that has reached the responder keeps its time. If they opened it, `reason` becomes
    /// `opened`. If an SMS or e-mail was reported as arrived, or a call was answered, `received_at`
    /// becomes the time of that.
    public func markAcknowledged(alert: AlertID, owner: UserID, by recipient: UserID) throws {
        try execute(
            """
            UPDATE deliveries SET state = 'acknowledged', next_try_at = NULL,
                updated_at = CASE WHEN state IN ('accepted', 'seen') THEN updated_at ELSE $1 END,
                received_at = CASE WHEN state = 'seen' AND channel IN ('sms', 'email', 'voice')
                    AND (reason IS NULL OR reason = '\(DeliveryReason.Kind.declined.rawValue)')
                    THEN updated_at ELSE received_at END,
                reason = CASE WHEN state = 'seen' AND channel NOT IN ('sms', 'email', 'voice')
                    THEN '\(DeliveryReason.opened)' ELSE reason END
            WHERE alert_user_id = $2 AND alert_id = $3 AND user_id = $4
                AND state NOT IN ('acknowledged', 'failed', 'givenUp', 'superseded')
            """,
            [.date(now), .id(owner), .id(alert), .id(recipient)]
        )
    }
}
