import Domain
import Foundation

/// The eyes an alert is shown to. The owner sees everyone as they are; of each other, responders see
/// names and actions, under ids that mean nothing outside this alert (product.md, "Consent").
public struct AlertViewer: Sendable {
    public var id: UserID
    let alias: @Sendable (UserID, AlertID) -> UUID

    /// - Parameter alias: an id for a person that nobody can trace beyond the alert.
    public init(_ id: UserID, alias: @escaping @Sendable (UserID, AlertID) -> UUID) {
        self.id = id
        self.alias = alias
    }

    func name(for person: UserID, in alert: AlertRow) -> String {
        if id == alert.userID || id == person { return person.description }
        return UserID(alias(person, alert.id)).description
    }
}

extension SQLConnection {
    /// The alert as the viewer sees it.
    public func record(
        of alert: AlertRow, for viewer: AlertViewer, withLedger: Bool = false
    ) throws -> AlertRecord {
        let history = try actions(of: alert, for: viewer)
        let cameLate = AlertRules.cameLate(startedAt: alert.startedAt, receivedAt: alert.receivedAt)
        return AlertRecord(
            id: alert.id.description, startTime: alert.startedAt, endTime: alert.endedAt,
            userId: alert.userID.description, isActive: alert.isOpen, kind: alert.kind,
            deadline: alert.deadlineAt, toldLate: alert.toldLate,
            receivedTime: cameLate ? alert.receivedAt : nil,
            acknowledgement: acknowledgement(of: alert, in: history, for: viewer),
            report: report(of: alert, in: history, for: viewer),
            history: withLedger ? history : [],
            othersTold: withLedger && viewer.id != alert.userID
                ? try othersTold(of: alert, besides: viewer.id) : [],
            ledger: withLedger ? try ledger(of: alert, for: viewer) : []
        )
    }

    /// An alert that ended while nobody was on it names the first who ever was.
    private func acknowledgement(
        of alert: AlertRow, in history: [AlertAction], for viewer: AlertViewer
    ) -> AlertRecord.Acknowledgement? {
        let taken = history.filter { $0.kind == .acknowledged }
        let action: AlertAction?
        if let responder = alert.acknowledgedBy {
            let name = viewer.name(for: responder, in: alert)
            action = taken.last { $0.responderId == name }
        } else {
            action = alert.isOpen ? nil : taken.first
        }
        return action.map {
            AlertRecord.Acknowledgement(
                responderId: $0.responderId, name: $0.name, time: $0.time,
                afterSeconds: $0.time.since(alert.startedAt).inSeconds)
        }
    }

    private func report(
        of alert: AlertRow, in history: [AlertAction], for viewer: AlertViewer
    ) -> AlertAction? {
        guard let report = alert.report, let responder = alert.reportedBy else { return nil }
        let name = viewer.name(for: responder, in: alert)
        return history.last { $0.kind == report.action && $0.responderId == name }
    }

    private func actions(of alert: AlertRow, for viewer: AlertViewer) throws -> [AlertAction] {
        try query(
            """
            SELECT kind, responder_id, name, happened_at FROM alert_actions
            WHERE user_id = $1 AND alert_id = $2 ORDER BY happened_at, responder_id, kind
            """,
            [.id(alert.userID), .id(alert.id)]
        ) { row in
            AlertAction.Kind(rawValue: row.text(0)).map {
                AlertAction(
                    kind: $0, responderId: viewer.name(for: row.id(1), in: alert),
                    name: row.text(2), time: row.date(3))
            }
        }.compactMap(\.self)
    }

    /// In the order in which they were told first.
    private func othersTold(of alert: AlertRow, besides viewer: UserID) throws -> [String] {
        try query(
            """
            SELECT recipient_name, MIN(created_at) AS told_at FROM deliveries
            WHERE alert_user_id = $1 AND alert_id = $2 AND user_id NOT IN ($3, $4)
            GROUP BY user_id, recipient_name ORDER BY told_at, recipient_name LIMIT 200
            """,
            [.id(alert.userID), .id(alert.id), .id(viewer), .id(alert.userID)]
        ) { $0.text(0) }
    }

