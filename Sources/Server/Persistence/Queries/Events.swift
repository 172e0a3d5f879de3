import Domain
import Foundation

extension SQLConnection {
    /// Appends events. Counts on from the newest event, which is safe with a single writer.
    public func append(
        _ events: [(user: UserID, event: EncodedEvent)], at time: Date
    ) throws -> [Int64] {
        try events.map { user, event in
            let number: Int64? = try value(
                """
                INSERT INTO events (user_id, sequence, kind, happened_at, data)
                SELECT $1, COALESCE(MAX(sequence), 0) + 1, $2, $3, $4 FROM events
                WHERE user_id = $1
                RETURNING sequence
                """,
                [.id(user), .text(event.kind.rawValue), .date(time), .text(event.data)])
            guard let number else { throw DatabaseError.failed("an event got no number") }
            return number
        }
    }

    public func deleteEvents(of user: UserID) throws {
        try execute("DELETE FROM events WHERE user_id = $1", [.id(user)])
    }

    /// Deletes the expired events at the start of the log. The newest event stays, because the next
    /// number follows from it. If the clock was set back, an expired event may follow events that
    /// haven't expired. It stays, too, so that the log is complete.
    public func pruneEvents(_ newest: [(user: UserID, number: Int64)], until time: Date) throws {
        for (user, number) in newest {
            try execute(Self.pruning, [.id(user), .integer(number), .date(time)])
        }
    }

    /// The statement of `pruneEvents`. It reads only one row more than it deletes.
    static var pruning: String {
        """
        DELETE FROM events WHERE user_id = $1 AND sequence < COALESCE(
            (SELECT sequence FROM events WHERE user_id = $1 AND sequence < $2 AND
                happened_at > $3 ORDER BY sequence LIMIT 1), $2)
        """
    }

    public func events(of user: UserID, after sequence: Int64, limit: Int) throws -> [StoredEvent] {
        try query(
            """
            SELECT sequence, kind, data FROM events WHERE user_id = $1 AND sequence > $2
            ORDER BY sequence LIMIT $3
            """,
            [.id(user), .integer(sequence), .int(limit)]
        ) { row in
            guard let kind = UserEvent.Kind(rawValue: try row["kind"]) else {
                throw DatabaseError.unreadable("an event of an unknown kind")
            }
            let data: String = try row["data"]
            let notificationID: NotificationID? =
                if kind == .notification,
                    case .notification(let item) = try UserEvent(kind: kind, data: data)
                { item.id } else { nil }
            return StoredEvent(
                userID: user, sequence: try row["sequence"], kind: kind, data: data,
                notificationID: notificationID)
        }
    }

    /// Returns the first and the last sequence number of the log; nil if it is empty.
    public func eventRange(of user: UserID) throws -> ClosedRange<Int64>? {
        try first(
            """
            SELECT MIN(sequence) AS first, MAX(sequence) AS last FROM events WHERE user_id = $1
            """,
            [.id(user)]
        ) { row -> ClosedRange<Int64>? in
            guard let first: Int64 = try row["first"] else { return nil }
            return try first...row["last"]
        } ?? nil
    }
}
