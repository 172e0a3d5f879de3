import Domain
import Foundation

extension DeliveryChannel {
    /// The channels of a step, as a list of SQL.
    fileprivate static func list(_ isMeant: (Ladder.Step) -> Bool) -> String {
        allCases.filter { Ladder.step(of: $0).map(isMeant) ?? false }
            .map { "'\($0.rawValue)'" }.joined(separator: ", ")
    }
}

extension DeliveryPurpose {
    fileprivate static func list(_ isMeant: (Self) -> Bool) -> String {
        allCases.filter(isMeant).map { "'\($0.rawValue)'" }.joined(separator: ", ")
    }
}

/// An alert of a person, as the ledger names it.
public struct AlertKey: Hashable, Sendable {
    public var owner: UserID
    public var id: AlertID

    public init(owner: UserID, id: AlertID) {
        self.owner = owner
        self.id = id
    }
}

extension Transaction {
    private static let climbing = "purpose IN (\(DeliveryPurpose.list(Ladder.climbs)))"

    /// Withdraws the SMS and calls about an alert that wait. A try that is under way is the last.
    /// - Parameter people: nil for everybody.
    /// - Parameter from: the first of the steps that are withdrawn.
    public func withdrawSteps(
        from step: Ladder.Step = .sms, about alert: AlertKey, for people: [UserID]? = nil,
        reason: DeliveryReason
    ) throws {
        let channels = DeliveryChannel.list { $0 >= step }
        for list in try (people ?? possibleRecipients(of: alert.owner)).lists(from: 5) {
            let condition = """
                alert_user_id = $3 AND alert_id = $4 AND user_id IN (\(list.sql))
                AND channel IN (\(channels)) AND \(Self.climbing)
                """
            let values: [SQLValue] = [
                .text("\(reason)"), .date(now), .id(alert.owner), .id(alert.id),
            ]
            try execute(
                """
                UPDATE deliveries SET reason = $1, updated_at = $2, superseded = 1,
                    next_try_at = CASE state WHEN 'sending' THEN next_try_at END,
                    state = CASE state WHEN 'sending' THEN state ELSE 'superseded' END
                WHERE \(condition) AND state IN ('queued', 'sending', 'retrying')
                """, values + list.values)
        }
    }

    /// The alerts that some unread notifications of a person are about.
    func alerts(of notifications: SomeNotifications, to user: UserID) throws -> Set<AlertKey> {
        let rows = try query(
            """
            SELECT DISTINCT d.alert_user_id, d.alert_id
            FROM notifications n JOIN deliveries d
                ON d.user_id = n.user_id AND d.notification_id = n.id
            WHERE n.user_id = $1 AND n.\(notifications.condition(2)) AND n.read_at IS NULL
                AND n.alert_id IS NOT NULL AND d.alert_id IS NOT NULL
            """, [.id(user), notifications.value]
        ) { AlertKey(owner: try $0["alert_user_id"], id: try $0["alert_id"]) }
        return Set(rows)
    }

    /// The person has opened the alert: all that was sent about it counts as seen.
    public func markOpened(_ alert: AlertKey, by user: UserID) throws {
        try withdrawSteps(about: alert, for: [user], reason: .opened)
        try execute(
            """
            UPDATE deliveries SET state = 'seen', next_try_at = NULL, updated_at = $1
            WHERE alert_user_id = $2 AND alert_id = $3 AND user_id = $4
                AND state IN ('queued', 'sending', 'retrying', 'accepted')
            """, [.date(now), .id(alert.owner), .id(alert.id), .id(user)])
    }

    /// Lets the next step begin for those to whom nothing of the steps before can come any more.
    public func advanceSteps(of people: [UserID]) throws {
        guard !people.isEmpty else { return }
        for step in [Ladder.Step.sms, .call] {
            try execute(
                about: people.sorted(),
                {
                    """
                    UPDATE deliveries SET next_try_at = $1, reason = NULL, updated_at = $1
                    WHERE state = 'queued' AND (next_try_at IS NULL OR next_try_at > $1)
                        AND channel IN (\(DeliveryChannel.list { $0 == step }))
                        AND alert_id IS NOT NULL AND \(Self.climbing) AND NOT EXISTS (
                            SELECT 1 FROM deliveries AS earlier
                            WHERE earlier.user_id = deliveries.user_id
                                AND earlier.notification_id = deliveries.notification_id
                                AND earlier.channel IN (\(DeliveryChannel.list { $0 < step }))
                                AND earlier.state NOT IN ('failed', 'givenUp'))
                        AND user_id \($0)
                    """
                }, [.date(now)])
        }
        wakeDelivery()
    }

    // MARK: Calls

    /// A call has ended, or can't be made: the next ones need not wait for it.
    public func hurryCalls(about alert: AlertKey) throws {
        let changed = try execute(
            """
            UPDATE alerts SET next_call_at = $1
            WHERE next_call_at > $1 AND user_id = $2 AND id = $3
            """, [.date(now), .id(alert.owner), .id(alert.id)])
        if changed > 0 { wakeDeadlineMonitor(at: now) }
    }

