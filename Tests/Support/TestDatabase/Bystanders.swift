import Domain
import Foundation
import Persistence
import Synchronization

/// Bystanders: additional people in the same state as a test's own. In a test with one person, they
/// catch a statement that isn't restricted to that person's rows.
///
/// Each row about a person is copied for that person's bystander, with the same ids and values.
/// Changes of the row are copied, too; deletions aren't. A statement that changes, deletes or adds
/// a bystander's row fails. A statement that reads one finds a row too many.
///
/// Some queries search all people (`ShardingRules.exceptions`). They don't find bystanders, whose
/// rows are never due, never expire, and have other phone numbers. Bystanders exist only on SQLite,
/// because both engines run the same statements.
public enum Bystanders {
    /// The beginning of the message if a statement fails because of a bystander.
    public static let refusal = "This statement is about a bystander: it does not name its people"

    /// The expiry in bystanders' rows where one is required: the year 3000.
    public static let end = Date(milliseconds: 32_503_680_000_000)

    /// The columns with ids of people, in addition to the tables' keys.
    private static let people: Set = [
        "user_id", "other_id", "contact_id", "responder_id", "dependent_id", "blocker_id",
        "blocked_id", "alert_user_id", "owner_id", "person_id", "about_user_id", "acknowledged_by",
        "reported_by",
    ]

    /// A server searches all people by these columns. The values hide bystanders' rows.
    private static let hidden = [
        "alerts.next_due_at": "NULL", "alerts.next_call_at": "NULL",
        "schedules.next_due_at": "NULL", "journeys.next_due_at": "NULL",
        "journeys.ended_at": "NULL", "sources.silent_at": "NULL",
        "drills.next_due_at": "NULL", "pings.expires_at": never,
        "sessions.refresh_expires_at": never,
        "deliveries.priority": "99", "users.guest_since": "NULL",
        "users.phone_number": "'~' || NEW.phone_number",
        "invitations.phone_number": "'~' || NEW.phone_number",
        "email_addresses.address": "'~' || NEW.address", "email_addresses.failing_since": "NULL",
        "devices.failing_since": "NULL", "push_subscriptions.failing_since": "NULL",
        "app_endpoints.failing_since": "NULL", "push_subscriptions.checked_at": never,
        "app_endpoints.checked_at": never, "drills.started_at": never,
        "drill_answers.started_at": never, "firestore_changes.next_try_at": never,
    ]
    private static let never = "\(end.milliseconds)"

    /// The same for each database.
    private static let triggers = Mutex<[String]?>(nil)

    /// Adds the triggers to an empty SQLite database.
    static func install(in connection: any SQLConnection) throws {
        let triggers = try triggers.withLock { known in
            let made = try known ?? makeTriggers(connection)
            known = made
            return made
        }
        for statement in triggers { try connection.execute(statement, []) }
    }

    /// Returns the statement without bystanders' rows, for a test's query about all people.
    public static func left(outOf sql: String) -> String {
        guard !TestDatabase.isPostgreSQL else { return sql }
        return sql.replacing(#/\b(FROM|JOIN) ([a-z_]+)(?: (?:AS )?([a-z]+)\b)?/#) { match in
            let (table, alias) = (String(match.output.2), match.output.3.map(String.init))
            guard let key = ShardingRules.personColumns[table] else {
                return String(match.output.0)
            }
            let rows = "(SELECT * FROM \(table) WHERE NOT \(isBystander(key)))"
            return "\(match.output.1) \(rows) AS \(alias ?? table)"
        }
    }

    // MARK: The triggers

    private static func makeTriggers(_ connection: any SQLConnection) throws -> [String] {
        var statements = [
            // `is_on` is 1 while a trigger copies a change.
            "CREATE TABLE bystander_turns (is_on INTEGER NOT NULL)",
            "INSERT INTO bystander_turns (is_on) VALUES (0)",
        ]
        for (table, key) in ShardingRules.personColumns.sorted(by: { $0.key < $1.key }) {
            // Some tables exist only on PostgreSQL.
            guard let table = try Table(table, key, connection) else { continue }
            statements += table.triggers
        }
        return statements
    }

