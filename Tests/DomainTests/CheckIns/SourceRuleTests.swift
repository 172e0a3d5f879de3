import Domain
import Foundation
import Testing

@Suite struct SourceRuleTests {
    // MARK: Names

    @Test(arguments: [
        ("Kitchen button", "Kitchen button"), ("  Kitchen button\n", "Kitchen button"),
        ("B", "B"), (String(repeating: "ä", count: 40), String(repeating: "ä", count: 40)),
    ])
    func goodNameIsTrimmed(typed: String, stored: String) throws {
        #expect(try SourceRules.name(typed) == stored)
    }

    @Test(arguments: [
        "", "   ", "\u{200B}", "\u{2800}", "Kitchen\nbutton", "Kitchen\u{0007}",
        String(repeating: "a", count: 41),
    ])
    func badNameIsRefused(name: String) {
        #expect(
            throws: CommandError.invalidArgument(
                field: "name", "A source’s name has 1 to 40 characters on one line.")
        ) { try SourceRules.name(name) }
    }

    // MARK: Once a minute

    @Test func secondUseWaitsAMinute() {
        #expect(SourceRules.wait(lastUsedAt: nil, at: noon) == nil)
        #expect(SourceRules.wait(lastUsedAt: noon, at: noon) == .minutes(1))
        let minute = noon.adding(.minutes(1))
        #expect(
            SourceRules.wait(lastUsedAt: noon, at: minute.adding(.milliseconds(-1)))
                == .milliseconds(1))
        #expect(SourceRules.wait(lastUsedAt: noon, at: minute) == nil)
    }

    @Test func useInTheFutureCausesNoWait() {
        #expect(SourceRules.wait(lastUsedAt: noon.adding(.days(1)), at: noon) == nil)
    }

    // MARK: The answer

    private func answer(deadline: Date?, opensAt: Date? = nil) -> String {
        let record = CheckInRecord(
            id: CheckInID(UUID()), occurredAt: noon, receivedAt: noon, nextCheckInTime: deadline,
            opensAt: opensAt)
        return SourceRules.answer(to: record).text(in: nil, at: noon)
    }

    @Test func answerNamesTheNextDeadline() {
        let deadline = noon.adding(.hours(6))
        let time = Timestamp.clockTime(deadline, in: nil, at: noon)
        #expect(answer(deadline: deadline) == "Recorded. Next check-in by \(time).")
        #expect(answer(deadline: nil) == "Recorded. You have no deadlines.")
        let opening = Timestamp.clockTime(noon.adding(.hours(1)), in: nil, at: noon)
        #expect(
            answer(deadline: deadline, opensAt: noon.adding(.hours(1)))
                == "Recorded. Your check-in for \(time) opens at \(opening).")
    }

    // MARK: Silence

    /// Uses a source on these days, counted from the day of `noon`.
    private func habit(on days: [Int], in zone: ClockZone? = nil) -> SourceHabit? {
        days.reduce(nil as SourceHabit?) { habit, day in
            SourceHabit.after(habit, useAt: noon.adding(.days(day)), in: zone)
        }
    }

    @Test(
        arguments: [
            ([0, 1, 2, 3, 4, 5], true), ([0, 1, 2, 3, 4], false), ([0, 1, 2, 3, 4, 7], true),
            // The first use was eight days before the last.
            ([0, 1, 2, 3, 4, 8], false), ([0, 2, 4, 6, 7], false), ([1, 2, 4, 6, 7, 8], true),
            ([0, 0, 0, 0, 0, 0], false), ([0], false), ([], false),
        ] as [([Int], Bool)])
    func fiveOfSevenDaysAreDaily(days: [Int], isDaily: Bool) {
        #expect((habit(on: days)?.isDaily ?? false) == isDaily)
    }

    @Test func ownerIsToldAfterSevenDays() {
        #expect(
            habit(on: Array(0...5))?.silentAt(lastUsedAt: noon) == noon.adding(.days(7)))
        #expect(habit(on: [0])?.silentAt(lastUsedAt: noon) == nil)
    }

    @Test func longBreakForgetsTheHabit() {
        #expect(habit(on: Array(0...6) + [14])?.daysBefore == 0)
        #expect(habit(on: Array(0...6) + [13])?.daysBefore == 0b100_0000)
    }

    @Test func daysFollowTheOwnersZone() throws {
        // 23:30 UTC is 0:30 of the next day in Berlin.
        let zone = try #require(ClockZone("Europe/Berlin"))
        let evening = noon.adding(.hours(11) + .minutes(30))
        let first = SourceHabit.after(nil, useAt: noon, in: zone)
        #expect(SourceHabit.after(first, useAt: evening, in: zone).daysBefore == 1)
        #expect(SourceHabit.after(first, useAt: evening, in: nil).daysBefore == 0)
    }

    @Test func flightToTheWestRepeatsADay() {
        let habit = SourceHabit(lastDay: 20_000, daysBefore: 0b111)
        let before = Date(milliseconds: 19_999 * 86_400_000)
        #expect(SourceHabit.after(habit, useAt: before, in: nil) == habit)
    }

    @Test func clockThatWasAheadRestartsTheHabit() {
        let habit = SourceHabit(lastDay: 20_000, daysBefore: 0b111_1111)
        let before = Date(milliseconds: 19_000 * 86_400_000)
        #expect(
            SourceHabit.after(habit, useAt: before, in: nil) == SourceHabit(lastDay: 19_000))
    }

    // MARK: Notices

    @Test func noticesNameTheSource() {
        let silent = NotificationText.sourceIsSilent(name: "Kitchen button")
        #expect(silent.title == "“Kitchen button” has not checked in for 7 days")
        #expect(silent.type == .system)
        let added = NotificationText.sourceAdded(name: "Kitchen button").body(in: nil, at: noon)
        #expect(added.hasPrefix("“Kitchen button” was added."))
        let replaced = NotificationText.sourceReplaced(name: "Kitchen button")
        #expect(
            replaced.body(in: nil, at: noon)
                .hasPrefix("“Kitchen button” now checks in by a new address only."))
    }

    @Test(arguments: ["No one", "You", "Nobody"])
    func noticeOmitsASubjectAsAName(name: String) {
        let silent = NotificationText.sourceIsSilent(name: name)
        #expect(silent.title == "A source has not checked in for 7 days")
        let added = NotificationText.sourceAdded(name: name).body(in: nil, at: noon)
        #expect(added.hasPrefix("A source was added."))
        let replaced = NotificationText.sourceReplaced(name: name).body(in: nil, at: noon)
        #expect(replaced.hasPrefix("A source now checks in"))
        let removed = NotificationText.sourceRemoved(name: name).body(in: nil, at: noon)
        #expect(removed.hasPrefix("A source can't check in"))
    }

    @Test func noticeOmitsANameWithALink() {
        let name = "Win at example.org/x"
        #expect(
            NotificationText.sourceIsSilent(name: name).title
                == "A source has not checked in for 7 days")
        #expect(!NotificationText.sourceAdded(name: name).body(in: nil, at: noon).contains("Win"))
        let replaced = NotificationText.sourceReplaced(name: name)
        #expect(!replaced.body(in: nil, at: noon).contains("Win"))
    }
}
