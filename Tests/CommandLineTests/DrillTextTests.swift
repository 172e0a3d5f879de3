import Domain
import Foundation
import Testing

@testable import CommandLine

@Suite struct DrillTextTests {
    /// Ben has muted drills, and has answered in the app.
    @Test func beginningNamesOnlyPeopleWhoWereAsked() {
        let ben = DrillAnswer(
            personID: UserID(UUID()), name: "Ben", answeredAt: Examples.now, isAsked: false)
        let cleo = DrillAnswer(personID: UserID(UUID()), name: "Cleo")
        for (answers, names) in [([ben, cleo], "Cleo"), ([ben], "no one")] {
            let drill = DrillRecord(
                id: DrillID(UUID()), startedAt: Examples.now, answers: answers)
            #expect(DrillText.beginning(drill).first?.hasSuffix("Asked: \(names).") == true)
        }
    }
}
