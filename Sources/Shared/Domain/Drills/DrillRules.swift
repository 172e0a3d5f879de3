import Foundation

public enum DrillRules {
    /// How long a drill runs if nothing ends it earlier.
    public static let length: Duration = .minutes(10)
    /// The shortest time between the starts of two drills. More drills would make phones ring too
    /// often.
    public static let pause: Duration = .days(1)

    /// - Parameter last: the start of the last drill. A future start is ignored, because a wrong
    ///   clock wrote it.
    public static func mayStart(last: Date?, at now: Date) -> Bool {
        guard let last else { return true }
        return now >= last.adding(pause) || last > now
    }

    /// - Parameter isPaid: false if today's budgets don't cover the drill's SMS and calls.
    public static func check(
        last: Date?, hasOpenAlert: Bool, responders: Int, isPaid: Bool = true, at now: Date
    ) throws(CommandError) {
        func refusal(_ reason: InvalidInputReason, _ words: RefusalWords) -> CommandError {
            .invalidArgument(field: "id", words.detail, reason: reason)
        }
        guard !hasOpenAlert else { throw refusal(.alertOpen, .alertOpen) }
        guard responders > 0 else { throw refusal(.noResponders, .noResponders) }
        guard mayStart(last: last, at: now) else { throw refusal(.drillToday, .drillToday) }
        guard isPaid else { throw refusal(.drillOverBudget, .drillOverBudget) }
    }
}
