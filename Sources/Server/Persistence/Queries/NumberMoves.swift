import Domain
import Foundation

extension SQLConnection {
    public func numberMove(of user: UserID) throws -> NumberMove? {
        try first(
            "SELECT phone_number, due_at FROM number_moves WHERE user_id = $1", [.id(user)]
        ) {
            NumberMove(
                phoneNumber: try PhoneNumber(try $0["phone_number"]),
                takesEffectAt: try $0["due_at"])
        }
    }

    /// Returns people whose change of number is due.
    public func dueNumberMoves(limit: Int) throws -> [UserID] {
        try values(
            "SELECT user_id FROM number_moves WHERE due_at <= $1 ORDER BY due_at LIMIT $2",
            [.date(now), .int(limit)])
    }
}

extension Transaction {
    public func insert(_ move: NumberMove, of user: UserID) throws {
        try execute(
            "INSERT INTO number_moves (user_id, phone_number, due_at) VALUES ($1, $2, $3)",
            [.id(user), .text(move.phoneNumber.text), .date(move.takesEffectAt)])
    }

    /// Returns false if there is none.
    public func deleteNumberMove(of user: UserID) throws -> Bool {
        try execute("DELETE FROM number_moves WHERE user_id = $1", [.id(user)]) > 0
    }
}
