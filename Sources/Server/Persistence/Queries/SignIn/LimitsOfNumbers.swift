import Domain
import Foundation

/// What a limit counted before its account was deleted. The rows are in `user_spending`, like paid
/// messages, but with the time of the act instead of a day.
public enum EarlierAct: String, Sendable {
    case invitation
    case emailCode
}

extension SQLConnection {
    /// Returns the times of a person's acts with earlier accounts of the same number.
    public func earlierTimes(
        of act: EarlierAct, by user: UserID, since time: Date
    ) throws -> [Date] {
        try query(
            """
            SELECT day, used FROM user_spending WHERE user_id = $1 AND channel = $2 AND day > $3
            """, [.id(user), .text(act.rawValue), .date(time)]
        ) { (time: try $0["day"] as Date, count: try $0["used"] as Int) }
        .flatMap { Array(repeating: $0.time, count: $0.count) }
    }

    /// Returns the times of a user's entered e-mail addresses.
    public func emailCodeTimes(userHash: Data, since time: Date) throws -> [Date] {
        try values(
            "SELECT created_at FROM email_codes WHERE user_hash = $1 AND created_at > $2",
            [.blob(userHash), .date(time)])
    }
}

extension Transaction {
    public func note(_ act: EarlierAct, at times: [Date], by user: UserID) throws {
        for time in times { try charge(1, for: act.rawValue, on: time, to: user) }
    }

    /// Moves paid messages and noted acts to another user id. Deletes those up to `time`.
    public func moveCharges(of user: UserID, to other: UserID, since time: Date) throws {
        let rows = try query(
            "SELECT day, channel, used FROM user_spending WHERE user_id = $1 AND day > $2",
            [.id(user), .date(time)]
        ) {
            (
                day: try $0["day"] as Date, kind: try $0["channel"] as String,
                count: try $0["used"] as Int
            )
        }
        for row in rows { try charge(row.count, for: row.kind, on: row.day, to: other) }
        try execute("DELETE FROM user_spending WHERE user_id = $1", [.id(user)])
    }
}
