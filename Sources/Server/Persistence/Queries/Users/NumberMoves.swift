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

    /// Returns the session that began the person's change; nil for an administrator's change.
    public func sessionOfNumberMove(of user: UserID) throws -> SessionID? {
        try value("SELECT session_id FROM number_moves WHERE user_id = $1", [.id(user)])
    }

    /// Whether another person's number waits for a change to this number. Reads all changes, which
    /// are few.
    public func isAwaited(_ number: PhoneNumber, byOthersThan user: UserID) throws -> Bool {
        try hasRow(
            "SELECT 1 FROM number_moves WHERE phone_number = $1 AND user_id <> $2 LIMIT 1",
            [.text(number.text), .id(user)])
    }

    /// Returns the first change to this number that waits, and whose it is; nil if none does.
    public func awaitedMove(to number: PhoneNumber) throws -> (user: UserID, time: Date)? {
        try first(
            """
            SELECT user_id, due_at FROM number_moves WHERE phone_number = $1
            ORDER BY due_at, user_id LIMIT 1
            """, [.text(number.text)]
        ) { (user: try $0["user_id"] as UserID, time: try $0["due_at"] as Date) }
    }

    /// Returns everyone whose number waits for a change.
    public func peopleWithNumberMove() throws -> [UserID] {
        try values("SELECT user_id FROM number_moves ORDER BY user_id", [])
    }

    /// Returns people whose change of number is due, in the order of their ids.
    public func dueNumberMoves(after user: UserID?, limit: Int) throws -> [UserID] {
        try values(
            """
            SELECT user_id FROM number_moves WHERE due_at <= $1 AND user_id > $2
            ORDER BY user_id LIMIT $3
            """,
            [.date(now), user.map { .id($0) } ?? .blob(Data()), .int(limit)])
    }
}

extension Transaction {
    /// - Parameter session: the session that began the change; nil for an administrator's change.
    public func insert(
        _ move: NumberMove, of user: UserID, begunBy session: SessionID? = nil
    ) throws {
        try execute(
            """
            INSERT INTO number_moves (user_id, phone_number, due_at, session_id)
            VALUES ($1, $2, $3, $4)
            """,
            [
                .id(user), .text(move.phoneNumber.text), .date(move.takesEffectAt), .id(session),
            ])
    }

    /// Returns false if there is none.
    public func deleteNumberMove(of user: UserID) throws -> Bool {
        try execute("DELETE FROM number_moves WHERE user_id = $1", [.id(user)]) > 0
    }

    /// Deletes the change that this session began. Returns false if there is none.
    public func deleteNumberMove(begunBy session: Caller) throws -> Bool {
        try execute(
            "DELETE FROM number_moves WHERE user_id = $1 AND session_id = $2",
            [.id(session.userID), .id(session.sessionID)]) > 0
    }
}
