import Domain
import Foundation
import Testing

@testable import Features

@Suite struct CheckInWordsTests {
    private func state(left: Duration) -> CheckInFeature.State {
        let next = Fixture.now.adding(left)
        var state = CheckInFeature.State(
            lastCheckInTime: next.adding(.zero - .hours(24)), nextCheckInTime: next)
        state.now = Fixture.now
        return state
    }

    @Test(arguments: [
        (Duration.hours(2) + .milliseconds(1), "All is well", Tone.normal),
        (.hours(2), "Check in soon", .warning),
        (.minutes(30) + .milliseconds(1), "Check in soon", .warning),
        (.minutes(30), "Check in now", .critical),
        (.milliseconds(1), "Check in now", .critical),
        (.zero, "You’re overdue: check in now", .critical),
    ])
    func statusTextChangesAtTheThresholds(left: Duration, words: String, tone: Tone) {
        #expect(state(left: left).statusWords(isProtected: true) == words)
        #expect(state(left: left).tone == tone)
    }

    @Test func earlyCheckInNamesTheOpening() {
        var record = CheckInRecord(
            id: CheckInID(UUID()), occurredAt: Fixture.now, receivedAt: Fixture.now,
            nextCheckInTime: Fixture.now.adding(.hours(30)))
        #expect(record.nextDueWords == "Your next check-in is due in 30 hours.")
        #expect(record.earlyTimes == nil)
        record.opensAt = Fixture.now.adding(.hours(24))
        #expect(
            record.nextDueWords
                == "Recorded. Your check-in that is due in 30 hours opens in 24 hours.")
        #expect(record.earlyTimes?.opening == record.opensAt)
        record.nextCheckInTime = nil
        #expect(record.nextDueWords == "You have no deadlines.")
    }

    @Test func nextDeadlineIsInWholeMinutesFromNow() {
        var record = CheckInRecord(
            id: CheckInID(UUID()), occurredAt: Fixture.now, receivedAt: Fixture.now,
            nextCheckInTime: Fixture.now)
        #expect(record.nextDueWords == nil)
        for (milliseconds, words) in [
            (1, "1 minute"), (119_999, "1 minute"), (120_000, "2 minutes"),
        ] {
            record.nextCheckInTime = Fixture.now.adding(.milliseconds(milliseconds))
            #expect(record.nextDueWords == "Your next check-in is due in \(words).")
        }
        record.opensAt = Fixture.now
        #expect(record.nextDueWords == "Your next check-in is due in 2 minutes.")
        record.opensAt = Fixture.now.adding(.milliseconds(1))
        #expect(
            record.nextDueWords
                == "Recorded. Your check-in that is due in 2 minutes opens in 1 minute.")
    }

    @Test func checkInBySourceNamesIt() {
        var record = CheckInRecord(
            id: CheckInID(UUID()), occurredAt: Fixture.now, receivedAt: Fixture.now,
            nextCheckInTime: nil)
        #expect(record.sourceWords == nil)
        record.source = "Kitchen button"
        #expect(record.sourceWords == "by Kitchen button")
    }

    @Test func allIsWellRequiresProtection() {
        let state = state(left: .hours(5))
        #expect(state.statusWords(isProtected: true) == "All is well")
        #expect(state.statusWords(isProtected: false) == "Checked in")
        #expect(CheckInFeature.State().statusWords(isProtected: true) == "Not started")
    }

    @Test func pausedPersonIsNeverWell() {
        var state = state(left: .hours(50))
        state.pause.pause = CheckInPause(began: Fixture.now, until: Fixture.now.adding(.hours(26)))
        #expect(state.statusWords(isProtected: true) == "Paused")
        // An open alert comes first.
        #expect(
            state.statusWords(isProtected: true, hasMissed: true) == "You’re overdue: check in now")
        state.now = Fixture.now.adding(.hours(26) - .milliseconds(1))
        #expect(state.isPaused && state.statusWords(isProtected: true) == "Paused")
        state.now = Fixture.now.adding(.hours(26))
        #expect(!state.isPaused && state.statusWords(isProtected: true) == "All is well")
    }

    @Test func laterStatusesBeginWithTheEndOfThePause() {
        var state = state(left: .hours(26))
        state.pause.pause = CheckInPause(began: Fixture.now, until: Fixture.now.adding(.hours(2)))
        let later = state.laterStatuses(isProtected: true)
        #expect(later.first?.words == "All is well")
        #expect(later.first?.begins == Fixture.now.adding(.hours(2)) && later.count == 4)
    }

    @Test func personWithoutDeadlinesHasAStatus() {
        var state = CheckInFeature.State()
        state.settings.plan = .none
        #expect(state.statusWords(isProtected: true) == "Not started")
        state.lastCheckInTime = Fixture.now
        #expect(state.statusWords(isProtected: true) == "No deadlines")
        #expect(state.laterStatuses(isProtected: true).isEmpty)
        state.pause.pause = CheckInPause(began: Fixture.now, until: Fixture.now.adding(.hours(1)))
        #expect(state.statusWords(isProtected: true) == "Paused")
    }

    @Test func openAlertIsNeverWell() {
        let state = state(left: .hours(5))
        #expect(
            state.statusWords(isProtected: true, hasMissed: true) == "You’re overdue: check in now")
        #expect(state.statusTone(hasMissed: true) == .critical)
        #expect(state.statusTone(hasMissed: false) == .normal)
    }

    @Test func unsentCheckInIsNotWell() {
        var state = state(left: .hours(5))
        state.waitingCheckInTime = Fixture.now
        #expect(state.statusWords(isProtected: true) == "Check-in not sent yet")
        #expect(state.statusTone(hasMissed: false) == .warning)
    }

    @Test func statusHasAnAgeOnlyOffline() {
        var state = state(left: .hours(5))
        #expect(state.statusAge(hasMissed: false) == nil)
        state.knownUntil = Fixture.now
        #expect(state.statusAge(hasMissed: false) == Fixture.now)
        #expect(state.statusAge(hasMissed: true) == nil)
        var overdue = self.state(left: .zero)
        overdue.knownUntil = Fixture.now
        #expect(overdue.statusAge(hasMissed: false) == nil)
    }

    @Test func laterStatusesFollowTheClock() {
        let later = state(left: .hours(5)).laterStatuses(isProtected: true)
        #expect(
            later.map(\.words) == ["Check in soon", "Check in now", "You’re overdue: check in now"])
        #expect(later.map(\.tone) == [.warning, .critical, .critical])
        #expect(
            later.map(\.begins)
                == [.hours(3), .hours(5) - .minutes(30), .hours(5)].map { Fixture.now.adding($0) })
        #expect(state(left: .minutes(30)).laterStatuses(isProtected: true).count == 1)
        #expect(state(left: .zero).laterStatuses(isProtected: true).isEmpty)
        #expect(CheckInFeature.State().laterStatuses(isProtected: true).isEmpty)
    }

    @Test func queuedCheckInTextComesBeforeSettings() {
        var state = state(left: .hours(5))
        #expect(state.waitingWords == nil)
        state.areSettingsWaiting = true
        #expect(state.waitingWords?.hasPrefix("Your new schedule") == true)
        state.waitingCheckInTime = Fixture.now
        #expect(state.waitingWords?.hasPrefix("Your check-in will be sent") == true)
    }

    @Test func scheduleNamesEnabledReminders() {
        var state = CheckInFeature.State()
        #expect(
            state.scheduleWords == "Every 24 hours · reminders 2\u{a0}h and 30\u{a0}min before")
        state.settings.intervalSeconds = 2 * 3600
        #expect(state.scheduleWords == "Every 2 hours · reminders 30\u{a0}min before")
        state.settings.remindThirtyMinutesBefore = false
        #expect(state.scheduleWords == "Every 2 hours · no reminders")
        state.settings.plan = .none
        #expect(state.scheduleWords == "No deadlines")
    }

    @Test func buttonTitleFollowsTheState() {
        var state = state(left: .hours(5))
        #expect(state.buttonWords(hasMissed: false) == "Check in")
        #expect(state.buttonWords(hasMissed: true) == "Press to tell everyone you’re OK")
        state.isCheckingIn = true
        #expect(state.buttonWords(hasMissed: true) == "Checking in …")
    }

    @Test func typedHoursAreParsed() {
        #expect(
            ["12", " 1 2 ", "0", "-3", "x", "999", "1000"].map(wholeHours) == [
                12, 12, 0, 0, 0, 999, 0,
            ])
        let presets = CheckInSettings.presets
        #expect(shownHours(.hours(24), nil, presets) == "")
        #expect(shownHours(.hours(25), nil, presets) == "25")
        #expect(shownHours(.minutes(90), nil, presets) == "")
        #expect(shownHours(.minutes(59), nil, presets) == "")
        #expect(shownHours(.hours(24), 24, presets) == "24")
        #expect(shownHours(.hours(24), 0, presets) == nil)
        #expect(hoursError == "Enter 1 to 168 hours.")
        #expect(hoursHint == "Whole hours, from 1 to 168, which is 7 days.")
    }
}
