import Domain
import Foundation

/// A person to whom an alert is shown. The owner sees everyone's id; responders see each other's
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
        return try record(of: alert, for: viewer, history, withLedger: withLedger)
    }

    /// An alert that was inserted in this transaction: nobody has done anything about it.
    public func record(ofNew alert: AlertRow, for viewer: AlertViewer) throws -> AlertRecord {
        try record(of: alert, for: viewer, [], withLedger: false)
    }

    private func record(
        of alert: AlertRow, for viewer: AlertViewer, _ history: [AlertAction], withLedger: Bool
    ) throws -> AlertRecord {
        let isOwner = viewer.id == alert.userID
        let seesOthers = try withLedger && (isOwner || hasAccepted(viewer.id, of: alert.userID))
        let cameLate = AlertRules.cameLate(startedAt: alert.startedAt, receivedAt: alert.receivedAt)
        return AlertRecord(
            id: alert.id.description, startTime: alert.startedAt, endTime: alert.endedAt,
            userId: alert.userID.description, isActive: alert.isOpen, kind: alert.kind,
            deadline: alert.deadlineAt, toldLate: alert.toldLate,
            receivedTime: cameLate ? alert.receivedAt : nil,
            acknowledgement: acknowledgement(of: alert, in: history, for: viewer),
            report: report(of: alert, in: history, for: viewer),
            history: withLedger
                ? history.filter { seesOthers || $0.responderId == viewer.id.description } : [],
            othersTold: seesOthers && !isOwner
                ? try othersTold(of: alert, besides: viewer.id) : [],
            ledger: withLedger ? try ledger(of: alert, for: viewer) : []
        )
    }

    /// A person who is asked to be a responder sees what the others did only after a yes.
    private func hasAccepted(_ viewer: UserID, of owner: UserID) throws -> Bool {
        try contact(owner, of: viewer)?.relation.dependent.isInForce == true
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
            SELECT kind, responder_id, name, happened_at, channel FROM alert_actions
            WHERE user_id = $1 AND alert_id = $2 ORDER BY happened_at, responder_id, kind
            """,
            [.id(alert.userID), .id(alert.id)]
        ) { row in
            try AlertAction.Kind(rawValue: row["kind"]).map {
                AlertAction(
                    kind: $0, responderId: viewer.name(for: try row["responder_id"], in: alert),
                    name: try row["name"], time: try row["happened_at"],
                    channel: (try row["channel"] as String?).flatMap(DeliveryChannel.init))
            }
        }.compactMap(\.self)
    }

    /// The last thing that a responder did about an alert; nil if they did nothing.
    public func lastAction(
        by responder: UserID, about alert: AlertKey
    ) throws -> AlertAction.Kind? {
        try first(
            """
            SELECT kind FROM alert_actions
            WHERE user_id = $1 AND alert_id = $2 AND responder_id = $3
            ORDER BY happened_at DESC LIMIT 1
            """, [.id(alert.owner), .id(alert.id), .id(responder)]
        ) { AlertAction.Kind(rawValue: try $0["kind"]) } ?? nil
    }

    /// How often a responder has acted on an alert since `time`.
    public func countActions(
        by responder: UserID, about alert: AlertKey, since time: Date
    ) throws -> Int {
        try count(
            """
            SELECT COUNT(*) FROM alert_actions
            WHERE user_id = $1 AND alert_id = $2 AND responder_id = $3 AND happened_at > $4
            """, [.id(alert.owner), .id(alert.id), .id(responder), .date(time)])
    }

    /// The others who were notified, in the order of their first notification.
    private func othersTold(of alert: AlertRow, besides viewer: UserID) throws -> [String] {
        let others = try notifiedUsers(of: alert).subtracting([viewer, alert.userID])
        let rows = try others.lists(from: 3).flatMap { list in
            try query(
                """
                SELECT recipient_name, MIN(created_at) AS told_at FROM deliveries
                WHERE alert_user_id = $1 AND alert_id = $2 AND user_id IN (\(list.sql))
                GROUP BY user_id, recipient_name
                """,
                [.id(alert.userID), .id(alert.id)] + list.values
            ) { (time: try $0["told_at"] as Int64, name: try $0["recipient_name"] as String) }
        }
        return rows.sorted { ($0.time, $0.name) < ($1.time, $1.name) }.prefix(200).map(\.name)
    }

    /// The newest entries, oldest of them first. A responder sees their own alone: the channels of
    /// other people are private.
    private func ledger(
        of alert: AlertRow, for viewer: AlertViewer
    ) throws -> [AlertRecord.LedgerEntry] {
        let recipients = viewer.id == alert.userID ? try notifiedUsers(of: alert) : [viewer.id]
        let lists = recipients.lists(from: 3)
        let entries = try lists.flatMap { try ledger(of: alert, for: $0) }
        guard lists.count > 1 else { return entries }
        return entries.sorted { $0.time < $1.time }.suffix(Self.ledgerLimit)
    }

    private func ledger(
        of alert: AlertRow, for recipients: ValueList
    ) throws -> [AlertRecord.LedgerEntry] {
        try query(
            """
            SELECT user_id, recipient_name, channel, state, created_at, attempts, reason,
                received_at, updated_at, next_try_at
            FROM deliveries
            WHERE alert_user_id = $1 AND alert_id = $2 AND user_id IN (\(recipients.sql))
            ORDER BY created_at DESC, recipient_name DESC, channel DESC LIMIT \(Self.ledgerLimit)
            """,
            [.id(alert.userID), .id(alert.id)] + recipients.values
        ) { row in
            let recipient: UserID = try row["user_id"]
            let receivedAt: Date? = try row["received_at"]
            let state = DeliveryState(rawValue: try row["state"]) ?? .queued
            var entry = AlertRecord.LedgerEntry(
                recipientId: recipient.description, name: try row["recipient_name"],
                channel: DeliveryChannel(rawValue: try row["channel"]) ?? .stream,
                state: state == .accepted && receivedAt != nil ? .received : state,
                time: try row["created_at"], attempts: try row["attempts"],
                reason: try row["reason"], receivedTime: receivedAt)
            let changed: Date = try row["updated_at"]
            if changed != entry.time { entry.changedTime = changed }
            entry.nextTime = try row["next_try_at"]
            return entry
        }.reversed()
    }

    private static var ledgerLimit: Int { 2_000 }
}

extension Transaction {
    /// Enters in the history of the alert what a responder did.
    public func enter(
        _ kind: AlertAction.Kind, by responder: Recipient, about alert: AlertRow,
        over channel: DeliveryChannel? = nil
    ) throws {
        try execute(
            """
            INSERT INTO alert_actions (user_id, alert_id, happened_at, responder_id, kind, name,
                channel)
            VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT DO NOTHING
            """,
            [
                .id(alert.userID), .id(alert.id), .date(now), .id(responder.id),
                .text(kind.rawValue), .text(responder.displayName),
                channel.map { .text($0.rawValue) } ?? .null,
            ]
        )
    }
}