    /// Returns the id of a person's bystander, as SQL.
    private static func bystander(_ id: String) -> String {
        "CAST(substr(\(id), 1, 6) || x'FF' || substr(\(id), 8) AS BLOB)"
    }

    /// A bystander's id has 0xFF as its seventh byte. Random ids never do.
    private static func isBystander(_ id: String) -> String { "substr(\(id), 7, 1) = x'FF'" }

    private struct Table {
        let name: String
        let key: String
        let columns: [String]
        let primaryKey: [String]
        /// SQL conditions. Each says that a row exists that the new row refers to.
        let parents: [String]

        /// Returns nil if the database doesn't have this table.
        init?(_ name: String, _ key: String, _ connection: any SQLConnection) throws {
            (self.name, self.key) = (name, key)
            let columns = try connection.query(
                "SELECT name, pk FROM pragma_table_info('\(name)') ORDER BY cid", []
            ) { (name: try $0["name"] as String, key: try $0["pk"] as Int) }
            guard !columns.isEmpty else { return nil }
            self.columns = columns.map(\.name)
            primaryKey = columns.filter { $0.key > 0 }.map(\.name)
            let references = try connection.query(
                """
                SELECT id, "table", "from", "to" FROM pragma_foreign_key_list('\(name)')
                ORDER BY id, seq
                """, []
            ) { row in
                let (from, to): (String, String) = (try row["from"], try row["to"])
                return (
                    parent: "\(try row["id"] as Int) \(try row["table"] as String)",
                    condition: "\(to) = \(Self.value(of: from, in: name, key: key))"
                )
            }
            parents = Dictionary(grouping: references, by: \.parent).sorted { $0.key < $1.key }.map
            {
                let table = $0.key.split(separator: " ")[1]
                let condition = $0.value.map(\.condition).joined(separator: " AND ")
                return "EXISTS (SELECT 1 FROM \(table) WHERE \(condition))"
            }
        }

        /// Returns the value of a column in the bystander's row, given its value in `NEW`.
        private static func value(of column: String, in table: String, key: String) -> String {
            if let value = hidden["\(table).\(column)"] { return value }
            guard column == key || people.contains(column) else { return "NEW.\(column)" }
            return
                "CASE WHEN NEW.\(column) IS NOT NULL THEN \(bystander("NEW.\(column)")) END"
        }

        private func value(of column: String) -> String {
            Self.value(of: column, in: name, key: key)
        }

        var triggers: [String] {
            let values = columns.map(value).joined(separator: ", ")
            let conditions = (["NOT \(isBystander("NEW.\(key)"))"] + parents)
            let changes = columns.filter { !primaryKey.contains($0) }
            let assignments = changes.map { "\($0) = \(value(of: $0))" }.joined(separator: ", ")
            let row = primaryKey.map { "\($0) = \(value(of: $0))" }.joined(separator: " AND ")
            return [
                trigger(
                    "INSERT", "NEW",
                    """
                    INSERT OR IGNORE INTO \(name) (\(columns.joined(separator: ", ")))
                    SELECT \(values) WHERE \(conditions.joined(separator: " AND "));
                    """),
                trigger("DELETE", "OLD", ""),
            ]
                + (changes.isEmpty
                    ? []
                    : [
                        trigger(
                            "UPDATE", "OLD",
                            """
                            UPDATE OR IGNORE \(name) SET \(assignments)
                            WHERE NOT \(isBystander("NEW.\(key)")) AND \(row);
                            """)
                    ])
        }

        /// Returns a trigger that rejects a statement about a bystander. It copies a statement
        /// about a person for that person's bystander.
        private func trigger(_ event: String, _ row: String, _ repetition: String) -> String {
            """
            CREATE TRIGGER bystanders_\(name)_\(event.lowercased()) AFTER \(event) ON \(name)
            WHEN (SELECT is_on FROM bystander_turns) = 0
            BEGIN
                SELECT RAISE(ABORT, '\(refusal) (\(event) of \(name))')
                WHERE \(isBystander("\(row).\(key)"));
                UPDATE bystander_turns SET is_on = 1;
                \(repetition)
                UPDATE bystander_turns SET is_on = 0;
            END
            """
        }
    }
}
