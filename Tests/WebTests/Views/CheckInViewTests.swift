import Domain
import Features
import Foundation
import Testing

@testable import LivePages
@testable import Web

@Suite("Checking in, on a page")
struct CheckInViewTests {
    private func state(left: Duration, _ change: (inout CheckInFeature.State) -> Void = { _ in })
        -> CheckInFeature.State
    {
        let next = Sample.now.adding(left)
        var state = CheckInFeature.State(
            lastCheckInTime: next.adding(.zero - .hours(24)), nextCheckInTime: next)
        state.now = Sample.now
        change(&state)
        return state
    }

    private func page(_ state: CheckInFeature.State) -> Screen<CheckInFeature.Action> {
        screen {
            group {
                CheckInFeature.view(state)
                CheckInFeature.facts(state)
            }
        }
    }
    private func sheets(_ state: CheckInFeature.State) -> Screen<CheckInFeature.Action> {
        screen { CheckInFeature.sheets(state) }
    }

    @Test(arguments: [
        (Duration.hours(5), "check-in card", "Checked in"),
        (.hours(2), "check-in card warning", "Check in soon"),
        (.minutes(30), "check-in card critical", "Check in now"),
        (.zero - .minutes(1), "check-in card critical", "You’re overdue: check in now"),
    ])
    func deadlineSetsColourAndText(left: Duration, className: String, words: String) {
        let page = page(state(left: left))
        #expect(page.markup.contains("class=\"\(className)\""))
        #expect(page.shows(words))
    }

