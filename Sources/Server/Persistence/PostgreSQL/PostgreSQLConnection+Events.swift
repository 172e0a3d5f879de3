import Domain
import Foundation

extension PostgreSQLConnection {
    /// The numbers come from a row for each user, which is locked until the commit.
    func append(
        _ events: [(user: UserID, event: EncodedEvent)], at time: Date
    ) throws -> [Int64] {
        let counts = Dictionary(events.map { ($0.user, 1) }, uniquingKeysWith: +)
        let users = counts.keys.sorted { $0.uuid < $1.uuid }
        let newest = try batch(
            """
            INSERT INTO event_numbers (user_id, newest) VALUES ($1, $2)
            ON CONFLICT (user_id) DO UPDATE SET newest = event_numbers.newest + $2
            RETURNING newest
            """, users.map { [.id($0), .int(counts[$0] ?? 0)] }
        ) { row -> Int64 in try row["newest"] }
        var next: [UserID: Int64] = [:]
        for (user, newest) in zip(users, newest) {
            guard let newest else { throw DatabaseError.failed("an event got no number") }
            next[user] = newest - Int64(counts[user] ?? 0)
        }
        return try events.map { user, event in
            let number = (next[user] ?? 0) + 1
            next[user] = number
            try send(
                """
                INSERT INTO events (user_id, sequence, kind, happened_at, data)
                VALUES ($1, $2, $3, $4, $5)
                """,
                [
                    .id(user), .integer(number), .text(event.kind.rawValue), .date(time),
                    .text(event.data),
                ])
            return number
        }
    }

    func deleteEvents(of user: UserID) throws {
        try send("DELETE FROM event_numbers WHERE user_id = $1", [.id(user)])
        try execute("DELETE FROM events WHERE user_id = $1", [.id(user)])
    }
}
