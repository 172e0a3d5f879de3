import Domain
import Foundation

public struct SourceRow: Sendable, Equatable {
    public var source: CheckInSource
    /// The hash of the secret in the source's address.
    public var hash: Data
    /// nil before the first use.
    public var habit: SourceHabit?
    /// When to tell the owner that the source is silent; nil if there is nothing to tell.
    public var silentAt: Date?

    public init(
        source: CheckInSource, hash: Data, habit: SourceHabit? = nil, silentAt: Date? = nil
    ) {
        self.source = source
        self.hash = hash
        self.habit = habit
        self.silentAt = silentAt
    }

    fileprivate static let columns =
        "id, name, hash, created_at, last_used_at, last_day, days_before, silent_at"

    fileprivate init(_ row: SQLRow) throws {
        source = CheckInSource(
            id: try row["id"], name: try row["name"], createdAt: try row["created_at"],
            lastUsedAt: try row["last_used_at"])
        hash = try row["hash"]
        let (day, before): (Int?, Int?) = (try row["last_day"], try row["days_before"])
        habit = day.map { SourceHabit(lastDay: $0, daysBefore: before ?? 0) }
        silentAt = try row["silent_at"]
    }
}

extension SQLConnection {
    /// Returns a person's sources, the oldest first.
    public func sources(of user: UserID) throws -> [CheckInSource] {
        try query(
            """
            SELECT \(SourceRow.columns) FROM sources WHERE user_id = $1 ORDER BY created_at, id
            """,
            [.id(user)]
        ) { try SourceRow($0).source }
    }

    public func source(_ id: SourceID, of user: UserID) throws -> SourceRow? {
        try first(
            "SELECT \(SourceRow.columns) FROM sources WHERE user_id = $1 AND id = $2",
            [.id(user), .id(id)], SourceRow.init)
    }

    public func source(hash: Data, of user: UserID) throws -> SourceRow? {
        try first(
            "SELECT \(SourceRow.columns) FROM sources WHERE user_id = $1 AND hash = $2",
            [.id(user), .blob(hash)], SourceRow.init)
    }

    /// Returns the person whose source has this secret.
    public func owner(ofSource hash: Data) throws -> UserID? {
        try value("SELECT user_id FROM source_hashes WHERE hash = $1", [.blob(hash)])
    }

    /// Returns sources whose owners are to be told that they are silent.
    public func silentSources(limit: Int) throws -> [(user: UserID, id: SourceID)] {
        try query(
            """
            SELECT user_id, id FROM sources WHERE silent_at IS NOT NULL AND silent_at <= $1
            ORDER BY silent_at LIMIT $2
            """,
            [.date(now), .int(limit)]
        ) { (user: try $0["user_id"], id: try $0["id"]) }
    }
}

extension Transaction {
    public func insert(_ row: SourceRow, of user: UserID) throws {
        try execute(
            "INSERT INTO source_hashes (hash, user_id) VALUES ($1, $2)",
            [.blob(row.hash), .id(user)])
        try execute(
            """
            INSERT INTO sources (user_id, id, name, hash, created_at) VALUES ($1, $2, $3, $4, $5)
            """,
            [
                .id(user), .id(row.source.id), .text(row.source.name), .blob(row.hash),
                .date(row.source.createdAt),
            ])
    }

    /// Saves a use, or that the owner was told of the silence.
    public func save(_ row: SourceRow, of user: UserID) throws {
        try execute(
            """
            UPDATE sources SET last_used_at = $1, last_day = $2, days_before = $3, silent_at = $4
            WHERE user_id = $5 AND id = $6
            """,
            [
                .date(row.source.lastUsedAt), row.habit.map { .int($0.lastDay) } ?? .null,
                row.habit.map { .int($0.daysBefore) } ?? .null, .date(row.silentAt), .id(user),
                .id(row.source.id),
            ])
    }

    public func delete(_ row: SourceRow, of user: UserID) throws {
        try deleteValues([.blob(row.hash)], from: "source_hashes", by: "hash")
        try execute(
            "DELETE FROM sources WHERE user_id = $1 AND id = $2", [.id(user), .id(row.source.id)])
    }
}
