import Domain

extension CheckInRecord {
    /// When the next check-in is due, by the server's time; nil if that time has passed, as after a
    /// check-in that was sent late.
    public var nextDueWords: String? {
        guard nextCheckInTime > receivedAt else { return nil }
        let left = nextCheckInTime.since(receivedAt)
        let words = Duration.minutes(max(1, Int(left / .seconds(60)))).words
        return "Your next check-in is due in \(words)."
    }

    /// The text when `nextDueWords` is nil.
    public static let cameTooLate = "Your check-in came after its deadline. Check in again."
}
