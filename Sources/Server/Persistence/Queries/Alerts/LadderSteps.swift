import Domain
import Foundation

extension DeliveryChannel {
    /// Returns the channels of the chosen ladder steps (push, SMS, call) as an SQL list.
    static func list(_ isMeant: (Ladder.Step) -> Bool) -> String {
        allCases.filter { Ladder.step(of: $0).map(isMeant) ?? false }.literals
    }
}

extension Ladder.Step {
    /// An SQL condition on a row of `deliveries`. True if a message of an earlier step has reached
    /// the person or still may.
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

public struct AlertKey: Hashable, Sendable {
    public var owner: UserID
    public var id: AlertID

    public init(owner: UserID, id: AlertID) {
        self.owner = owner
        self.id = id
    }
}

extension Transaction {
    /// The SQL condition for messages that climb the steps. The end of an alert withdraws them.
    static let climbing =
        "purpose IN (\(DeliveryPurpose.allCases.filter(Ladder.climbs).literals))"

    /// The SQL condition for an SMS about an alert's end that goes only if no push and no e-mail
    /// about it is accepted (`Ladder.startOfReserve`).
    static let isReserve = "reason = '\(DeliveryReason.waitingForReceipt)'"

    /// Deletes the SMS in reserve of notifications that a push service, a webhook or a mail server
    /// has accepted.
    public func withdrawReserves(
        of notifications: [(user: UserID, id: NotificationID)]
    ) throws {
        for notification in notifications.sorted(by: { ($0.user, $0.id) < ($1.user, $1.id) }) {
            try execute(
                """
                DELETE FROM deliveries
                WHERE notification_id = $1 AND state = 'queued' AND \(Self.isReserve)
                    AND user_id = $2
                """, [.id(notification.id), .id(notification.user)])
        }
    }

    /// Withdraws unsent SMS and calls about an alert. An attempt in progress is not retried.
    /// - Parameters:
    ///   - step: the first step to withdraw.
    ///   - people: nil for everyone.
    ///   - time: messages created later stay.
    public func withdrawSteps(
        from step: Ladder.Step = .sms, about alert: AlertKey, for people: [UserID]? = nil,
        until time: Date = .distantFuture, reason: DeliveryReason
    ) throws {
        let channels = DeliveryChannel.list { $0 >= step }
        let people = try people ?? possibleRecipients(of: alert.owner)
        var called: Set<UserID> = []
        for list in people.lists(from: 6) {
            let condition = """
                alert_user_id = $3 AND alert_id = $4 AND created_at <= $5
                AND user_id IN (\(list.sql)) AND channel IN (\(channels)) AND \(Self.climbing)
                """
            let values: [SQLValue] = [
                .text("\(reason)"), .date(now), .id(alert.owner), .id(alert.id), .date(time),
            ]
            let withdrawn = try query(
                """
                \(Self.withdrawal)
                WHERE \(condition) AND state IN ('queued', 'sending', 'retrying')
                RETURNING user_id, channel
                """, values + list.values
            ) { (person: try $0["user_id"] as UserID, channel: try $0["channel"] as String) }
            let calls = withdrawn.filter { $0.channel == DeliveryChannel.voice.rawValue }
            called.formUnion(calls.map(\.person))
        }
        // A withdrawn call may have been about to begin.
        try hurryCalls(to: called)
    }

    /// Returns the alerts of notifications that are unread or have unsent messages, each with the
    /// time of its newest notification.
    func alerts(of notifications: SomeNotifications, to user: UserID) throws -> [AlertKey: Date] {
        let rows = try query(
            """
            SELECT d.alert_user_id, d.alert_id, MAX(n.created_at) AS newest
            FROM notifications n JOIN deliveries d
                ON d.user_id = n.user_id AND d.notification_id = n.id
            WHERE n.user_id = $1 AND n.\(notifications.condition(2))
                AND (n.read_at IS NULL OR d.state IN ('queued', 'sending', 'retrying'))
                AND n.alert_id IS NOT NULL AND d.alert_id IS NOT NULL
            GROUP BY d.alert_user_id, d.alert_id
            """, [.id(user), notifications.value]
        ) { row in
            let alert = AlertKey(owner: try row["alert_user_id"], id: try row["alert_id"])
            return (alert, try row["newest"] as Date)
        }
        return Dictionary(rows, uniquingKeysWith: max)
    }

    /// The new reason of a row that becomes `seen` without a report about the message itself. The
    /// person opened the app or the page, so it's unknown whether an SMS, an e-mail or a call
    /// arrived. A message that a limit held back keeps its reason, because it was never sent.
    static let reasonOfOpening = """
        CASE WHEN channel IN ('sms', 'email', 'voice')
            AND COALESCE(reason, '') <> '\(DeliveryReason.Kind.storm.rawValue)'
            THEN '\(DeliveryReason.opened)' ELSE reason END
        """

    /// Marks all messages about the alert as seen, because the person opened the alert.
    public func markOpened(_ alert: AlertKey, by user: UserID) throws {
        try withdrawSteps(about: alert, for: [user], reason: .opened)
        try execute(
            """
            UPDATE deliveries SET state = 'seen', next_try_at = NULL, updated_at = $1,
                reason = \(Self.reasonOfOpening)
            WHERE alert_user_id = $2 AND alert_id = $3 AND user_id = $4
                AND state IN ('queued', 'sending', 'retrying', 'accepted')
            """, [.date(now), .id(alert.owner), .id(alert.id), .id(user)])
    }

    /// Starts the next step for people who can't be reached by the earlier steps. Notes that their
    /// last step may have failed. An SMS about an alert's end that a rate limit delays keeps its
    /// time.
    public func advanceSteps(of people: [UserID]) throws {
        guard !people.isEmpty else { return }
        for person in people { noteFailedMessage(to: person) }
        try execute(
            about: people.sorted(),
            {
                """
                UPDATE deliveries SET next_try_at = $1, reason = NULL, updated_at = $1
                WHERE state = 'queued' AND next_try_at > $1
                    AND channel IN (\(DeliveryChannel.list { $0 == .sms }))
                    AND (\(Self.isReserve) AND next_try_at <= created_at + $2
                        OR (alert_id IS NOT NULL OR purpose = 'drill') AND \(Self.climbing)
                        AND (reason IS NULL OR reason <> '\(StormRules.reason)'))
                    AND NOT \(Ladder.Step.sms.isTold) AND user_id \($0)
                """
            }, [.date(now), .integer(Ladder.smsAfter.milliseconds)])
        let alerts = try alertsWaitingToCall(people, where: "NOT \(Ladder.Step.call.isTold)")
        for alert in alerts { try hurryCalls(about: alert) }
        try hurryDrills(thatCall: people)
        wakeDelivery()
    }
}
