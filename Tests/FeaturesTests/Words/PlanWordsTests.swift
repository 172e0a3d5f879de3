import Domain
import Foundation
import Testing

@testable import Features

@Suite struct PlanWordsTests {
    private func window(_ deadline: String, _ days: Set<Weekday>) throws -> CheckInWindow {
        CheckInWindow(days: days, deadline: try #require(TimeOfDay(deadline)))
    }

    private func words(_ plan: CheckInPlan) -> String {
        var settings = CheckInSettings.standard
        settings.plan = plan
        return settings.planWords
    }

    @Test func planIsOneLine() throws {
        let every = Set(Weekday.allCases)
        let workdays: Set<Weekday> = [.monday, .tuesday, .wednesday, .thursday, .friday]
        #expect(words(.interval) == "Every 24 hours")
        #expect(words(.none) == "No deadlines")
        let ten = try #require(TimeOfDay("10:00"))
        #expect(
            words(.times(Fixture.daily(at: ten)))
                == "By 10:00 every day, Berlin time")
        let sleep = SleepHours(
            from: try #require(TimeOfDay("22:00")), until: try #require(TimeOfDay("7:00")),
            timeZone: "America/New_York")
        #expect(
            words(.intervalWithSleep(sleep))
                == "Every 24 hours, not from 22:00 to 07:00, New York time")
        let two = CheckInTimes(
            timeZone: "America/New_York",
            windows: [try window("21:00", every), try window("7:00", workdays)])
        #expect(
            words(.times(two)) == "By 07:00 Mon–Fri and by 21:00 every day, New York time")
    }

    // MARK: The start of a new interval

    private let now = Fixture.now
    private let sinceCheckIn = "A new interval counts from your last check-in."

    /// The last check-in was an hour ago.
    /// - Parameter end: the end of the pause, from now.
    @Test(
        arguments: [
            (nil, false), (.days(1), true), (.zero, true), (.minutes(-59), true),
            (.hours(-1), false), (.hours(-2), false),
        ] as [(Duration?, Bool)])
    func newIntervalCountsFromANewerEndOfAPause(end: Duration?, isFromPause: Bool) {
        let pause = end.map {
            CheckInPause(began: now.adding(.hours(-9)), until: now.adding($0))
        }
        let schedule = CheckInSchedule(
            settings: .standard, lastCheckIn: now.adding(.hours(-1)), pause: pause)
        let words = isFromPause ? "A new interval counts from the end of your pause." : sinceCheckIn
        #expect(schedule.newIntervalWords(at: now) == words)
    }

    @Test func newIntervalAfterNoDeadlinesCountsFromTheChange() {
        var settings = CheckInSettings.standard
        settings.plan = .none
        var schedule = CheckInSchedule(
            settings: settings, lastCheckIn: now.adding(.days(-9)))
        #expect(
            schedule.newIntervalWords(at: now)
                == "A new interval counts from the moment you save it.")
        schedule.apply(.standard, at: now)
        #expect(schedule.newIntervalWords(at: now.adding(.hours(1))) == nil)
        _ = schedule.checkIn(at: now.adding(.hours(2)))
        #expect(schedule.newIntervalWords(at: now.adding(.hours(3))) == sinceCheckIn)
        schedule = CheckInSchedule(settings: settings, lastCheckIn: nil)
        #expect(schedule.newIntervalWords(at: now) == sinceCheckIn)
    }

    @Test(
        arguments: [
            ([.monday], "Mon"), ([.saturday, .sunday], "Sat, Sun"),
            ([.monday, .tuesday, .wednesday], "Mon–Wed"),
            ([.friday, .monday, .wednesday], "Mon, Wed, Fri"),
            ([.saturday, .sunday, .monday], "Mon, Sat, Sun"),
        ] as [(Set<Weekday>, String)])
    func threeDaysInARowAreARange(days: Set<Weekday>, words: String) {
        #expect(Weekday.words(days) == words)
    }

    @Test func zoneIsNamedByItsPlace() {
        #expect(ClockZone.placeWords("America/Argentina/Buenos_Aires") == "Buenos Aires")
        #expect("By 10:00".loweringFirst == "by 10:00" && "".loweringFirst == "")
    }

    @Test func overdueIsUnconfirmedIfTheServerWasHeardOnlyBefore() throws {
        let deadline = Fixture.now
        let before = deadline.addingTimeInterval(-0.001)
        let contact = try Fixture.contact(
            Fixture.ben, "Ben", isDependent: true, next: deadline, status: .nonResponsive)
        var watch = try #require(contact.watch)
        #expect(watch.isUnconfirmed(knownUntil: before, at: deadline))
        #expect(!watch.isUnconfirmed(knownUntil: deadline, at: deadline))
        #expect(!watch.isUnconfirmed(knownUntil: nil, at: deadline))
        // The deadline was moved during an alert.
        #expect(!watch.isUnconfirmed(knownUntil: .distantPast, at: before))
        for status in [UserStatus.active, .alertActive] {
            watch.status = status
            #expect(!watch.isUnconfirmed(knownUntil: before, at: deadline))
        }
        #expect(watch.missedDeadline(at: before) == nil)
        #expect(watch.missedDeadline(at: deadline) == deadline)
        #expect(contact.unconfirmedWords == "Ben is overdue, not confirmed")
    }

    @Test func dependentsPlanIsTheirs() throws {
        var watch = try #require(
            try Fixture.contact(Fixture.ben, "Ben", isDependent: true).watch)
        #expect(watch.planWords == "Every 24 hours")
        watch.plan = CheckInPlan.none
        #expect(watch.planWords == "No deadlines")
    }
}
