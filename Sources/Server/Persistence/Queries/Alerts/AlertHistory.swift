import Domain
import Foundation

/// A person who views an alert. The owner sees everyone's id. Responders see each other's names and
/// answers, under ids that are used only in this alert (product.md, "Consent").
public struct AlertViewer: Sendable {
    public var id: UserID
    let alias: @Sendable (UserID, AlertID) -> UUID

    /// - Parameter alias: returns an id for a person that is used only in this alert.
    public init(_ id: UserID, alias: @escaping @Sendable (UserID, AlertID) -> UUID) {
        self.id = id
        self.alias = alias
    }

    func name(for person: UserID, in alert: AlertRow) -> String {
        if id == alert.userID || id == person { return person.description }
        return UserID(alias(person, alert.id)).description
    }
}

/// The responders' answers to one alert, read once for all viewers.
public struct AlertActions: Sendable {
    fileprivate struct Row {
        var kind: AlertAction.Kind
        var responder: UserID
        var name: String
        var time: Date
        var channel: DeliveryChannel?
        var isLossOfRole: Bool
    }

    fileprivate var rows: [Row]
    /// When each person's "I can't" last ended: they took it back beside another responder, or lost
    /// the role.
    fileprivate var takenBack: [UserID: Date] = [:]
    /// When the pause of a report last ended by itself.
    fileprivate var pauseEndedAt: Date?

    /// An empty history, for an alert that was inserted in this transaction.
    public static let none = AlertActions(rows: [])

    fileprivate func seen(by viewer: AlertViewer, in alert: AlertRow) -> [AlertAction] {
        let rows = rows.filter { counts($0, for: viewer.id) }
        let people = Set(rows.map(\.responder))
        let names = Dictionary(
            uniqueKeysWithValues: people.map { ($0, viewer.name(for: $0, in: alert)) })
        return rows.map {
            AlertAction(
                kind: $0.kind, responderId: names[$0.responder] ?? "", name: $0.name,
                time: $0.time, channel: $0.channel,
                isLossOfRole: $0.isLossOfRole && viewer.id == alert.userID ? true : nil)
        }
    }

    /// Returns false for an "I can't" of the viewer that doesn't count any more: apps would show it
    /// as the viewer's answer.
    private func counts(_ row: Row, for viewer: UserID) -> Bool {
        guard row.responder == viewer, row.kind == .declined else { return true }
        return (takenBack[viewer].map { row.time > $0 } ?? true)
            && (pauseEndedAt.map { row.time >= $0 } ?? true)
    }
}

extension SQLConnection {
    public func record(
        of alert: AlertRow, for viewer: AlertViewer, withLedger: Bool = false
    ) throws -> AlertRecord {
        let history = try actions(of: alert).seen(by: viewer, in: alert)
        return try record(of: alert, for: viewer, history, withLedger: withLedger)
    }

    /// Returns the alert as lists and events show it, with these actions.
    public func record(
        of alert: AlertRow, for viewer: AlertViewer, _ actions: AlertActions
    ) throws -> AlertRecord {
        try record(
            of: alert, for: viewer, actions.seen(by: viewer, in: alert), withLedger: false)
    }

    private func record(
        of alert: AlertRow, for viewer: AlertViewer, _ history: [AlertAction], withLedger: Bool
    ) throws -> AlertRecord {
        let isOwner = viewer.id == alert.userID
        // Without a ledger and a report, the record is the same for all viewers.
        let seesOthers =
            try (withLedger || alert.report != nil)
            && (isOwner || hasAccepted(viewer.id, of: alert.userID))
        let isUntaken = alert.isOpen && alert.escalation.attention == .none
        let cameLate = AlertRules.cameLate(startedAt: alert.startedAt, receivedAt: alert.receivedAt)
        var record = AlertRecord(
            id: alert.id.description, startTime: alert.startedAt, endTime: alert.endedAt,
            userId: alert.userID.description, isActive: alert.isOpen, kind: alert.kind,
            deadline: alert.deadlineAt, journey: alert.journey, toldLate: alert.toldLate,
            receivedTime: cameLate ? alert.receivedAt : nil,
            acknowledgement: acknowledgement(of: alert, in: history, for: viewer),
            report: seesOthers ? report(of: alert, in: history, for: viewer) : nil,
            history: withLedger
                ? history.filter { seesOthers || $0.responderId == viewer.id.description } : [],
            othersTold: withLedger && seesOthers && !isOwner
                ? try othersTold(of: alert, besides: viewer.id) : [],
            ledger: withLedger ? try ledger(of: alert, for: viewer) : []
        )
        if withLedger, isOwner || seesOthers { record.note = try note(of: alert) }
        if isOwner {
            record.ending = alert.ending
            let lifted = history.last { $0.kind == .resumed }?.time ?? alert.escalationFrom
            let since = max(alert.escalationFrom, lifted)
            record.refusals = isUntaken ? refusals(in: history, since: since) : nil
        }
        return record
    }

