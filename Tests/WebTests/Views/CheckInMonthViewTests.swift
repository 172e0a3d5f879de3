import Domain
import Features
import Foundation
import Testing

@testable import LivePages
@testable import Web

@Suite struct CheckInMonthViewTests {
    private typealias State = CheckInMonthFeature.State

    private func state(_ change: (inout State) -> Void = { _ in }) -> State {
        var state = State(zone: .gmt, device: nil, at: Sample.now)
        change(&state)
        return state
    }

    /// November 2023. Today is the 14th, and a check-in kept the 13th.
    private func calendar(since: Date = .distantPast) -> CheckInMonth {
        let time = Sample.ago(.hours(24))
        return CheckInMonth(
            CalendarMonth(containing: Sample.now, in: .gmt),
            checkIns: [
                CheckInRecord(
                    id: Sample.id(1), occurredAt: time, receivedAt: time.adding(.hours(1)),
                    nextCheckInTime: nil)
            ],
            alerts: [
                Sample.alert(kind: .missedCheckIn, since: Sample.ago(.hours(48)), until: Sample.now)
            ],
            pause: nil, knownSince: since, in: .gmt, at: Sample.now)
    }

    private func page(
        _ state: State, _ calendar: CheckInMonth
    ) -> Screen<CheckInMonthFeature.Action> {
        screen { CheckInMonthFeature.view(state, calendar) }
    }

    @Test func monthIsATableWithHeaders() {
        let page = page(state(), calendar())
        #expect(page.markup.contains("<caption class=\"unseen\">Check-ins in November 2023"))
        #expect(page.markup.matches(of: #/<th scope="col" aria-label="/#).count == 7)
        #expect(page.markup.matches(of: #/<tr>/#).count == 1 + 5)
        #expect(page.shows("November 2023") && !page.markup.contains("style="))
    }

    @Test func dayNamesItsMarkWithoutColour() throws {
        let page = page(state(), calendar())
        #expect(try page.press("Monday, 13 November: kept") == .dayTapped(13))
        #expect(try page.press("Sunday, 12 November: missed") == .dayTapped(12))
        #expect(try page.press("Tuesday, 14 November: no check-in, today") == .dayTapped(14))
        #expect(page.shows("13 ✓") && page.shows("12 M"))
        #expect(page.shows("15 Wednesday, 15 November: still to come"))
        #expect(page.shows("✓ kept: you checked in") && page.shows("M missed: an alert began"))
        #expect(!page.shows("late:"), "the legend explains what the month shows")
    }

    @Test func unknownDaysCanNotBeChosen() {
        let page = page(state(), calendar(since: .distantFuture))
        #expect(page.shows("13 Monday, 13 November: not known ?"))
        #expect(!page.buttons.contains { $0.contains("13 November") })
    }

    @Test func chosenDayListsItsCheckIns() throws {
        let chosen = page(state { $0.chosenDay = 13 }, calendar())
        #expect(chosen.markup.contains("aria-pressed=\"true\""))
        #expect(chosen.shows("Received at") && !chosen.shows("Choose a day"))
        let empty = page(state { $0.chosenDay = 12 }, calendar())
        #expect(empty.shows("No check-ins on this day."))
        let none = page(state(), calendar())
        #expect(none.shows("Choose a day to see its check-ins."))
        #expect(!none.markup.contains("aria-pressed=\"true\""))
    }

    @Test func monthsCanBeTurned() throws {
        let latest = page(state(), calendar())
        #expect(try latest.press("Previous month: October 2023") == .previousMonthTapped)
        #expect(try !latest.canPress("Next month: December 2023"))
        let earlier = page(state { $0.month = $0.month.previous }, calendar())
        #expect(try earlier.press("Next month: November 2023") == .nextMonthTapped)
    }

    @Test func loadingAndErrorsAreShown() throws {
        #expect(page(state { $0.isLoading = true }, calendar()).shows("Loading …"))
        let failed = page(state { $0.error = Sample.error }, calendar())
        #expect(try failed.press("Dismiss") == .dismissError)
        #expect(try failed.press("Load the rest of this month") == .loadMoreTapped)
    }

    @Test func otherClockIsNamed() throws {
        let zone = try #require(TimeZone(identifier: "Europe/Berlin"))
        let abroad = State(zone: zone, device: "Europe/Lisbon", at: Sample.now)
        #expect(page(abroad, calendar()).shows("Days by the clock of Berlin."))
        let home = State(zone: zone, device: "Europe/Berlin", at: Sample.now)
        #expect(!page(home, calendar()).shows("Days by"))
    }

    @Test func homeSwitchesBetweenListAndMonth() throws {
        var state = HomeFeature.State()
        let list = screen { HomeFeature.view(state) }
        #expect(try list.press("Show the month") == .monthButtonTapped)
        (state.checkIn.now, state.month) = (Sample.now, self.state())
        let page = screen { HomeFeature.view(state) }
        #expect(try page.press("Show the list") == .listButtonTapped)
        #expect(page.shows("November 2023") && !page.buttons.contains("Show the month"))
    }
}
