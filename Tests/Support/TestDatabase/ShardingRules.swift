import Foundation

/// The rules in scale.md, "Ready to shard": each table has a key, and every statement on the table
/// names it.
public enum ShardingRules {
    /// The tables with rows about people, each with the column that names the person.
    public static let personColumns: [String: String] =
        [
            "acquaintances", "alert_actions", "alerts", "app_endpoints", "check_ins", "contacts",
            "deliveries", "devices", "drill_answers", "drills", "email_addresses", "event_numbers",
            "events", "firestore_changes", "invitations", "invited_sign_ups", "journeys",
            "known_devices", "notifications", "passkeys", "pictures", "pings", "proofs",
            "push_subscriptions", "qr_codes", "recovery_codes", "request_keys", "schedules",
            "sessions", "sign_in_locks", "sign_in_waits", "sources", "used_refresh_tokens",
            "user_spending",
        ].reduce(into: ["users": "id", "blocks": "blocker_id"]) { $0[$1] = "user_id" }

    /// The tables with globally unique values, each with the column of the value.
    public static let valueColumns = [
        "alert_ids": "id", "name_entries": "entry", "phone_numbers": "phone_number",
        "picture_ids": "id", "provider_ids": "provider_id", "push_addresses": "hash",
        "qr_code_ids": "id", "source_hashes": "hash", "token_hashes": "hash",
        "web_sessions": "secret_hash",
    ]

    /// The tables of the whole server. They are small and not sharded.
    public static let serverWide: Set = [
        "admin_acts", "announcements", "number_moves",
        "email_codes", "invitation_messages", "lock_slots", "passkey_challenges", "probes",
        "schema_versions", "server_secrets", "server_state",
        "sign_in_codes", "sign_up_tokens", "spending",
    ]

