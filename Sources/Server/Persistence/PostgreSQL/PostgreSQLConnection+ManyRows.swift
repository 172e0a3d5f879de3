import Domain
import Foundation

/// Many rows with one statement each.
extension PostgreSQLConnection {
    var takesLists: Bool { true }

    /// Sends the rows; an error is that of the next statement.
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

    /// The numbers come from a row for each user, which is locked until the commit: in the order of
    /// the users, so that two transactions never wait for each other.
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

    func pruneEvents(_ newest: [(user: UserID, number: Int64)], until time: Date) throws {
        try send(
            """
            DELETE FROM events e USING unnest($1::bytea[], $2::bigint[]) AS grown (user_id, number)
            WHERE e.user_id = grown.user_id AND e.sequence < grown.number AND e.sequence <=
                (SELECT MAX(old.sequence) FROM events old WHERE old.user_id = grown.user_id
                    AND old.sequence < grown.number AND old.happened_at <= $3)
            """,
            [
                .list(newest.map { .id($0.user) }), .list(newest.map { .integer($0.number) }),
                .date(time),
            ])
    }

    func deleteEvents(of user: UserID) throws {
        try send("DELETE FROM event_numbers WHERE user_id = $1", [.id(user)])
        try send("DELETE FROM events WHERE user_id = $1", [.id(user)])
    }
}
