import Domain
import Foundation

extension SQLConnection {
    /// Appends events in SQLite's form. Counts on from the newest event, which is safe with a
    /// single writer. Uses neither a subquery nor RETURNING: with them, SQLite copies pages at each
    /// row.
    public func append(
        _ events: [(user: UserID, event: EncodedEvent)], at time: Date
    ) throws -> [Int64] {
        var newest: [UserID: Int64] = [:]
        let numbers = try events.map { user, _ in
            let number = try (newest[user] ?? newestEvent(of: user)) + 1
            newest[user] = number
            return number
        }
        try insert(
            into: "events", ["user_id", "sequence", "kind", "happened_at", "data"],
            zip(events, numbers).map { event, number in
                let (kind, data) = event.event.columns(in: event.user, at: time)
                return [.id(event.user), .integer(number), .text(kind), .date(time), .text(data)]
            })
        return numbers
    }

    /// Returns the number of a person's newest event; 0 if there is none.
    private func newestEvent(of user: UserID) throws -> Int64 {
        try value("SELECT MAX(sequence) FROM events WHERE user_id = $1", [.id(user)]) ?? 0
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

    public func events(of user: UserID, after sequence: Int64, limit: Int) throws -> EventPage {
        let rows = try query(
            """
            SELECT sequence, kind, happened_at, data FROM events
            WHERE user_id = $1 AND sequence > $2 ORDER BY sequence LIMIT $3
            """,
            [.id(user), .integer(sequence), .int(limit)]
        ) { (number: try $0["sequence"] as Int64, event: try? StoredEvent($0, of: user)) }
        return EventPage(
            events: rows.compactMap(\.event), end: rows.last?.number ?? sequence,
            isLast: rows.count < limit)
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

/// A log that has expired events besides its newest one.
public struct ExpiredLog: Sendable {
    public let user: UserID
    public let newest: Int64
    /// The number of its events, expired or not.
    public let length: Int
}

extension SQLConnection {
    /// Returns a page of the ids of all people, guests included, in ascending order.
    public func userIDs(after user: UserID?, limit: Int) throws -> [UserID] {
        try values(
            "SELECT id FROM users WHERE id > $1 ORDER BY id LIMIT $2",
            [user.map { .id($0) } ?? .blob(Data()), .int(limit)])
    }

    /// Returns these people's logs whose oldest event has expired, in ascending order of the ids.
    public func expiredLogs(of people: [UserID], until time: Date) throws -> [ExpiredLog] {
        try query(
            about: people.sorted(),
            {
                """
                SELECT id AS user_id,
                    (SELECT MAX(sequence) FROM events WHERE user_id = users.id) AS newest,
                    (SELECT COUNT(*) FROM events WHERE user_id = users.id) AS length
                FROM users
                WHERE (SELECT happened_at FROM events WHERE user_id = users.id
                       ORDER BY sequence LIMIT 1) <= $1
                    AND id \($0)
                """
            }, [.date(time)]
        ) { row in
            ExpiredLog(
                user: try row["user_id"], newest: try row["newest"], length: try row["length"])
        }
        .filter { $0.length > 1 }.sorted { $0.user < $1.user }
    }
}

extension Transaction {
    /// Deletes the events before the newest one.
    /// - Parameter new: the number of the first event that this transaction has appended. It stays,
    ///   and so does the one before it. nil if there is none.
    func shortenLog(of user: UserID, before new: Int64?) throws {
        if let new {
            try send(
                "DELETE FROM events WHERE user_id = $1 AND sequence < $2",
                [.id(user), .integer(new - 1)])
        } else {
            try send(
                """
                DELETE FROM events WHERE user_id = $1
                    AND sequence < (SELECT MAX(sequence) FROM events WHERE user_id = $1)
                """, [.id(user)])
        }
    }
}

extension EncodedEvent {
    /// The columns `kind` and `data` of SQLite.
    fileprivate func columns(in log: UserID, at time: Date) -> (kind: String, data: String) {
        guard let checkIn else { return (kind.rawValue, data) }
        return (ShortCheckIn.kind, ShortCheckIn.text(of: checkIn, in: log, at: time))
    }
}

extension StoredEvent {
    fileprivate init(_ row: SQLRow, of user: UserID) throws {
        let sequence: Int64 = try row["sequence"]
        let kindText: String = try row["kind"]
        let time: Date = try row["happened_at"]
        let data: String = try row["data"]
        guard kindText != ShortCheckIn.kind else {
            let checkIn = try ShortCheckIn.checkIn(data, in: user, at: time)
            self.init(
                userID: user, sequence: sequence, kind: .checkIn,
                data: try UserEvent.checkIn(checkIn).data())
            return
        }
        guard let kind = UserEvent.Kind(rawValue: kindText) else {
            throw DatabaseError.unreadable("an event of an unknown kind")
        }
        let notificationID: NotificationID? =
            if kind == .notification,
                case .notification(let item) = try UserEvent(kind: kind, data: data)
            { item.id } else { nil }
        self.init(
            userID: user, sequence: sequence, kind: kind, data: data,
            notificationID: notificationID)
    }
}