    /// Parts of statements that may omit the key, each with the reason.
    static let exceptions: [(part: String, reason: String)] = [
        ("FROM schedules WHERE next_due_at IS NOT NULL AND next_due_at <= $1 AND", "candidates"),
        ("FROM schedules WHERE next_due_at IS NOT NULL AND next_due_at <= $1 LIMIT", "metrics"),
        ("SELECT COUNT(*) FROM schedules WHERE next_due_at IS NOT NULL", "metrics"),
        ("SELECT COUNT(*) FROM users", "metrics"),
        ("SELECT 1 FROM users LIMIT 1", "a server without its key"),
        ("FROM alerts WHERE next_due_at IS NOT NULL AND next_due_at <= $1", "candidates"),
        ("FROM alerts WHERE next_call_at IS NOT NULL AND next_call_at <= $1", "candidates"),
        ("FROM pings WHERE state = 'pending' AND expires_at <= $1", "candidates"),
        ("FROM deliveries WHERE next_try_at IS NOT NULL AND channel = $1", "candidates, metrics"),
        ("FROM deliveries WHERE next_try_at IS NOT NULL LIMIT $1", "metrics"),
        ("SELECT MIN(next_due_at) FROM", "the monitor's next moment"),
        ("SELECT MIN(next_call_at) FROM", "the monitor's next moment"),
        ("SELECT MIN(expires_at) FROM pings", "the monitor's next moment"),
        ("FROM schedules WHERE user_id > $1 ORDER BY user_id", "everyone, after an outage"),
        ("FROM alerts WHERE ended_at IS NULL AND user_id > $1", "everyone, after an outage"),
        (
            "AND (COALESCE(own_deadline_at, last_check_in_at + interval_seconds * 1000) BETWEEN",
            "everyone, after an outage"
        ),
        ("WHERE plan IS NOT NULL AND user_id > $1 ORDER BY user_id", "the repair of deadlines"),
        ("FROM sources WHERE silent_at IS NOT NULL AND silent_at <= $1", "candidates"),
        ("FROM firestore_changes WHERE next_try_at <= $1 ORDER BY", "candidates"),
        ("MIN(changed_at) AS oldest FROM firestore_changes", "metrics"),
        ("SET lease = NULL, next_try_at = $1 WHERE lease IS NOT NULL", "a server that died"),
        ("UPDATE firestore_changes SET next_try_at = $1 WHERE next_try_at > $2", "a wrong time"),
        ("SET next_is_alarm = 1 WHERE next_due_at IS NOT NULL", "the same"),
        ("SET useful_until = useful_until + $1", "everyone, after a wrong time"),
        ("SET next_try_at = $1 WHERE next_try_at IS NOT NULL AND next_try_at > $2", "the same"),
        ("SET next_try_at = next_try_at + $1 WHERE next_try_at IS NOT NULL", "the same"),
        ("SET created_at = $1, expires_at = $2 WHERE state = 'pending'", "the same"),
        ("SET created_at = created_at + $1, expires_at = expires_at + $1 WHERE", "the same"),
        ("FROM schedules WHERE start_from BETWEEN", "the same"),
        ("FROM alerts WHERE ended_at BETWEEN", "the same"),
        ("CASE WHEN superseded = 1 THEN NULL ELSE $1 +", "leases of a server that died"),
        ("FROM drills WHERE next_due_at IS NOT NULL AND next_due_at <= $1", "candidates"),
        ("UPDATE drills SET next_due_at = $1 WHERE next_due_at IS NOT NULL", "a wrong time"),
        ("UPDATE sign_in_waits SET ends_at = ", "a wrong time"),
        ("UPDATE sign_in_waits SET stopped_at = ", "a wrong time"),
        ("UPDATE sign_in_locks SET ends_at = ", "a wrong time"),
        ("UPDATE sign_in_locks SET codes_made_at = ", "a wrong time"),
        ("DELETE FROM sign_in_waits WHERE stopped_at IS NULL", "everyone, after a restore"),
        ("FROM sign_in_locks WHERE ends_at > $1", "the same"),
        ("FROM journeys WHERE next_due_at IS NOT NULL AND next_due_at <= $1", "candidates"),
        (
            "UPDATE journeys SET next_due_at = $1 WHERE next_due_at IS NOT NULL",
            "everyone, after an outage or a restore"
        ),
        ("UPDATE alerts SET next_due_at = $1 WHERE next_due_at", "the same"),
        ("FROM journeys WHERE ended_at IS NULL AND user_id > $1", "everyone, after a wrong time"),
        ("FROM email_addresses WHERE lower(address) = $1", "whose an invited address is"),
        ("<= $1 LIMIT $2", "clean-up"),
        ("guest_since IS NOT NULL AND phone_number LIKE $1", "guests who can't be told"),
        ("FROM invitations WHERE phone_number = $1 AND state = 'pending'", "whoever invited"),
        ("WHERE alert_user_id = $1 AND alert_id = $2 LIMIT $3)", "clean-up"),
        ("FROM phone_numbers WHERE phone_number > $1 ORDER BY", "everyone, once"),
        ("FROM users WHERE id > $1", "everyone, for an announcement and a migration"),
        ("FROM phone_numbers WHERE phone_number >= $1", "countries, and an administrator's search"),
        ("FROM name_entries WHERE (entry, user_id) > ($1, $2)", "an administrator's search"),
        ("WHERE failing_since IS NOT NULL ORDER BY failing_since", "an administrator's look"),
        ("FROM schedules WHERE user_id > $1 AND next_due_at IS NOT NULL", "the same"),
        ("FROM alerts WHERE ended_at IS NULL AND (user_id, id) > ($1, $2)", "the same"),
        ("FROM invitations WHERE user_id > $1 ORDER BY user_id", "everyone, once"),
        ("FROM push_subscriptions WHERE COALESCE(checked_at", "devices to be tested"),
        ("FROM app_endpoints WHERE COALESCE(checked_at", "devices to be tested"),
        ("WHERE failing_since > $1 AND failing_since <= $2", "endpoints that fail for an hour"),
        ("WHERE e.failing_since <= $1 AND (u.unreachable_told_at", "the same, after a start"),
        ("WHERE refresh_expires_at > $1 AND (refresh_expires_at <= $2", "sessions that end soon"),
        ("(user_id, id) > ($1, $2) ORDER BY user_id, id LIMIT $3", "everyone, after a new key"),
        ("FROM blocks WHERE (blocker_id, blocked_id) > ($1, $2)", "the same"),
        ("FROM recovery_codes WHERE substr(hash", "the same"),
    ]