    /// The newest lines, oldest of them first. A responder sees their own: through which channel
    /// somebody else was told is none of their business.
    private func ledger(
        of alert: AlertRow, for viewer: AlertViewer
    ) throws -> [AlertRecord.LedgerEntry] {
        let isOwner = viewer.id == alert.userID
        return try query(
            """
            SELECT user_id, recipient_name, channel, state, created_at, attempts, reason
            FROM deliveries WHERE alert_user_id = $1 AND alert_id = $2
                \(isOwner ? "" : "AND user_id = $3")
            ORDER BY created_at DESC, recipient_name DESC, channel DESC LIMIT \(Self.ledgerLimit)
            """,
            [.id(alert.userID), .id(alert.id)] + (isOwner ? [] : [.id(viewer.id)])
        ) { row in
            let recipient: UserID = row.id(0)
            return AlertRecord.LedgerEntry(
                recipientId: recipient.description, name: row.text(1),
                channel: DeliveryChannel(rawValue: row.text(2)) ?? .stream,
                state: DeliveryState(rawValue: row.text(3)) ?? .queued, time: row.date(4),
                attempts: Int(row.integer(5)), reason: row.isNull(6) ? nil : row.text(6)
            )
        }.reversed()
    }

    private static var ledgerLimit: Int { 2_000 }
}

extension Transaction {
    /// Enters in the history of the alert what a responder did.
    public func enter(
        _ kind: AlertAction.Kind, by responder: Recipient, about alert: AlertRow, at now: Date
    ) throws {
        try execute(
            """
            INSERT INTO alert_actions (user_id, alert_id, happened_at, responder_id, kind, name)
            VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT DO NOTHING
            """,
            [
                .id(alert.userID), .id(alert.id), .date(now), .id(responder.id),
                .text(kind.rawValue), .text(responder.displayName),
            ]
        )
    }
}

extension SQLConnection {
    /// How each person was told of the alert.
    public func reach(of alert: AlertRow) throws -> [UserID: AlertReach] {
        let rows: [(UserID, AlertReach)] = try query(
            """
            SELECT user_id,
                MAX(channel = 'sms' AND (attempts > 0 OR reason = '\(StormRules.reason)'))
            FROM deliveries WHERE alert_user_id = $1 AND alert_id = $2 GROUP BY user_id
            """,
            [.id(alert.userID), .id(alert.id)]
        ) { ($0.id(0), AlertReach(bySMS: $0.bool(1))) }
        return Dictionary(rows, uniquingKeysWith: { first, _ in first })
    }

    /// How many alerts the owner has had since `time`, by when the server learned of them.
    public func countAlerts(of owner: UserID, receivedSince time: Date) throws -> Int {
        try count(
            "SELECT COUNT(*) FROM alerts WHERE user_id = $1 AND received_at > $2",
            [.id(owner), .date(time)])
    }

    /// How many SMS about the alert were made for `recipient` since `time`.
    public func countSMS(
        about alert: AlertRow, to recipient: UserID, since time: Date
    ) throws -> Int {
        try count(
            """
            SELECT COUNT(*) FROM deliveries
            WHERE alert_user_id = $1 AND alert_id = $2 AND user_id = $3 AND channel = 'sms'
                AND created_at > $4 AND reason IS NULL
            """,
            [.id(alert.userID), .id(alert.id), .id(recipient), .date(time)])
    }