    @Test func checkInButtonHasTimeAndRing() throws {
        let page = page(state(left: .hours(5)))
        #expect(try page.press("Check in") == .checkInButtonTapped)
        #expect(page.markup.contains("data-offline=\"checkIn\""))
        #expect(
            page.markup.contains("data-ring=\"2023-11-14T03:13:20.000Z 2023-11-15T03:13:20.000Z\""))
        #expect(page.markup.contains("datetime=\"2023-11-15T03:13:20.000Z\" data-deadline"))
        #expect(
            page.markup.matches(of: #/2023-11-15T03:13:20/#).count == 4, "ring, words, status, fact"
        )
        #expect(page.markup.contains("aria-describedby=\"deadline\""))
    }

    /// A new schedule during the alert has a later deadline.
    @Test func ringShowsTheMissedDeadline() {
        let missed = Sample.now.adding(.zero - .minutes(5))
        let page = screen {
            CheckInFeature.view(
                state(left: .hours(1)), hasMissed: true, missedDeadline: missed)
        }
        #expect(page.markup.contains("datetime=\"\(Timestamp.text(missed))\" data-deadline"))
        #expect(!page.markup.contains(Timestamp.text(Sample.now.adding(.hours(1)))))
    }

    @Test func statusChangesByClockAndHasAge() throws {
        let markup = page(state(left: .hours(1))).markup
        let pills = try #require(markup.firstMatch(of: #/<span data-turns>(.*?)<\/div>/#)).1
        #expect(pills.contains("Check in soon<span data-age=\"as of\">"))
        #expect(
            pills.contains(
                #/hidden data-begins="2023-11-14T22:43:20.000Z">.*Check in now.*overdue/#))
        let late = page(state(left: .zero)).markup
        #expect(!late.contains("data-begins") && !late.contains("data-age"))
    }

    /// The script shows it while the browser keeps a check-in.
    @Test func statusOfAnUnsentCheckInIsHidden() {
        let markup = page(state(left: .hours(5))).markup
        #expect(markup.contains("class=\"state warning\" hidden data-unsent>"))
        #expect(markup.contains(CheckInFeature.State.unsentWords))
        for last in [nil, Sample.now] {
            let without = page(
                state(left: .zero) { ($0.lastCheckInTime, $0.nextCheckInTime) = (last, nil) })
            #expect(without.shows(last == nil ? "Not started" : "No deadlines"))
            #expect(!without.markup.contains("data-unsent"))
        }
    }

    @Test func savedScheduleIsConfirmed() throws {
        let page = page(state(left: .hours(5)) { $0.isScheduleSaved = true })
        #expect(page.shows("Schedule saved"))
        #expect(try page.press("OK: Schedule saved") == .scheduleSavedDismissed)
        #expect(page.markup.contains("data-brief=\"10\""))
    }

    @Test func lastCheckInIsRelativeAndAbsolute() {
        let page = page(state(left: .hours(5)))
        #expect(page.shows("Last check-in"))
        #expect(page.markup.matches(of: #/data-when/#).count == 2)
    }

    @Test(arguments: [
        (24, true, false, "Every 24 hours · reminders 2 h before"),
        (24, true, true, "Every 24 hours · reminders 2 h and 30 min before"),
        (8, false, false, "Every 8 hours · no reminders"),
        // A reminder is sent only if its lead time is shorter than the interval.
        (2, true, true, "Every 2 hours · reminders 30 min before"),
    ])
    func scheduleIsOneRow(hours: Int, twoHours: Bool, thirtyMinutes: Bool, words: String) throws {
        let page = page(
            state(left: .hours(1)) {
                $0.settings = CheckInSettings(
                    intervalSeconds: hours * 3600, remindTwoHoursBefore: twoHours,
                    remindThirtyMinutesBefore: thirtyMinutes)
            })
        #expect(page.shows("Schedule \(words)"))
        #expect(!page.shows("How often") && !page.shows("Reminders"))
        #expect(try page.press("Schedule") == .scheduleButtonTapped)
        #expect(page.markup.contains("aria-describedby=\"schedule-words\""))
    }

    @Test func noRingBeforeFirstCheckIn() throws {
        let page = page(.init())
        #expect(page.shows("Not started"))
        #expect(page.shows("Last check-in Not yet"))
        #expect(!page.markup.contains("data-ring"))
        #expect(try page.press("Check in") == .checkInButtonTapped)
    }

    @Test func checkInButtonIsDisabledWhileSending() throws {
        #expect(
            try !page(state(left: .hours(5)) { $0.isCheckingIn = true }).canPress("Checking in"))
    }

    @Test func showsCheckInConfirmation() {
        let record = CheckInRecord(
            id: Sample.id(1), occurredAt: Sample.now, receivedAt: Sample.now,
            nextCheckInTime: Sample.now.adding(.hours(24)))
        let page = page(state(left: .hours(24)) { $0.confirmation = record })
        #expect(page.shows("Checked in at 2023-11-14 22:13 UTC"))
    }

    @Test func showsUnsentCheckInAndSchedule() {
        let waiting = page(state(left: .hours(5)) { $0.waitingCheckInTime = Sample.now })
        #expect(waiting.shows("Your check-in will be sent as soon as LifeSignal can be reached."))
        #expect(waiting.shows("Waiting to be sent since"))
        #expect(
            page(state(left: .hours(5)) { $0.areSettingsWaiting = true }).shows(
                "Your new schedule will be sent"))
    }

    @Test func closedScheduleIsEmpty() {
        #expect(sheets(state(left: .hours(5))).text.isEmpty)
    }

    @Test func intervalAndRemindersCanBeSaved() throws {
        let sheet = schedule(.hours(48))
        #expect(try sheet.control(labelled: "Every 48 hours").hasAttribute("checked"))
        #expect(
            try sheet.change("Every 8 hours", to: .text("28800"), "choose")
                == .schedule(.intervalPresetTapped(.hours(8))))
        #expect(
            try sheet.change("Or another number of hours", to: .text("36"))
                == .schedule(.customIntervalChanged(hours: 36)))
        #expect(
            try sheet.change("2 hours before", to: .flag(false), "toggle")
                == .schedule(.twoHoursReminderToggled))
        #expect(try sheet.canPress("Save"))
        #expect(try sheet.send("submit", from: "form") == .schedule(.saveTapped))
        #expect(try sheet.press("Cancel") == .sheetDismissed)
        #expect(try sheet.send("dismiss", from: "dialog") == .sheetDismissed)
    }

    @Test func invalidIntervalCannotBeSaved() throws {
        let sheet = schedule(.hours(169))
        #expect(try !sheet.canPress("Save"))
        #expect(
            try sheet.control(labelled: "Or another number of hours").attribute("aria-invalid")
                == "true")
        #expect(
            try sheet.control(labelled: "Or another number of hours").attribute("value") == "169")
    }

    @Test(arguments: [(24, "24"), (36, "36"), (0, nil)]) func typedHoursStayInField(
        hours: Int, value: String?
    ) throws {
        let sheet = schedule(.hours(hours), typedHours: hours)
        #expect(
            try sheet.control(labelled: "Or another number of hours").attribute("value") == value)
    }

    @Test func currentIntervalOfSecondsIsValid() throws {
        let sheet = schedule(.seconds(10), inForce: .seconds(10))
        #expect(
            try sheet.control(labelled: "Or another number of hours").attribute("aria-invalid")
                == nil)
        #expect(try sheet.control(labelled: "Or another number of hours").attribute("value") == "")
        #expect(try sheet.canPress("Save"))
    }

    private func schedule(
        _ interval: Duration, typedHours: Int? = nil, inForce: Duration = .hours(24)
    ) -> Screen<CheckInFeature.Action> {
        var settings = CheckInSettings.standard
        settings.intervalSeconds = Int(inForce.components.seconds)
        return sheets(
            state(left: .hours(5)) {
                $0.settings = settings
                $0.scheduleSheet = form(settings)
                $0.scheduleSheet?.interval = interval
                $0.scheduleSheet?.typedHours = typedHours
            })
    }

    private func form(_ settings: CheckInSettings) -> ScheduleFeature.State {
        ScheduleFeature.State(
            CheckInSchedule(settings: settings, lastCheckIn: nil), timeZone: nil, at: Sample.now)
    }

    @Test func errorAppearsInOpenSheet() throws {
        let open = state(left: .hours(5)) {
            ($0.error, $0.scheduleSheet) = (Sample.error, form(.standard))
        }
        #expect(!page(open).shows("Too many attempts"))
        #expect(try sheets(open).press("Dismiss") == .dismissError)
        #expect(
            try page(state(left: .hours(5)) { $0.error = Sample.error }).press("Dismiss")
                == .dismissError)
    }

    @Test func checkInHistoryShowsLateArrival() throws {
        let records = [
            CheckInRecord(
                id: Sample.id(1), occurredAt: Sample.now, receivedAt: Sample.now,
                nextCheckInTime: Sample.now)
        ]
        let late = CheckInRecord(
            id: Sample.id(2), occurredAt: Sample.ago(.minutes(38)), receivedAt: Sample.now,
            nextCheckInTime: Sample.now, source: "Kitchen button")
        let page = screen {
            CheckInFeature.history(
                state(left: .hours(1)) {
                    ($0.checkInHistory, $0.nextHistoryPage) = (records + [late], "2")
                })
        }
        #expect(page.markup.matches(of: #/<li/#).count == 2)
        #expect(page.markup.matches(of: #/Received at/#).count == 1)
        #expect(page.shows("by Kitchen button"))
        #expect(try page.press("Show earlier check-ins") == .loadMoreHistory)
        let empty = screen { CheckInFeature.history(.init()) }
        #expect(empty.text == "None yet.")
    }
}
