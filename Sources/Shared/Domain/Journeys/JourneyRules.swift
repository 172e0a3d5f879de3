import Foundation

/// The limits of a journey (product.md, "Journeys").
public enum JourneyRules {
    public static let nameLength = 1...60
    public static let noteLength = 0...1_000
    public static let graceMinutes = 0...60
    public static let standardGraceMinutes = 10
    public static let shortest: Duration = .minutes(5)
    public static let longest: Duration = .days(7)
    /// How long before the return the first reminder goes out.
    public static let reminderLead: Duration = .minutes(15)
    /// What one press on "30 minutes more" adds.
    public static let oneExtension: Duration = .minutes(30)
    /// An arrival counts even if it was pressed up to this long before the return was chosen,
    /// because the clocks of two devices may differ.
    public static let arrivalDoubt: Duration = .seconds(30)
    /// Without an acknowledgement for this long, the alert reaches all responders.
    public static let chosenAlone: Duration = .minutes(15)
    public static let noteKept: Duration = .hours(24)

    /// Returns the name to store. Throws `invalidArgument` for one that is empty, invisible or
    /// too long.
    public static func name(_ text: String) throws(CommandError) -> String {
        let name: String
        do {
            name = try ProfileRules.plainName(text)
        } catch {
            throw .invalidArgument(field: "name", RefusalWords.journeyName.detail)
        }
        guard nameLength.contains(name.count),
            name.unicodeScalars.count <= 4 * nameLength.upperBound
        else { throw .invalidArgument(field: "name", RefusalWords.journeyName.detail) }
        return name
    }

    public static func note(_ text: String) throws(CommandError) -> String {
        guard noteLength.contains(text.count),
            text.unicodeScalars.count <= 4 * noteLength.upperBound,
            !text.unicodeScalars.contains("\0")
        else { throw .invalidArgument(field: "note", RefusalWords.journeyNote.detail) }
        return text
    }

    public static func check(graceMinutes: Int) throws(CommandError) {
        guard Self.graceMinutes.contains(graceMinutes) else {
            throw .invalidArgument(field: "graceMinutes", RefusalWords.journeyGrace.detail)
        }
    }

    /// Throws `invalidArgument` for a return less than 5 minutes or more than 7 days ahead.
    /// - Parameter shortest: shorter for demonstrations (`IntervalLimits.shortestJourney`).
    public static func check(
        expectedReturn: Date, at now: Date, shortest: Duration = JourneyRules.shortest
    ) throws(CommandError) {
        guard expectedReturn >= now.adding(shortest), expectedReturn <= now.adding(longest) else {
            throw .invalidArgument(field: "expectedReturn", RefusalWords.journeyReturn.detail)
        }
    }

    /// When this step is due; nil if it is left out.
    public static func moment(
        of step: JourneyStep, expectedReturn: Date, graceMinutes: Int
    ) -> Date? {
        switch step {
        case .remindBefore: expectedReturn.adding(.zero - reminderLead)
        // Without a grace, the alert opens at the same moment.
        case .remindAtReturn: graceMinutes == 0 ? nil : expectedReturn
        case .alert: expectedReturn.adding(.minutes(graceMinutes))
        }
    }

    /// Returns the return after one press on "30 minutes more": 30 minutes after the present one,
    /// or after the press, if that is later.
    public static func extended(_ expectedReturn: Date, pressedAt: Date) -> Date {
        max(expectedReturn, pressedAt).adding(oneExtension)
    }
}