    /// Returns the journey's note; nil if it is empty or deleted.
    private func note(of alert: AlertRow) throws -> String? {
        guard alert.kind == .journey, let journey = try journey(of: alert.userID),
            journey.alert == alert.id, !journey.note.isEmpty
        else { return nil }
        return journey.note
    }

    /// Returns the refusals of responders whose last action is "I can't", by time; nil if there are
    /// none.
    private func refusals(in history: [AlertAction], since time: Date) -> [AlertAction]? {
        let last = Dictionary(
            history.filter { $0.time >= time }.map { ($0.responderId, $0) },
            uniquingKeysWith: { $1 })
        let refusals = last.values.filter(\.kind.isRefusal)
            .sorted { ($0.time, $0.responderId) < ($1.time, $1.responderId) }
        return refusals.isEmpty ? nil : refusals
    }

    /// Returns true if the viewer has agreed to be a responder. Only then do they see the others'
    /// answers.
    private func hasAccepted(_ viewer: UserID, of owner: UserID) throws -> Bool {
        try contact(owner, of: viewer)?.relation.dependent.isInForce == true
    }

    /// Returns the acknowledgement to show: the one in force or, after the alert's end, the first.
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
            var acknowledgement = AlertRecord.Acknowledgement(
                responderId: $0.responderId, name: $0.name, time: $0.time,
                afterSeconds: $0.time.since(alert.startedAt).inSeconds)
            if alert.acknowledgedBy == nil {
                let end = AlertRecord.Acknowledgement.End(of: $0.responderId, in: history)
                acknowledgement.end = end ?? .released
            }
            return acknowledgement
        }
    }

    private func report(
        of alert: AlertRow, in history: [AlertAction], for viewer: AlertViewer
    ) -> AlertAction? {
        guard let report = alert.report, let responder = alert.reportedBy else { return nil }
        let name = viewer.name(for: responder, in: alert)
        return history.last { $0.kind == report.action && $0.responderId == name }
    }

    public func actions(of alert: AlertRow) throws -> AlertActions {
        var actions = AlertActions.none
        let rows = try query(
            """
            SELECT kind, responder_id, name, happened_at, channel FROM alert_actions
            WHERE user_id = $1 AND alert_id = $2 ORDER BY happened_at, responder_id, kind
            """,
            [.id(alert.userID), .id(alert.id)]
        ) { row -> AlertActions.Row? in
            let (kind, responder): (String, UserID) = (try row["kind"], try row["responder_id"])
            let time: Date = try row["happened_at"]
            if [AlertAction.Kind.tookBack, AlertAction.Kind.lostRefusal].contains(kind) {
                actions.takenBack[responder] = time
            }
            if kind == AlertAction.Kind.pauseEnded { actions.pauseEndedAt = time }
            return try AlertAction.Kind(stored: kind).map {
                AlertActions.Row(
                    kind: $0, responder: responder, name: try row["name"], time: time,
                    channel: (try row["channel"] as String?).flatMap(DeliveryChannel.init),
                    isLossOfRole: kind == AlertAction.Kind.lostRole)
            }
        }
        actions.rows = rows.compactMap(\.self)
        return actions
    }

    /// Returns the person's last action on an alert since `time`; nil without one, or if the last
    /// one is the loss of the role or the end of a refusal.
    public func lastAction(
        by responder: UserID, about alert: AlertKey, since time: Date
    ) throws -> AlertAction.Kind? {
        try first(
            """
            SELECT kind FROM alert_actions
            WHERE user_id = $1 AND alert_id = $2 AND responder_id = $3 AND happened_at >= $4
            ORDER BY happened_at DESC LIMIT 1
            """, [.id(alert.owner), .id(alert.id), .id(responder), .date(time)]
        ) { AlertAction.Kind(rawValue: try $0["kind"]) } ?? nil
    }

    /// Returns when the person last gave one of these answers to the alert by text message, since
    /// `time`; nil if they didn't.
    public func textedAnswer(
        _ kinds: [AlertAction.Kind], to alert: AlertKey, by responder: UserID, since time: Date
    ) throws -> Date? {
        try value(
            """
            SELECT MAX(happened_at) FROM alert_actions
            WHERE user_id = $1 AND alert_id = $2 AND responder_id = $3 AND happened_at >= $4
                AND channel = 'sms' AND kind IN (\(kinds.literals))
            """, [.id(alert.owner), .id(alert.id), .id(responder), .date(time)])
    }

    /// Returns when each person last acted on any alert of the owner. Omits people who never did.
    public func lastActions(
        by people: [UserID], aboutAlertsOf owner: UserID
    ) throws -> [UserID: Date] {
        let times = try query(
            about: people,
            {
                """
                SELECT responder_id, MAX(happened_at) AS newest FROM alert_actions
                WHERE user_id = $1 AND responder_id \($0)
                GROUP BY responder_id
                """
            }, [.id(owner)]
        ) { (try $0["responder_id"] as UserID, try $0["newest"] as Date) }
        return Dictionary(times, uniquingKeysWith: max)
    }

    /// Returns the people whose last action on an alert since `time` is "I can't". Losing the role
    /// isn't a refusal. Omits refusals from before a report was lifted or its pause ended: the
    /// person may have refused because of it.
    public func peopleRefusing(_ alert: AlertKey, since time: Date) throws -> Set<UserID> {
        let refusals = AlertAction.Kind.allCases.filter(\.isRefusal).literals
        let ends = [AlertAction.Kind.resumed.rawValue, AlertAction.Kind.pauseEnded].literals
        return Set(
            try values(
                """
                SELECT responder_id FROM alert_actions
                WHERE user_id = $1 AND alert_id = $2 AND happened_at >= $3
                    AND happened_at >= COALESCE((
                        SELECT MAX(happened_at) FROM alert_actions
                        WHERE user_id = $1 AND alert_id = $2 AND kind IN (\(ends))), 0)
                GROUP BY responder_id
                HAVING MAX(CASE WHEN kind IN (\(refusals)) THEN happened_at ELSE 0 END)
                    = MAX(happened_at)
                """, [.id(alert.owner), .id(alert.id), .date(time)]))
    }

    public func countActions(
        by responder: UserID, about alert: AlertKey, since time: Date
    ) throws -> Int {
        try count(
            """
            SELECT COUNT(*) FROM alert_actions
            WHERE user_id = $1 AND alert_id = $2 AND responder_id = $3 AND happened_at > $4
            """, [.id(alert.owner), .id(alert.id), .id(responder), .date(time)])
    }

    public func hasAnswer(to alert: AlertRow, after time: Date) throws -> Bool {
        try hasRow(
            """
            SELECT 1 FROM alert_actions
            WHERE user_id = $1 AND alert_id = $2 AND happened_at > $3 LIMIT 1
            """, [.id(alert.userID), .id(alert.id), .date(time)])
    }

    /// Returns when the owner last got news of the alert with this title; nil if never, or if the
    /// owner has deleted it.
    public func lastNews(titled title: String, toOwnerOf alert: AlertRow) throws -> Date? {
        try value(
            """
            SELECT MAX(created_at) FROM notifications
            WHERE user_id = $1 AND alert_id = $2 AND title = $3
            """, [.id(alert.userID), .id(alert.id), .text(title)])
    }

    public func changes(
        by responder: UserID, about alert: AlertKey, since time: Date
    ) throws -> [Date] {
        let kinds = AlertAction.Kind.allCases.filter(ActRules.isChange).map(\.rawValue)
        let names = (kinds + [AlertAction.Kind.lostRole]).literals
        return try values(
            """
            SELECT happened_at FROM alert_actions
            WHERE user_id = $1 AND alert_id = $2 AND responder_id = $3 AND happened_at > $4
                AND kind IN (\(names))
            ORDER BY happened_at
            """, [.id(alert.owner), .id(alert.id), .id(responder), .date(time)])
    }

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

    /// Returns the alert's deliveries, oldest first. Of more than `ledgerLimit` deliveries, returns
    /// the oldest `ledgerBeginning` and the newest of the others. A responder sees only their own,
    /// because other people's channels are private.
    private func ledger(
        of alert: AlertRow, for viewer: AlertViewer
    ) throws -> [AlertRecord.LedgerEntry] {
        let recipients = viewer.id == alert.userID ? try notifiedUsers(of: alert) : [viewer.id]
        let lists = recipients.lists(from: 3)
        let entries = try lists.flatMap { try ledger(of: alert, for: $0) }
        guard lists.count > 1 else { return entries }
        let sorted = entries.sorted { $0.time < $1.time }
        guard sorted.count > Self.ledgerLimit else { return sorted }
        return Array(sorted.prefix(Self.ledgerBeginning))
            + sorted.suffix(Self.ledgerLimit - Self.ledgerBeginning)
    }

    private func ledger(
        of alert: AlertRow, for recipients: ValueList
    ) throws -> [AlertRecord.LedgerEntry] {
        let newest = try ledger(of: alert, for: recipients, "DESC", limit: Self.ledgerLimit)
        guard newest.count == Self.ledgerLimit else { return newest.reversed() }
        let oldest = try ledger(of: alert, for: recipients, "ASC", limit: Self.ledgerBeginning)
        return oldest + newest.prefix(Self.ledgerLimit - Self.ledgerBeginning).reversed()
    }

    /// - Parameter order: `ASC` for the oldest deliveries first, or `DESC`.
    private func ledger(
        of alert: AlertRow, for recipients: ValueList, _ order: String, limit: Int
    ) throws -> [AlertRecord.LedgerEntry] {
        try query(
            """
            SELECT user_id, recipient_name, channel, state, created_at, attempts, reason,
                received_at, next_try_at, sent_at, updated_at,
                CASE WHEN state = 'acknowledged' THEN COALESCE(sent_at, updated_at)
                    ELSE updated_at END AS changed_at
            FROM deliveries
            WHERE alert_user_id = $1 AND alert_id = $2 AND user_id IN (\(recipients.sql))
            ORDER BY created_at \(order), recipient_name \(order), channel \(order),
                user_id \(order), id \(order)
            LIMIT \(limit)
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
            let changed: Date = try row["changed_at"]
            if changed != entry.time { entry.changedTime = changed }
            if state == .seen { entry.sentTime = try row["sent_at"] }
            if state == .acknowledged, entry.reason == "\(DeliveryReason.opened)" {
                entry.openedTime = try row["updated_at"]
            }
            entry.nextTime = try row["next_try_at"]
            return entry
        }
    }

    private static var ledgerLimit: Int { 2_000 }
    /// How many of the oldest deliveries a shortened ledger has.
    private static var ledgerBeginning: Int { 500 }
}

extension AlertAction.Kind {
    /// Stored instead of `withdrew` if the responder lost the role. Clients get `withdrew`, because
    /// older ones can't read a further kind.
    static let lostRole = "lostRole"
    /// Stored if a person who had refused says "I'm on it" while another responder is on it.
    /// Clients don't get it, because older ones can't read a further kind.
    static let tookBack = "tookBack"
    /// Stored if a person who had refused loses the role. Clients don't get it, like `tookBack`.
    static let lostRefusal = "lostRefusal"

    /// Stored when a report's pause ends and everyone is alerted again. Clients don't get it, like
    /// `tookBack`.
    static let pauseEnded = "pauseEnded"

    /// Returns nil for `tookBack`, `lostRefusal`, `pauseEnded`, and for a kind that a newer server
    /// has stored.
    init?(stored: String) {
        self.init(rawValue: stored == Self.lostRole ? Self.withdrew.rawValue : stored)
    }
}

extension Transaction {
    /// Records that a responder lost the role while they were on the alert or had reported.
    public func enterLossOfRole(by responder: Recipient, about alert: AlertRow) throws {
        try enter(AlertAction.Kind.lostRole, by: responder, about: alert, over: nil)
    }

    /// Records that a person who had refused would help, while another responder is on it.
    public func enterEndOfRefusal(
        by responder: Recipient, about alert: AlertRow, over channel: DeliveryChannel?
    ) throws {
        try enter(AlertAction.Kind.tookBack, by: responder, about: alert, over: channel)
    }

    /// Records that a person who had refused has lost the role. If they return, the server asks
    /// them anew.
    public func enterLossOfRefusal(by responder: Recipient, about alert: AlertRow) throws {
        try enter(AlertAction.Kind.lostRefusal, by: responder, about: alert, over: nil)
    }

    /// Records under the owner that a report's pause has ended, and that everyone is alerted again.
    public func enterEndOfPause(of alert: AlertRow, by owner: Recipient) throws {
        try enter(AlertAction.Kind.pauseEnded, by: owner, about: alert, over: nil)
    }

    public func enter(
        _ kind: AlertAction.Kind, by responder: Recipient, about alert: AlertRow,
        over channel: DeliveryChannel? = nil
    ) throws {
        try enter(kind.rawValue, by: responder, about: alert, over: channel)
    }

    private func enter(
        _ kind: String, by responder: Recipient, about alert: AlertRow,
        over channel: DeliveryChannel?
    ) throws {
        try execute(
            """
            INSERT INTO alert_actions (user_id, alert_id, happened_at, responder_id, kind, name,
                channel)
            VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT DO NOTHING
            """,
            [
                .id(alert.userID), .id(alert.id), .date(now), .id(responder.id),
                .text(kind), .text(responder.displayName),
                channel.map { .text($0.rawValue) } ?? .null,
            ]
        )
    }
}
