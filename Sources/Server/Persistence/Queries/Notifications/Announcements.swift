import Domain
import Foundation

/// An announcement, and how far it was told.
public struct AnnouncementRow: Sendable, Equatable {
    public var id: UUID
    public var text: String
    public var maintenance: Maintenance?
    public var createdAt: Date
    /// The last person who was told, in the order of ids; nil before the first one.
    public var toldUpTo: UserID?
    public var isDone = false

    public init(id: AdminActID, text: String, maintenance: Maintenance?, createdAt: Date) {
        self.id = id.uuid
        self.text = text
        self.maintenance = maintenance
        self.createdAt = createdAt
    }

    /// The last 8 bytes of the id, which `ServerState` can hold.
    public var number: Int64 {
        withUnsafeBytes(of: id.uuid) { bytes in
            bytes.suffix(8).reduce(Int64(0)) { ($0 << 8) | Int64($1) }
        }
    }

    fileprivate static let columns =
        "id, text, begins_at, ends_at, created_at, told_up_to, is_done"

    fileprivate init(_ row: SQLRow) throws {
        id = try row["id"]
        text = try row["text"]
        let (from, until): (Date?, Date?) = (try row["begins_at"], try row["ends_at"])
        maintenance = from.flatMap { from in until.map { Maintenance(from: from, until: $0) } }
        createdAt = try row["created_at"]
        toldUpTo = try row["told_up_to"]
        isDone = try row["is_done"]
    }
}

extension SQLConnection {
    /// Returns the oldest announcement that not everyone was told of.
    public func waitingAnnouncement() throws -> AnnouncementRow? {
        try first(
            """
            SELECT \(AnnouncementRow.columns) FROM announcements WHERE is_done = 0
            ORDER BY created_at, id LIMIT 1
            """, [], AnnouncementRow.init)
    }

    /// Returns the next maintenance that isn't over.
    public func announcedMaintenance() throws -> Maintenance? {
        try first(
            """
            SELECT \(AnnouncementRow.columns) FROM announcements WHERE ends_at > $1
            ORDER BY begins_at, id LIMIT 1
            """, [.date(now)]
        ) { try AnnouncementRow($0).maintenance } ?? nil
    }

    /// Returns a page of all people, with guests, in the order of their ids.
    public func people(after user: UserID?, limit: Int) throws -> [UserRow] {
        try query(
            "SELECT \(UserRow.columns) FROM users WHERE id > $1 ORDER BY id LIMIT $2",
            [user.map { .id($0) } ?? .blob(Data()), .int(limit)], UserRow.init)
    }
}

extension Transaction {
    public func insert(_ row: AnnouncementRow) throws {
        try execute(
            """
            INSERT INTO announcements (id, text, begins_at, ends_at, created_at, is_done)
            VALUES ($1, $2, $3, $4, $5, 0)
            """,
            [
                .uuid(row.id), .text(row.text), .date(row.maintenance?.from),
                .date(row.maintenance?.until), .date(row.createdAt),
            ])
    }

    public func save(_ row: AnnouncementRow) throws {
        try execute(
            "UPDATE announcements SET told_up_to = $1, is_done = $2 WHERE id = $3",
            [.id(row.toldUpTo), .bool(row.isDone), .uuid(row.id)])
    }
}
