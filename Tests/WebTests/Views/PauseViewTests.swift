import Domain
import Features
import Foundation
import Testing

@testable import LivePages
@testable import Web

/// Pauses and plans: on the person's own page, and as their responders see them.
@Suite("Pauses, on a page")
struct PauseViewTests {
    private let end = Sample.now.adding(.days(3))
    private var pause: CheckInPause {
        CheckInPause(began: Sample.ago(.hours(1)), until: end)
    }

    private func daily(at deadline: TimeOfDay) -> CheckInTimes {
        CheckInTimes(
            timeZone: "Europe/Berlin",
            windows: [CheckInWindow(days: .everyDay, deadline: deadline)])
    }

    // MARK: The row and the banner

    @Test func rowOpensTheSheet() throws {
        let row = screen { PauseFeature.row(.init()) }
        #expect(try row.press(ScheduleWords.pause) == .pauseButtonTapped)
        let during = screen { PauseFeature.row(.init(pause: pause)) }
        let change = PauseFeature.State.changeTitle
        #expect(try during.press(change) == .pauseButtonTapped)
        let saving = screen { PauseFeature.row(.init(pause: pause, isSaving: true)) }
        #expect(try !saving.canPress(change))
    }

    @Test func bannerSaysUntilWhenAndEndsThePause() throws {
        let banner = screen { PauseFeature.banner(.init(pause: pause)) }
        #expect(banner.shows(ScheduleWords.pausedUntil))
        #expect(banner.markup.contains(Timestamp.text(end)))
        #expect(try banner.press(ScheduleWords.endPause) == .endPauseButtonTapped)
        let saving = screen { PauseFeature.banner(.init(pause: pause, isSaving: true)) }
        #expect(try !saving.canPress(ScheduleWords.endPause))
        #expect(screen { PauseFeature.banner(.init()) }.text.isEmpty)
    }

    @Test func unsentPauseSaysThatTheDeadlineStays() {
        let begins = screen { PauseFeature.banner(.init(waiting: .beginning)) }
        #expect(begins.shows("Until then your deadline stays."))
        let ends = screen { PauseFeature.banner(.init(pause: pause, waiting: .end)) }
        #expect(ends.shows("The end of your pause will be sent"))
    }

