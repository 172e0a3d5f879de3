import Domain
import Foundation

/// The form in which SQLite stores the event of a check-in. Most events are check-ins, and JSON
/// takes four times the space.
///
/// The text has up to three words: the check-in's time after the event's, the deadline's time after
/// the check-in's (`-` without a deadline), both in milliseconds, and the person's id, unless the
/// log is the person's own.
enum ShortCheckIn {
    /// The event's `kind` in the database.
    static let kind = "c"

    /// The longest number with a valid time. A longer one could overflow.
    private static let longestNumber = 16

    static func text(
        of checkIn: UserEvent.CheckInSummary, in log: UserID, at time: Date
    ) -> String {
        let moment = checkIn.lastCheckInTime.milliseconds
        let next = checkIn.nextCheckInTime.map { "\($0.milliseconds - moment)" } ?? "-"
        let person = checkIn.userID == log ? "" : " \(ShortID.encode(checkIn.userID.uuid))"
        return "\(moment - time.milliseconds) \(next)\(person)"
    }

    /// Throws `DatabaseError.unreadable`.
    static func checkIn(
        _ text: String, in log: UserID, at time: Date
    ) throws -> UserEvent.CheckInSummary {
        let words = text.split(separator: " ", omittingEmptySubsequences: false)
        guard (2...3).contains(words.count) else { throw unreadable }
        let moment = try time.milliseconds + number(words[0])
        let next: Int64? = try words[1] == "-" ? nil : moment + number(words[1])
        var person = log
        if words.count == 3 {
            guard let id = ShortID.decode(words[2]) else { throw unreadable }
            person = UserID(id)
        }
        return UserEvent.CheckInSummary(
            userID: person, lastCheckInTime: Date(milliseconds: moment),
            nextCheckInTime: next.map { Date(milliseconds: $0) })
    }

    private static func number(_ word: Substring) throws -> Int64 {
        guard word.utf8.count <= longestNumber, let number = Int64(word) else { throw unreadable }
        return number
    }

    private static var unreadable: DatabaseError { .unreadable("the event of a check-in") }
}
