import Domain
import Foundation

/// Handles many rows with one statement.
extension PostgreSQLConnection {
    var takesLists: Bool { true }

    /// Sends the rows. If that causes an error, the next statement throws it.
    func insert(into table: String, _ columns: [String], _ rows: [[SQLValue]]) throws {
        guard rows.count > 1 else {
            for row in rows { try send(Self.insertion(into: table, columns), row) }
            return
        }
        let types = try parameterTypes(of: Self.insertion(into: table, columns))
        let lists = types.enumerated().map { "$\($0 + 1)::\(PostgreSQLStatement.name(of: $1))[]" }
        try send(
            """
            INSERT INTO \(table) (\(columns.joined(separator: ", ")))
            SELECT * FROM unnest(\(lists.joined(separator: ", ")))
            """, columns.indices.map { column in .list(rows.map { $0[column] }) })
    }

    /// Takes the numbers from one counter row per user. Each row stays locked until the commit. The
    /// locks are taken in the order of the users, so two transactions can't deadlock.
    func append(
        _ events: [(user: UserID, event: EncodedEvent)], at time: Date
    ) throws -> [Int64] {
        let counts = Dictionary(events.map { ($0.user, 1) }, uniquingKeysWith: +)
        let users = counts.keys.sorted { $0.uuid < $1.uuid }
        let newest = try query(
            """
            INSERT INTO event_numbers (user_id, newest)
            SELECT * FROM unnest($1::bytea[], $2::bigint[])
            ON CONFLICT (user_id) DO UPDATE SET newest = event_numbers.newest + EXCLUDED.newest
            RETURNING user_id, newest
            """,
            [.list(users.map { .id($0) }), .list(users.map { .int(counts[$0] ?? 0) })]
        ) { (try $0["user_id"] as UserID, try $0["newest"] as Int64) }
        var next = Dictionary(newest, uniquingKeysWith: max)
        for (user, count) in counts { next[user, default: 0] -= Int64(count) }
        let numbers = events.map { user, _ in
            next[user, default: 0] += 1
            return next[user] ?? 0
        }
        try insert(
            into: "events", ["user_id", "sequence", "kind", "happened_at", "data"],
            zip(events, numbers).map { event, number in
                [
                    .id(event.user), .integer(number), .text(event.event.kind.rawValue),
                    .date(time), .text(event.event.data),
                ]
            })
        return numbers
    }

    /// Sends one statement per log, all in one round trip. One statement for all logs isn't
    /// possible, because a shard rejects a statement whose subquery reads a list of people.
    func pruneEvents(_ newest: [(user: UserID, number: Int64)], until time: Date) throws {
        for (user, number) in newest {
            try send(Self.pruning, [.id(user), .integer(number), .date(time)])
        }
    }

    func deleteEvents(of user: UserID) throws {
        try send("DELETE FROM event_numbers WHERE user_id = $1", [.id(user)])
        try send("DELETE FROM events WHERE user_id = $1", [.id(user)])
    }
}