    @Test func errorIsShownOnce() throws {
        var state = PauseFeature.State(error: Sample.error)
        #expect(
            try screen { PauseFeature.banner(state) }.press("Dismiss") == .dismissError)
        state.sheet = .init(openedAt: Sample.now, end: end)
        #expect(!screen { PauseFeature.banner(state) }.shows(Sample.error.title))
        #expect(
            try screen { PauseFeature.sheets(state) }.press("Dismiss") == .dismissError)
    }

    // MARK: The sheet

    private func sheet(
        _ end: Date?, zone: String? = "Europe/Berlin", pause: CheckInPause? = nil
    ) -> Screen<PauseFeature.Action> {
        screen {
            PauseFeature.sheets(
                .init(
                    pause: pause, timeZone: zone, sheet: .init(openedAt: Sample.now, end: end)))
        }
    }

    @Test func lengthIsChosen() throws {
        let sheet = sheet(end)
        #expect(sheet.shows(PauseFeature.State.explanation))
        for days in PauseFeature.State.lengths {
            let words = Duration.days(days).words
            #expect(try sheet.control(labelled: words).hasAttribute("checked") == (days == 3))
            #expect(
                try sheet.change(words, to: .text("\(days)"), "choose")
                    == .lengthChosen(days: days))
        }
        #expect(try sheet.canPress("Begin the pause"))
        #expect(try sheet.send("submit", from: "form") == .confirmButtonTapped)
        #expect(try sheet.press("Cancel") == .sheetDismissed)
        #expect(try sheet.send("dismiss", from: "dialog") == .sheetDismissed)
    }

    @Test func endIsTypedByTheLocalClock() throws {
        let sheet = sheet(end)
        let field = try sheet.control(labelled: ScheduleWords.pauseEnd)
        #expect(field.attribute("type") == "datetime-local")
        // 22:13 UTC is 23:13 in Berlin.
        #expect(field.attribute("value") == "2023-11-17T23:13")
        #expect(
            try sheet.change(ScheduleWords.pauseEnd, to: .text("2023-11-20T08:00"))
                == .endTyped("2023-11-20T08:00"))
    }

    @Test func unfinishedEndIsExplained() throws {
        let sheet = sheet(nil)
        #expect(sheet.shows("Enter a date and a time."))
        #expect(try !sheet.canPress("Begin the pause"))
        #expect(
            try sheet.control(labelled: ScheduleWords.pauseEnd).attribute("aria-invalid") == "true")
    }

    @Test(
        arguments: [(Duration.zero, .pauseEndPassed), (.days(30), nil), (.days(31), .pauseEnd)]
            as [(Duration, RefusalWords?)])
    func endHasLimits(length: Duration, words: RefusalWords?) throws {
        let sheet = sheet(Sample.now.adding(length))
        #expect(try sheet.canPress("Begin the pause") == (words == nil))
        for each in [RefusalWords.pauseEndPassed, .pauseEnd] {
            #expect(sheet.shows(each.detail) == (each == words))
        }
    }

    @Test func withoutAZoneTheEndIsOnlyShown() {
        let sheet = sheet(end, zone: nil)
        #expect(!sheet.markup.contains("datetime-local"))
        #expect(sheet.shows(ScheduleWords.pauseEnd))
        #expect(sheet.markup.contains(Timestamp.text(end)))
    }

    @Test func changeIsNamed() throws {
        let sheet = sheet(end, pause: pause)
        #expect(sheet.shows(PauseFeature.State.changeTitle))
        #expect(try sheet.canPress("Change the end"))
    }

    // MARK: The person's own page

    @Test func pausedPersonIsNeverWell() throws {
        var state = CheckInFeature.State(
            lastCheckInTime: Sample.ago(.hours(1)), settings: .standard)
        state.settings.plan = .none
        state.now = Sample.now
        state.pause.pause = pause
        let page = screen { CheckInFeature.view(state, isProtected: true) }
        #expect(page.shows("Paused until"))
        #expect(!page.shows("All is well") && !page.shows("Checked in"))
        #expect(try page.press(ScheduleWords.endPause) == .pause(.endPauseButtonTapped))
    }

    /// "All is well" is kept for a later time, hidden, behind "Paused".
    @Test func pauseComesBeforeTheLaterStatus() throws {
        var state = CheckInFeature.State(
            lastCheckInTime: Sample.ago(.hours(1)), nextCheckInTime: end.adding(.hours(24)))
        state.now = Sample.now
        state.pause.pause = pause
        let markup = screen { CheckInFeature.view(state, isProtected: true) }.markup
        let paused = try #require(markup.range(of: "Paused"))
        let well = try #require(markup.range(of: "All is well"))
        try #require(paused.upperBound < well.lowerBound)
        let between = markup[paused.upperBound..<well.lowerBound]
        #expect(between.contains("hidden data-begins=\"\(Timestamp.text(end))\""))
    }

    @Test func otherZoneIsAskedAbout() throws {
        var state = CheckInFeature.State()
        let ten = try #require(TimeOfDay("10:00"))
        state.settings.plan = .times(daily(at: ten))
        #expect(!screen { CheckInFeature.view(state) }.shows("You seem to be in"))
        state.newTimeZone = "America/New_York"
        let page = screen { CheckInFeature.view(state) }
        #expect(
            page.shows("You seem to be in New York. Use New York time for your check-ins?"))
        #expect(try page.press("Use New York time") == .timeZoneAnswered(usesNew: true))
        #expect(try page.press("Keep Berlin time") == .timeZoneAnswered(usesNew: false))
    }

    @Test func earlyCheckInSaysWhenTheWindowOpens() {
        var state = CheckInFeature.State()
        state.now = Sample.now
        state.confirmation = CheckInRecord(
            id: Sample.id(1), occurredAt: Sample.now, receivedAt: Sample.now,
            nextCheckInTime: end, opensAt: end.adding(.hours(-6)))
        let page = screen { CheckInFeature.view(state) }
        #expect(page.shows(CheckInRecord.earlyStart) && page.shows(CheckInRecord.earlyMiddle))
        #expect(!page.shows("Checked in at"))
        #expect(page.markup.contains("class=\"state warning\">"))
        state.nextCheckInTime = end
        let later = screen { CheckInFeature.view(state) }
        #expect(later.shows("Check in soon") && later.shows("You’re overdue: check in now"))
    }

    // MARK: What responders see

    private func ana(
        pausedUntil end: Date? = nil, plan: CheckInPlan = .interval,
        status: UserStatus = .active, deadline: Date? = Sample.now.adding(.days(4))
    ) throws -> ContactData {
        ContactData(
            id: Sample.id(1), name: "Ana", phoneNumber: try PhoneNumber("+15550101"),
            profilePictureURL: nil,
            roles: try ContactRoles(isResponder: false, isDependent: true),
            dateAdded: Sample.ago(.hours(1)), hasPendingPing: false, pingedAt: nil,
            watch: .init(
                emergencyNote: "", lastCheckInTime: Sample.ago(.hours(3)),
                nextCheckInTime: deadline, checkInIntervalSeconds: 86_400, status: status,
                plan: plan, pausedUntil: end))
    }

    private func card(_ contact: ContactData) -> Screen<DependentsFeature.Action> {
        screen { DependentsFeature.view(.init(contacts: .init(contacts: [contact]))) }
    }

    private func details(
        _ contact: ContactData
    ) -> Screen<ContactDetailsSheetViewFeature.Action> {
        screen {
            ContactDetailsSheetViewFeature.view(.init(contact: contact, isSheetPresented: true))
        }
    }

    @Test func pausedContactIsNeverFine() throws {
        let (paused, present) = (try ana(pausedUntil: end), try ana())
        for text in [card(paused).text, details(paused).text] {
            #expect(text.contains("Paused until") && !text.contains("Fine"))
        }
        #expect(card(paused).markup.contains(Timestamp.text(end)))
        #expect(details(paused).markup.contains(Timestamp.text(end)))
        for text in [card(present).text, details(present).text] {
            #expect(text.contains("Fine") && !text.contains("Paused"))
        }
    }

    @Test func pausedContactWithoutDeadlinesIsNeverFine() throws {
        let contact = try ana(pausedUntil: end, plan: .none, deadline: nil)
        for text in [card(contact).text, details(contact).text] {
            #expect(text.contains("Paused until") && !text.contains("Fine"))
        }
    }

    /// An alert during a pause is more important than the pause.
    @Test func alertOutranksThePause() throws {
        let contact = try ana(pausedUntil: end, status: .alertActive)
        #expect(try card(contact).press("See Ana’s alert") == .alertTapped(contact))
        #expect(contact.watch?.statusWords == UserStatus.alertActive.words)
    }

    @Test func detailsNameThePlan() throws {
        let ten = try #require(TimeOfDay("10:00"))
        let times = try ana(plan: .times(daily(at: ten)))
        #expect(details(times).shows("Schedule By 10:00 every day, Berlin time"))
        #expect(details(try ana()).shows("Schedule Every 24 hours"))
        let none = details(try ana(plan: .none, deadline: nil))
        #expect(none.shows("Should check in by No deadlines"))
        #expect(none.shows("Schedule No deadlines"))
        #expect(card(try ana(plan: .none, deadline: nil)).shows("Time left No deadlines"))
        #expect(card(try ana(deadline: nil)).shows("Time left Has not begun yet"))
    }
}
