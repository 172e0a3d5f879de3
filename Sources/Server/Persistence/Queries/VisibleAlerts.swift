import Domain
import Foundation

extension SQLConnection {
    /// The alert, if the viewer may see it: their own, or one of which they are notified.
    public func alert(_ id: AlertID, visibleTo viewer: UserID) throws -> AlertRow? {
        for owner in try owners(ofAlert: id) {
            if owner == viewer { return try alert(id, of: owner) }
            guard let since = try watched(by: viewer, only: owner).first?.since,
                let alert = try alert(id, of: owner)
            else { continue }
            if alert.endedAt.map({ $0 >= since }) ?? true { return alert }
        }
        return nil
    }

    /// The viewer's own alerts and those that they may see, newest first.
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
            // The time since which each of them is watched.
            let cases = watched.indices.map { "WHEN $\($0 + 2) THEN $\($0 + people.next)" }
            values += watched.map { .date($0.since) }
            condition += """
                 OR ended_at >= CASE user_id \(cases.joined(separator: " ")) ELSE ended_at END
                """
        }
        let next = values.count + 1
        return try query(
            """
            SELECT \(AlertRow.columns) FROM alerts WHERE user_id IN (\(people.sql))
                \(onlyOpen || !watched.isEmpty ? "AND (\(condition))" : "")
                AND (started_at, id) < ($\(next), $\(next + 1))
            ORDER BY started_at DESC, id DESC LIMIT $\(next + 2)
            """,
            values + page.bound + [.int(page.limit)], AlertRow.init)
    }

    /// People whose alerts the viewer is notified of, as a responder or as one who was asked to be
    /// one, with the time since when: an alert that ended before stays private.
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