    /// Returns the tables whose key the statement omits, and the parts that a sharded database
    /// would reject.
    public static func violations(in statement: String) -> [String] {
        let sql = statement.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        return refusedParts(sql) + tablesWithoutKey(sql)
    }

    /// Finds the forms that Citus 13.2 rejects: `CASE column WHEN value` with parameters in an
    /// update, and a subquery that refers to a joined list of values.
    private static func refusedParts(_ sql: String) -> [String] {
        let cases = sql.matches(of: /CASE (?!WHEN )[^ ]+/).map { String($0.0) }
        let lists = sql.matches(of: /unnest\([^)]*\)(?: WITH ORDINALITY)?(?: AS)? ([a-z_]+)/)
        let subqueries = subqueries(of: sql)
        return cases
            + lists.compactMap { match in
                let isUsed = subqueries.contains { $0.contains("\(match.1).") }
                return isUsed ? "a subquery with \(match.1)" : nil
            }
    }

    /// Returns each `(SELECT …)` up to its closing parenthesis.
    private static func subqueries(of sql: String) -> [Substring] {
        sql.ranges(of: "(SELECT ").map { start in
            var depth = 0
            let end = sql[start.lowerBound...].firstIndex { character in
                if character == "(" { depth += 1 }
                if character == ")" { depth -= 1 }
                return depth == 0
            }
            return sql[start.lowerBound..<(end ?? sql.endIndex)]
        }
    }

    private static func tablesWithoutKey(_ sql: String) -> [String] {
        guard ["SELECT", "INSERT", "UPDATE", "DELETE", "WITH"].contains(where: sql.hasPrefix),
            !exceptions.contains(where: { sql.contains($0.part) })
        else { return [] }
        return inserted(sql)
            + references(sql).filter { !names($0.table, $0.alias, sql) }.map(\.table)
    }

    private static func key(of table: String) -> String? {
        personColumns[table] ?? valueColumns[table]
    }

    /// Returns the tables into which the statement inserts rows without the key.
    private static func inserted(_ sql: String) -> [String] {
        sql.matches(of: /INSERT INTO ([a-z_]+)(?: \(([^)]*)\))?/).compactMap { match in
            let table = String(match.1)
            guard let key = key(of: table) else {
                return serverWide.contains(table) ? nil : table
            }
            let columns = match.2?.split(separator: ", ") ?? []
            return columns.contains(Substring(key)) ? nil : table
        }
    }

    /// Returns the tables that a statement reads or updates, without joined lists of values
    /// (`unnest(…)`).
    private static func references(_ sql: String) -> [(table: String, alias: String?)] {
        sql.matches(of: /(?:FROM|JOIN|UPDATE) ([a-z_]+)\b(?!\()(?: (?:AS )?([a-z]+)\b)?/).map {
            (String($0.1), $0.2.map(String.init))
        }
    }

    private static func names(_ table: String, _ alias: String?, _ sql: String) -> Bool {
        if serverWide.contains(table) { return true }
        guard let key = key(of: table) else { return false }
        let name = alias.map { "\($0)\\.\(key)" } ?? "(?<![\\w.])(?:\(table)\\.)?\(key)"
        // The key must equal a value, one of a list of values, or the same person's key in another
        // table.
        return [
            "\(name) (?:= (?:ANY\\()?\\$|IN \\(\\$)", "\(name) = [a-z]+\\.(?:user_id|id)\\b",
        ].contains { sql.range(of: $0, options: .regularExpression) != nil }
    }
}
