import Domain
import Foundation

extension SQLConnection {
    public func checkIn(_ id: CheckInID, of user: UserID) throws -> CheckInRecord? {
        try first(
            """
            SELECT id, occurred_at, received_at, deadline_at, opens_at, source FROM check_ins
            WHERE user_id = $1 AND id = $2
            """,
            [.id(user), .id(id)], CheckInRecord.init
        )
    }

    /// Returns the check-in history, newest first. SQLite has no index by time, which each check-in
    /// would write to. It reads and sorts the person's history: 0.5 ms for 2,000 check-ins.
    public func checkIns(of user: UserID, page: Page) throws -> [CheckInRecord] {
        try query(
            """
            SELECT id, occurred_at, received_at, deadline_at, opens_at, source FROM check_ins
            WHERE user_id = $1 AND (occurred_at, id) < ($2, $3) ORDER BY occurred_at DESC, id DESC
            LIMIT $4
            """,
            [.id(user)] + page.bound + [.int(page.limit)], CheckInRecord.init
        )
    }
}

extension CheckInRecord {
    /// Stands in the column `deadline_at`, which can't be NULL, for a check-in without a deadline.
    fileprivate static let noDeadline = Date(milliseconds: 0)

    init(_ row: SQLRow) throws {
        let deadline: Date = try row["deadline_at"]
        self.init(
            id: try row["id"], occurredAt: try row["occurred_at"],
            receivedAt: try row["received_at"],
            nextCheckInTime: deadline == Self.noDeadline ? nil : deadline,
            opensAt: try row["opens_at"], source: try row["source"])
    }
}

extension Transaction {
    public func insert(_ record: CheckInRecord, of user: UserID) throws {
        try insert([(user, record)])
    }

    public func insert(_ records: [(user: UserID, record: CheckInRecord)]) throws {
        try insert(
            into: "check_ins",
            [
                "user_id", "id", "occurred_at", "received_at", "deadline_at", "opens_at", "source",
            ],
            records.map { user, record in
                [
                    .id(user), .id(record.id), .date(record.occurredAt), .date(record.receivedAt),
                    .date(record.nextCheckInTime ?? CheckInRecord.noDeadline),
                    .date(record.opensAt), record.source.map { .text($0) } ?? .null,
                ]
            })
    }
}
