import Domain
import Foundation

/// A request that a user has made, by its key.
public struct RequestKeyRow: Sendable, Equatable {
    /// The route, and what it was about.
    public var request: String
    /// The id of the result, when it differs from the key.
    public var outcome: UUID?

    public init(request: String, outcome: UUID? = nil) {
        self.request = request
        self.outcome = outcome
    }
}

extension SQLConnection {
    /// The earlier request with this key; nil when the key is new.
    public func requestKey(_ key: UUID, of user: UserID) throws -> RequestKeyRow? {
        try first(
            "SELECT request, outcome_id FROM request_keys WHERE user_id = $1 AND key = $2",
            [.id(user), .uuid(key)]
        ) { row in
            RequestKeyRow(request: try row["request"], outcome: try row["outcome_id"])
        }
    }
}

extension Transaction {
    /// Throws `uniqueViolation` for a key that is known.
    public func insert(_ row: RequestKeyRow, key: UUID, of user: UserID) throws {
        try execute(
            """
            INSERT INTO request_keys (user_id, key, request, outcome_id, happened_at)
            VALUES ($1, $2, $3, $4, $5)
            """,
            [
                .id(user), .uuid(key), .text(row.request), row.outcome.map { .uuid($0) } ?? .null,
                .date(now),
            ]
        )
    }
}
