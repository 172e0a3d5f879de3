import Domain
import Foundation

extension SQLConnection {
    /// Returns all present and former contacts of a person.
    public func acquaintances(of user: UserID) throws -> [UserID] {
        try values("SELECT other_id FROM acquaintances WHERE user_id = $1", [.id(user)])
    }
}

extension Transaction {
    /// Records that rows of each person may name the other.
    func insertAcquaintance(_ one: UserID, _ other: UserID) throws {
        try execute(
            """
            INSERT INTO acquaintances (user_id, other_id) VALUES ($1, $2), ($2, $1)
            ON CONFLICT (user_id, other_id) DO NOTHING
            """,
            [.id(one), .id(other)])
    }
}
