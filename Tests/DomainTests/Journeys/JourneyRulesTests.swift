import Foundation
import Testing

@testable import Domain

@Suite struct JourneyRulesTests {
    @Test(arguments: [
        (Duration.minutes(5) - .milliseconds(1), false), (.minutes(5), true), (.days(7), true),
        (.days(7) + .milliseconds(1), false), (.zero, false), (.hours(-1), false),
    ])
    func returnIs5MinutesTo7DaysAhead(ahead: Duration, isAccepted: Bool) {
        let error = refusal {
            try JourneyRules.check(expectedReturn: noon.adding(ahead), at: noon)
        }
        #expect(error?.field == (isAccepted ? nil : "expectedReturn"))
    }

    @Test(arguments: [(-1, false), (0, true), (10, true), (60, true), (61, false)])
    func graceIsAtMostAnHour(minutes: Int, isAccepted: Bool) {
        let error = refusal { try JourneyRules.check(graceMinutes: minutes) }
        #expect(error?.field == (isAccepted ? nil : "graceMinutes"))
    }

    @Test(arguments: [(0, false), (1, true), (60, true), (61, false)])
    func nameHas1To60Characters(length: Int, isAccepted: Bool) {
        let name = String(repeating: "ü", count: length)
        let error = refusal { try JourneyRules.name(name) }
        #expect(error?.field == (isAccepted ? nil : "name"))
    }

    @Test func nameIsStoredWithoutSpacesAround() throws {
        #expect(try JourneyRules.name("  Zugspitze \n") == "Zugspitze")
    }

    @Test(arguments: [" ", "\u{200B}", "Zug\nspitze", "Zug\u{0}spitze"])
    func unreadableNameIsRefused(name: String) {
        #expect(refusal { try JourneyRules.name(name) }?.field == "name")
    }

    /// A letter with many accents is one character, and could fill a message.
    @Test func nameHasFewAccents() {
        let accents = String(repeating: "\u{301}", count: 240)
        #expect(refusal { try JourneyRules.name("a" + accents.dropLast()) } == nil)
        #expect(refusal { try JourneyRules.name("a" + accents) }?.field == "name")
    }

    @Test(arguments: [(0, true), (1_000, true), (1_001, false)])
    func noteHasAtMost1000Characters(length: Int, isAccepted: Bool) {
        let error = refusal { try JourneyRules.note(String(repeating: "ü", count: length)) }
        #expect(error?.field == (isAccepted ? nil : "note"))
    }

    @Test func noteKeepsItsLines() throws {
        let note = " By the Höllental,\nback by cable car. "
        #expect(try JourneyRules.note(note) == note)
        #expect(refusal { try JourneyRules.note("a\u{0}") }?.field == "note")
    }

    @Test func extensionCountsFromTheReturnOrTheLaterPress() {
        let half = Duration.minutes(30)
        for press in [noon.adding(.hours(-1)), noon] {
            #expect(JourneyRules.extended(noon, pressedAt: press) == noon.adding(half))
        }
        let late = noon.adding(.minutes(7))
        #expect(JourneyRules.extended(noon, pressedAt: late) == late.adding(half))
    }
}