    /// Lets calls begin whose turn has come.
    public func start(_ calls: [Ladder.Call]) throws {
        for call in calls.sorted(by: { $0.person < $1.person }) {
            try execute(
                """
                UPDATE deliveries SET next_try_at = $1, reason = NULL, updated_at = $1
                WHERE state = 'queued' AND next_try_at IS NULL AND user_id = $2 AND id = $3
                """, [.date(now), .id(call.person), .id(call.delivery)])
        }
        if !calls.isEmpty { wakeDelivery() }
    }

    public func saveNextCall(of alert: AlertRow) throws {
        try execute(
            "UPDATE alerts SET next_call_at = $1 WHERE user_id = $2 AND id = $3",
            [.date(alert.callDue), .id(alert.userID), .id(alert.id)])
        wakeDeadlineMonitor(at: alert.callDue)
    }
}

extension SQLConnection {
    /// Alerts about whose calls something is to be decided.
    public func alertsWithDueCalls(at now: Date, limit: Int) throws -> [AlertRow] {
        try query(
            """
            SELECT \(AlertRow.columns) FROM alerts
            WHERE next_call_at IS NOT NULL AND next_call_at <= $1 ORDER BY next_call_at LIMIT $2
            """, [.date(now), .int(limit)], AlertRow.init)
    }

    /// Calls about an alert that wait or are under way, and the beginnings of the rounds in which
    /// anybody was called.
    public func calls(
        about alert: AlertRow
    ) throws -> (open: [Ladder.Call], rounds: [Date]) {
        let rows = try possibleRecipients(of: alert.userID).lists(from: 3).flatMap { list in
            try query(
                """
                SELECT user_id, id, state, next_try_at, created_at, updated_at, attempts
                FROM deliveries
                WHERE alert_user_id = $1 AND alert_id = $2 AND user_id IN (\(list.sql))
                    AND channel = 'voice'
                """, [.id(alert.userID), .id(alert.id)] + list.values, CallRow.init)
        }
        let made = rows.filter { $0.attempts > 0 }
        let open = rows.compactMap { row in
            row.callState.map { state in
                Ladder.Call(
                    delivery: row.id, person: row.person, state: state, createdAt: row.createdAt,
                    earlierCalls: made.count { $0.person == row.person })
            }
        }
        return (open, made.map(\.createdAt))
    }

    /// The alert that a delivery is about; nil if it is about none.
    public func alert(ofDelivery id: DeliveryID, of user: UserID) throws -> AlertKey? {
        try first(
            """
            SELECT alert_user_id, alert_id FROM deliveries
            WHERE user_id = $1 AND id = $2 AND alert_id IS NOT NULL
            """, [.id(user), .id(id)]
        ) { AlertKey(owner: try $0["alert_user_id"], id: try $0["alert_id"]) }
    }

    /// Newer news has overtaken a delivery, or an act of the person.
    public func isWithdrawn(_ id: DeliveryID, of user: UserID) throws -> Bool {
        try hasRow(
            "SELECT 1 FROM deliveries WHERE user_id = $1 AND id = $2 AND superseded = 1",
            [.id(user), .id(id)])
    }
}

private struct CallRow {
    let person: UserID
    let id: DeliveryID
    let state: DeliveryState?
    let isStarted: Bool
    let createdAt: Date
    let updatedAt: Date
    let attempts: Int

    init(_ row: SQLRow) throws {
        person = try row["user_id"]
        id = try row["id"]
        state = DeliveryState(rawValue: try row["state"])
        isStarted = try !row.isNull("next_try_at")
        createdAt = try row["created_at"]
        updatedAt = try row["updated_at"]
        attempts = try row["attempts"]
    }

    /// nil when it is over. One that is tried again later holds up nobody: its carrier may be down.
    var callState: Ladder.Call.State? {
        switch state {
        case .queued where !isStarted: .waiting
        case .queued, .sending, .accepted: .underWay(since: updatedAt)
        default: nil
        }
    }
}

extension Transaction {
    /// Enters the result of a call. Returns whether it is the first one of this call.
    public func endCall(
        _ id: DeliveryID, to user: UserID, attempt: Int? = nil, _ outcome: CallOutcome
    ) throws -> Bool {
        let (state, reason): (DeliveryState, DeliveryReason?) =
            switch outcome {
            case .takesOn: (.acknowledged, nil)
            case .declines: (.seen, .declined)
            case .unanswered(let reason): (.failed, reason)
            }
        return try execute(
            """
            UPDATE deliveries SET state = $1, reason = $2, next_try_at = NULL, updated_at = $3
            WHERE user_id = $4 AND id = $5 AND channel = 'voice'
                AND state IN ('queued', 'sending', 'retrying', 'accepted')
                AND (attempts = $6 OR $6 IS NULL)
            """,
            [
                .text(state.rawValue), reason.map { .text("\($0)") } ?? .null, .date(now),
                .id(user), .id(id), attempt.map { .int($0) } ?? .null,
            ]) > 0
    }
}
