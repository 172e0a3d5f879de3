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

extension Ladder.Step {
    /// The condition on a row of `deliveries` that something of the steps before came to the
    /// person, or still may.
    var isTold: String {
        """
        EXISTS (SELECT 1 FROM deliveries AS earlier
            WHERE earlier.user_id = deliveries.user_id
                AND earlier.notification_id = deliveries.notification_id
                AND earlier.channel IN (\(DeliveryChannel.list { $0 < self }))
                AND earlier.state NOT IN ('failed', 'givenUp'))
        """
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
    /// - Parameters:
    ///   - from: the first of the steps that are withdrawn.
    ///   - people: nil for everybody.
    ///   - time: spares messages that were made later.
    public func withdrawSteps(
        from step: Ladder.Step = .sms, about alert: AlertKey, for people: [UserID]? = nil,
        until time: Date = .distantFuture, reason: DeliveryReason
    ) throws {
        let channels = DeliveryChannel.list { $0 >= step }
        for list in try (people ?? possibleRecipients(of: alert.owner)).lists(from: 6) {
            let condition = """
                alert_user_id = $3 AND alert_id = $4 AND created_at <= $5
                AND user_id IN (\(list.sql)) AND channel IN (\(channels)) AND \(Self.climbing)
                """
            let values: [SQLValue] = [
                .text("\(reason)"), .date(now), .id(alert.owner), .id(alert.id), .date(time),
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

    /// The alerts that some unread notifications of a person are about, each with the time of its
    /// newest one.
    func alerts(of notifications: SomeNotifications, to user: UserID) throws -> [AlertKey: Date] {
        let rows = try query(
            """
            SELECT d.alert_user_id, d.alert_id, MAX(n.created_at) AS newest
            FROM notifications n JOIN deliveries d
                ON d.user_id = n.user_id AND d.notification_id = n.id
            WHERE n.user_id = $1 AND n.\(notifications.condition(2)) AND n.read_at IS NULL
                AND n.alert_id IS NOT NULL AND d.alert_id IS NOT NULL
            GROUP BY d.alert_user_id, d.alert_id
            """, [.id(user), notifications.value]
        ) { row in
            let alert = AlertKey(owner: try row["alert_user_id"], id: try row["alert_id"])
            return (alert, try row["newest"] as Date)
        }
        return Dictionary(rows, uniquingKeysWith: max)
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
        try execute(
            about: people.sorted(),
            {
                """
                UPDATE deliveries SET next_try_at = $1, reason = NULL, updated_at = $1
                WHERE state = 'queued' AND next_try_at > $1
                    AND channel IN (\(DeliveryChannel.list { $0 == .sms }))
                    AND (alert_id IS NOT NULL OR purpose = 'drill') AND \(Self.climbing)
                    AND NOT \(Ladder.Step.sms.isTold) AND user_id \($0)
                """
            }, [.date(now)])
        let alerts = try query(
            about: people.sorted(),
            {
                """
                SELECT alert_user_id, alert_id FROM deliveries
                WHERE state = 'queued' AND next_try_at IS NULL
                    AND channel IN (\(DeliveryChannel.list { $0 == .call }))
                    AND alert_id IS NOT NULL AND NOT \(Ladder.Step.call.isTold)
                    AND user_id \($0)
                """
            }
        ) { AlertKey(owner: try $0["alert_user_id"], id: try $0["alert_id"]) }
        for alert in Set(alerts) { try hurryCalls(about: alert) }
        try hurryDrills(thatCall: people)
        wakeDelivery()
    }
}
