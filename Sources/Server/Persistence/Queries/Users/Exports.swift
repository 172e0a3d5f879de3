import Domain
import Foundation

extension SQLConnection {
    /// Returns a user's own alerts, newest first.
    public func ownAlerts(of user: UserID, page: Page) throws -> [AlertRow] {
        try query(
            """
            SELECT \(AlertRow.columns) FROM alerts
            WHERE user_id = $1 AND (started_at, id) < ($2, $3)
            ORDER BY started_at DESC, id DESC LIMIT $4
            """,
            [.id(user)] + page.bound + [.int(page.limit)], AlertRow.init
        )
    }

    /// Returns what a user did about other people's alerts, newest first. All acts of the page's
    /// last moment on the same alert are included, because the cursor can't tell them apart.
    /// - Parameter formerContact: the name of a person who isn't a contact of the user now.
    public func answers(
        of user: UserID, page: Page, formerContact: String
    ) throws -> [AlertAnswer] {
        let kinds =
            AlertAction.Kind.allCases.map(\.rawValue)
            + [AlertAction.Kind.lostRole, AlertAction.Kind.tookBack]
        let names = kinds.literals
        let bounds: [SQLValue] = [.id(user)] + page.bound
        // A person's acts of one moment on one alert differ in their kind.
        let limit = SQLValue.int(page.limit + kinds.count)
        let rows = try acquaintances(of: user).lists(from: 4).flatMap { owners in
            try query(
                """
                SELECT user_id, alert_id, happened_at, kind, channel FROM alert_actions
                WHERE responder_id = $1 AND (happened_at, alert_id) < ($2, $3)
                    AND user_id IN (\(owners.sql)) AND kind IN (\(names))
                ORDER BY happened_at DESC, alert_id DESC, kind LIMIT $\(owners.next)
                """,
                bounds + owners.values + [limit], AnswerRow.init)
        }.sorted { $0.position > $1.position }
        let contacts = try users(contacts(of: user).map(\.contact))
        let ties = rows.dropFirst(page.limit).prefix {
            $0.position == rows[page.limit - 1].position
        }
        return (rows.prefix(page.limit) + ties).map {
            AlertAnswer(
                alertID: $0.alert, ownerName: contacts[$0.owner]?.name ?? formerContact,
                kind: $0.kind, time: $0.time, channel: $0.channel)
        }
    }
}

private struct AnswerRow {
    var owner: UserID
    var alert: AlertID
    var time: Date
    var kind: AlertAction.Kind
    var channel: DeliveryChannel?

    init(_ row: SQLRow) throws {
        owner = try row["user_id"]
        alert = try row["alert_id"]
        time = try row["happened_at"]
        // A person who took the refusal back said "I'm on it".
        kind = AlertAction.Kind(stored: try row["kind"]) ?? .acknowledged
        channel = (try row["channel"] as String?).flatMap(DeliveryChannel.init)
    }

    /// The order of the pages.
    var position: (Date, AlertID) { (time, alert) }
}
