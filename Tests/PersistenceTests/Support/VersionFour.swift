import Foundation
import GRDB

@testable import Persistence

/// A database file of the fourth schema, with rows in every table. Ada and Ben are each other's
/// responders. Ben has asked Cleo to be his responder. Ada has blocked a person who later deleted
/// the account.
enum VersionFour {
    static let leaver = UUID(uuid: (9, 0, 0, 0, 0, 0, 0x40, 0, 0x80, 0, 0, 0, 0, 0, 0, 9))

    static func write(_ path: String) throws {
        let queue = try DatabaseQueue(path: path)
        try queue.writeWithoutTransaction { database in
            let connection = SQLiteConnection(database: database, path: path, now: noon)
            try write(to: connection, .sqlite)
        }
        try queue.close()
    }

    static func write(to connection: some SQLConnection, _ dialect: Dialect) throws {
        try Migrator.migrate(connection, dialect: dialect, upTo: 4)
        for (sql, values) in people + relations + ledger + signIn {
            try connection.execute(sql, values)
        }
    }

    private static func hash(_ byte: UInt8) -> SQLValue { .blob(Data(repeating: byte, count: 32)) }
    private static func key(_ byte: UInt8) -> SQLValue {
        .blob(Data(repeating: byte, count: 16))
    }
    private static let time = SQLValue.date(noon)

    private static let people: [(String, [SQLValue])] =
        [
            (ada, "Ada", "+15550100001"), (ben, "Ben", "+15550100002"),
            (cleo, "Cleo", "+15550100003"),
        ]
        .flatMap { user, name, number -> [(String, [SQLValue])] in
            [
                (
                    """
                    INSERT INTO users (id, phone_number, name, emergency_note, picture_id, muted,
                        created_at)
                    VALUES ($1, $2, $3, 'A note', $1, 'ping', 7)
                    """, [.id(user), .text(number), .text(name)]
                ),
                (
                    "INSERT INTO schedules VALUES ($1, 86400, 1, 0, $2, 0, 0, NULL, $2, NULL)",
                    [.id(user), time]
                ),
                ("INSERT INTO check_ins VALUES ($1, $1, $2, $2, $2)", [.id(user), time]),
                ("INSERT INTO qr_codes VALUES ($1, $1, $2)", [.id(user), time]),
                (
                    "INSERT INTO pictures VALUES ($1, $1, 'image/png', $2)",
                    [.id(user), .blob(Data([1, 2]))]
                ),
                (
                    "INSERT INTO events VALUES ($1, 3, 'profileChanged', $2, '{}')",
                    [.id(user), time]
                ),
                ("INSERT INTO known_devices VALUES ($1, $2, $3)", [.id(user), hash(1), time]),
                (
                    "INSERT INTO request_keys VALUES ($1, $2, 'updateProfile', NULL, $3)",
                    [.id(user), key(1), time]
                ),
            ]
        }

    private static let relations: [(String, [SQLValue])] = [
        (
            "INSERT INTO contacts VALUES ($1, $2, 1, 1, 5, 6, NULL, NULL, NULL, NULL, 4)",
            [.id(ada), .id(ben)]
        ),
        (
            "INSERT INTO contacts VALUES ($1, $2, 0, 0, NULL, NULL, NULL, 'owner', NULL, 8, 7)",
            [.id(ben), .id(cleo)]
        ),
        (
            "INSERT INTO blocks VALUES ($1, $2, $3, 'Someone who has left', 3)",
            [.id(ada), .uuid(leaver), hash(3)]
        ),
        (
            "INSERT INTO pings VALUES ($1, $2, $3, 10, 20, 'pending', NULL)",
            [.id(ada), key(1), .id(ben)]
        ),
        (
            "INSERT INTO pings VALUES ($1, $2, $3, 11, 21, 'answered', 12)",
            [.id(ben), key(1), .id(ada)]
        ),
        // Two responders may choose the same id for their pings.
        (
            "INSERT INTO pings VALUES ($1, $2, $3, 13, 23, 'expired', 14)",
            [.id(cleo), key(1), .id(ada)]
        ),
    ]

    private static let ledger: [(String, [SQLValue])] = [
        (
            """
            INSERT INTO alerts (user_id, id, kind, started_at, received_at, told_late,
                escalation_from, repeats, owner_told, without_sms)
            VALUES ($1, $2, 'manual', $3, $3, 0, $3, 1, 0, 0)
            """, [.id(ada), key(4), time]
        ),
        (
            "INSERT INTO alert_actions VALUES ($1, $2, $3, $4, 'acknowledged', 'Ben')",
            [.id(ada), key(4), time, .id(ben)]
        ),
        (
            """
            INSERT INTO notifications (user_id, id, type, title, body, created_at, about_user_id)
            VALUES ($1, $2, 'alert', 'Help', 'Ada needs help', $3, $4)
            """, [.id(ben), key(5), time, .id(ada)]
        ),
        (
            """
            INSERT INTO deliveries (user_id, id, notification_id, channel, recipient_name,
                alert_user_id, alert_id, purpose, priority, state, attempts, useful_until,
                created_at, updated_at, provider_id)
            VALUES ($1, $2, $3, 'sms', 'Ben', $4, $5, 'alertBegin', 0, 'accepted', 1, $6, $6, $6,
                'SM-1')
            """, [.id(ben), key(6), key(5), .id(ada), key(4), time]
        ),
        ("INSERT INTO server_state VALUES ('epoch', 5)", []),
        ("INSERT INTO probes VALUES (1, $1)", [.blob(Data([0]))]),
    ]

    private static let signIn: [(String, [SQLValue])] = [
        (
            "INSERT INTO sessions VALUES ($1, $2, 'Phone', $3, $4, $5, $4, $4, $4, $6, $7)",
            [.id(ada), key(7), hash(11), time, hash(12), hash(13), hash(14)]
        ),
        // A session of a version that issued refresh tokens without a common prefix.
        (
            "INSERT INTO sessions VALUES ($1, $2, 'Old', $3, $4, $5, $4, $4, $4, NULL, NULL)",
            [.id(ben), key(7), hash(21), time, hash(22)]
        ),
        (
            "INSERT INTO used_refresh_tokens VALUES ($1, $2, $3)", [hash(23), .id(ben), key(7)]
        ),
        ("INSERT INTO web_sessions VALUES ($1, $2, $3)", [hash(31), .id(ada), key(7)]),
        (
            "INSERT INTO devices VALUES ($1, $2, $2, 'webhook', 'https://example.org', $3, "
                + "NULL, NULL, NULL, NULL)",
            [.id(ada), key(7), time]
        ),
        (
            """
            INSERT INTO sign_in_codes VALUES ($1, '+15550100001', $2, $2, $3, $3, 5, NULL, NULL, 0)
            """, [key(8), hash(8), time]
        ),
    ]
}
