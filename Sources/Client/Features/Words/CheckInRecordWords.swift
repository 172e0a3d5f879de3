import Clients
import Domain
import Foundation

extension CheckInRecord {
    /// The effect of the check-in, with times from now because a message doesn't follow the clock:
    /// when the next check-in is due, or that this one came before its window. nil if the next
    /// deadline has passed, as after a check-in that was sent late.
    public var nextDueWords: String? {
        guard let nextCheckInTime else { return "You have no deadlines." }
        guard nextCheckInTime > receivedAt else { return nil }
        let due = words(until: nextCheckInTime)
        guard let opensAt, opensAt > receivedAt else {
            return "Your next check-in is due in \(due)."
        }
        return "Recorded. Your check-in that is due in \(due) opens in \(words(until: opensAt))."
    }

    /// In whole minutes, at least one; from three days on, in whole hours.
    private func words(until time: Date) -> String {
        Duration.minutes(max(1, Int(time.since(receivedAt) / .seconds(60)))).elapsedWords
    }

    /// The text when `nextDueWords` is nil.
    public static let cameTooLate = "Your check-in came after its deadline. Check in again."

    /// The deadline and the opening for "Recorded. Your check-in for Monday, 10:00 opens at 4:00.";
    /// nil unless the check-in came before its window. Each view formats the times.
    public var earlyTimes: (deadline: Date, opening: Date)? {
        guard let nextCheckInTime, let opensAt else { return nil }
        return (nextCheckInTime, opensAt)
    }

    /// Returns true if the window of `earlyTimes` has opened.
    func hasOpened(by now: Date) -> Bool { earlyTimes.map { $0.opening <= now } ?? false }

    /// "by Kitchen button"; nil for a check-in by the person.
    public var sourceWords: String? { source.map { "by \($0)" } }

    /// The text before the deadline of `earlyTimes`.
    public static let earlyStart = "Recorded. Your check-in for"
    /// The text between the times of `earlyTimes`.
    public static let earlyMiddle = "opens at"
}

extension UserFacingError {
    static let checkInWithWrongClock = UserFacingError(
        title: "This check-in did not count",
        message: "The clock of this device is behind, so the check-in is older than your last one. "
            + "Your deadline has not moved.",
        recoverySuggestion: "Set the clock of this device, then check in again.",
        code: "wrong-clock")
}
