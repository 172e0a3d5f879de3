import Domain
import Foundation

extension SQLConnection {
    /// Returns the viewer's own alert, or else another person's alert that the viewer may see.
    /// Several people may have alerts with this id.
    public func alert(_ id: AlertID, visibleTo viewer: UserID) throws -> AlertRow? {
        try alert(id, of: viewer) ?? alert(id, watchedBy: viewer)
    }

    /// Returns the alert of a known owner if the viewer may see it.
    public func alert(_ key: AlertKey, visibleTo viewer: UserID) throws -> AlertRow? {
        guard key.owner != viewer else { return try alert(key.id, of: viewer) }
        guard let since = try watched(by: viewer, only: key.owner).first?.since,
            let alert = try alert(key.id, of: key.owner)
        else { return nil }
        guard alert.concerns(viewer) else { return nil }
        return alert.endedAt.map({ $0 >= since }) ?? true ? alert : nil
    }

    /// Returns a person's open alert that began last; nil if the viewer may see none.
    public func newestOpenAlert(of owner: UserID, visibleTo viewer: UserID) throws -> AlertRow? {
        try openAlerts(of: owner).filter {
            try alert(AlertKey(owner: owner, id: $0.id), visibleTo: viewer) != nil
        }
        .max { $0.startedAt < $1.startedAt }
    }

    /// Returns another person's alert if the viewer is notified of it. Prefers an open alert if
    /// several have this id.
    public func alert(_ id: AlertID, watchedBy viewer: UserID) throws -> AlertRow? {
        var ended: AlertRow?
        for owner in try owners(ofAlert: id) where owner != viewer {
            guard let alert = try alert(AlertKey(owner: owner, id: id), visibleTo: viewer)
            else { continue }
            if alert.isOpen { return alert }
            ended = ended ?? alert
        }
        return ended
    }

    /// Returns the alerts that the viewer may see, newest first.
    public func alerts(visibleTo viewer: UserID, onlyOpen: Bool = false, page: Page) throws
        -> [AlertRow]
    {
        let watched = try watched(by: viewer)
        guard
            let people = ([.id(viewer)] + watched.map { .id($0.person) } as [SQLValue])
                .lists(from: 1).first
        else { return [] }
        var values = people.values
        var condition = "ended_at IS NULL"
        if !onlyOpen, !watched.isEmpty {
            // For each person, the time since which the viewer is notified of their alerts.
            let cases = watched.indices.map {
                "WHEN user_id = $\($0 + 2) THEN $\($0 + people.next)"
            }
            values += watched.map { .date($0.since) }
            condition += """
                 OR ended_at >= CASE \(cases.joined(separator: " ")) ELSE ended_at END
                """
        }
        values += [.id(viewer), viewer.onlyForPattern]
        let chosen = values.count
        let next = values.count + 1
        return try query(
            """
            SELECT \(AlertRow.columns) FROM alerts WHERE user_id IN (\(people.sql))
                \(onlyOpen || !watched.isEmpty ? "AND (\(condition))" : "")
                AND (only_for IS NULL OR user_id = $\(chosen - 1) OR only_for LIKE $\(chosen))
                AND (started_at, id) < ($\(next), $\(next + 1))
            ORDER BY started_at DESC, id DESC LIMIT $\(next + 2)
            """,
            values + page.bound + [.int(page.limit)], AlertRow.init)
    }

    /// Returns the people with an open alert whose accepted responder the user is.
    public func peopleInNeed(relyingOn user: UserID) throws -> [UserID] {
        let people = try contacts(of: user).filter { $0.relation.dependent.isInForce }
            .map(\.contact).sorted()
        let owners = try query(
            about: people,
            { "SELECT user_id FROM alerts WHERE ended_at IS NULL AND user_id \($0)" }
        ) { try $0["user_id"] as UserID }
        return Set(owners).sorted()
    }

    /// Returns true if the viewer is notified of the owner's alerts.
    public func isNotified(_ viewer: UserID, ofAlertsOf owner: UserID) throws -> Bool {
        try !watched(by: viewer, only: owner).isEmpty
    }

    /// Returns the people whose alerts the viewer is notified of, and since when. The viewer is
    /// their responder or was asked to become one. Alerts that ended before that time stay private.
    private func watched(
        by viewer: UserID, only: UserID? = nil
    ) throws -> [(person: UserID, since: Date)] {
        try query(
            """
            SELECT contact_id, COALESCE(dependent_since, dependent_requested_at, 0) AS since
            FROM contacts
            WHERE user_id = $1 AND (dependent_in_force = 1 OR dependent_request = 'owner')
                \(only == nil ? "" : "AND contact_id = $2")
            ORDER BY contact_id
            """,
            [.id(viewer)] + (only.map { [.id($0)] } ?? [])
        ) { (person: try $0["contact_id"], since: try $0["since"]) }
    }
}
