import Domain
import Foundation

extension Migration {
    /// Administration: the log of acts, locked accounts, announcements, changes of numbers, and the
    /// index of names. An older server beside this one doesn't update the index. If a person
    /// changes the name there, only the old name finds them.
    static let administration = Migration(
        version: 29,
        statements: [
            // `user_id`: NULL for an act about nobody, and after the deletion of the account.
            """
            CREATE TABLE admin_acts (
                id BYTEA NOT NULL PRIMARY KEY CHECK (length(id) = 16),
                done_at BIGINT NOT NULL,
                kind TEXT NOT NULL,
                user_id BYTEA,
                reason TEXT NOT NULL,
                done_by TEXT NOT NULL
            ) /* clustered */
            """,
            "CREATE INDEX admin_acts_by_time ON admin_acts (done_at, id)",
            """
            CREATE INDEX admin_acts_by_user ON admin_acts (user_id, done_at)
            WHERE user_id IS NOT NULL
            """,
            "ALTER TABLE users ADD COLUMN locked_at BIGINT",
            // `entry`: UTF-8, because the engines compare bytes alike.
            """
            CREATE TABLE name_entries (
                entry BYTEA NOT NULL,
                user_id BYTEA NOT NULL,
                PRIMARY KEY (entry, user_id)
            ) /* clustered */
            """,
            // `told_up_to`: the last person who was told; NULL before the first one.
            """
            CREATE TABLE announcements (
                id BYTEA NOT NULL PRIMARY KEY CHECK (length(id) = 16),
                text TEXT NOT NULL,
                begins_at BIGINT,
                ends_at BIGINT,
                created_at BIGINT NOT NULL,
                told_up_to BYTEA,
                is_done BIGINT NOT NULL
            ) /* clustered */
            """,
            """
            CREATE TABLE number_moves (
                user_id BYTEA NOT NULL PRIMARY KEY,
                phone_number TEXT NOT NULL,
                due_at BIGINT NOT NULL
            ) /* clustered */
            """,
        ],
        oldestProgram: 5,
        finish: { connection in
            var last = UserID(UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)))
            while true {
                let page = try connection.query(
                    "SELECT id, name FROM users WHERE id > $1 ORDER BY id LIMIT 1000", [.id(last)]
                ) { (id: try $0["id"] as UserID, name: try $0["name"] as String) }
                guard let end = page.last?.id else { break }
                let rows: [[SQLValue]] = page.flatMap { person in
                    NameSearch.entries(of: person.name).map { [.blob($0), .id(person.id)] }
                }
                if !rows.isEmpty {
                    try connection.insert(into: "name_entries", ["entry", "user_id"], rows)
                }
                last = end
            }
        })
}