    /// Whether the person has heard by SMS of the alert whose end waits; nil when none waits.
    public func hasHeardBeforeWaitingEnd(
        of owner: UserID, for recipient: UserID, at now: Date
    ) throws -> Bool? {
        try first(
            """
            SELECT EXISTS (SELECT 1 FROM deliveries AS earlier
                WHERE earlier.alert_user_id = waiting.alert_user_id
                    AND earlier.alert_id = waiting.alert_id AND earlier.user_id = waiting.user_id
                    AND earlier.channel = 'sms' AND (
                        earlier.purpose IN ('alertBegin', 'alertRepeat', 'alertNews')
                            AND earlier.state IN ('accepted', 'seen', 'acknowledged')
                        OR earlier.purpose = 'alertBegin'
                            AND earlier.reason = '\(StormRules.reason)'))
            FROM deliveries AS waiting
            WHERE user_id = $1 AND channel = 'sms' AND next_try_at > $2
                AND state = 'queued' AND purpose = 'alertEnd' AND alert_user_id = $3 LIMIT 1
            """,
            [.id(recipient), .date(now), .id(owner)]
        ) { $0.bool(0) }
    }
}

extension Transaction {
    /// Withdraws SMS about ends of the owner's alerts that were held back: another one has begun.
    public func withdrawWaitingEnds(of owner: UserID, for recipient: UserID, at now: Date) throws {
        try execute(
            """
            UPDATE deliveries SET state = 'superseded', next_try_at = NULL, updated_at = $1,
                reason = '\(StormRules.reason)'
            WHERE user_id = $2 AND channel = 'sms' AND next_try_at > $1 AND state = 'queued'
                AND purpose = 'alertEnd' AND alert_user_id = $3
            """,
            [.date(now), .id(recipient), .id(owner)]
        )
    }

    /// Another alert of the owner begins, and "is fine" about an earlier one must not be the last
    /// word on it. SMS that failed are withdrawn; those that were held back stay, because they decide
    /// whether the new alert needs one. Webhooks get every end, and get it first.
    public func overtakeEnds(of owner: UserID, for recipient: UserID, at now: Date) throws {
        let condition = """
            user_id = $2 AND next_try_at IS NOT NULL AND alert_user_id = $3 AND purpose = 'alertEnd'
            """
        let values: [SQLValue] = [.date(now), .id(recipient), .id(owner)]
        try execute(
            """
            UPDATE deliveries SET state = 'superseded', superseded = 1, reason = 'newer-news',
                next_try_at = NULL, updated_at = $1
            WHERE \(condition) AND channel <> 'webhook'
                AND (state = 'retrying' OR state = 'queued' AND next_try_at <= $1)
            """, values)
        try execute(
            """
            UPDATE deliveries SET superseded = 1, reason = 'newer-news', updated_at = $1
            WHERE \(condition) AND channel <> 'webhook' AND state = 'sending'
            """, values)
        try execute(
            """
            UPDATE deliveries SET next_try_at = $1 - 1
            WHERE \(condition) AND channel = 'webhook' AND state = 'retrying' AND next_try_at >= $1
            """, values)
    }

    /// The user has checked in: reminders that have not gone out are needless.
    public func supersedeReminders(of user: UserID, at now: Date) throws {
        try execute(
            """
            UPDATE deliveries SET state = 'superseded', superseded = 1, reason = 'checked-in',
                next_try_at = NULL, updated_at = $1
            WHERE user_id = $2 AND next_try_at IS NOT NULL AND purpose = 'reminder'
                AND state IN ('queued', 'retrying')
            """, [.date(now), .id(user)])
    }

    /// News that has not gone out is overtaken by what comes now.
    public func supersede(_ alert: AlertRow, for recipient: UserID? = nil, at now: Date) throws {
        try supersedeDeliveries(
            ofAlert: alert.id, owner: alert.userID, recipient: recipient, reason: "newer-news",
            at: now)
    }
}

/// By which channels somebody was told of an alert; the stream goes without saying.
public struct AlertReach: Sendable, Equatable {
    /// An SMS went out, or was spared because the one before still holds.
    public var bySMS: Bool

    public init(bySMS: Bool) { self.bySMS = bySMS }
}

extension StormRules {
    /// In the ledger: an SMS that the limit has made needless.
    public static let reason = "storm"
}
