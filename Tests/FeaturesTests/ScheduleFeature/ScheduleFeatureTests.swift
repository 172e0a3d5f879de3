import Clients
import ComposableArchitecture
import Domain
import Foundation
import Testing

@testable import Features

@MainActor
@Suite struct ScheduleFeatureTests {
    typealias State = ScheduleFeature.State
    typealias Window = ScheduleFeature.Window

    private func form(
        _ settings: CheckInSettings = .standard, last: Date = Fixture.now,
        zone: String? = "Europe/Berlin", _ change: (inout State) -> Void = { _ in }
    ) -> State {
        var state = State(
            CheckInSchedule(settings: settings, lastCheckIn: last), timeZone: zone, at: Fixture.now)
        change(&state)
        return state
    }

    private func times(_ change: (inout State) -> Void = { _ in }) -> State {
        form {
            $0.kind = .times
            change(&$0)
        }
    }

    private func daily(in zone: String = "Europe/Berlin") throws -> CheckInSettings {
        var settings = CheckInSettings.standard
        let ten = try #require(TimeOfDay("10:00"))
        settings.plan = .times(Fixture.daily(at: ten, in: zone))
        return settings
    }

    /// The device's clock is 30 seconds behind the server's.
    /// - Parameter passed: the time since the form was opened.
    private func store(_ state: State, after passed: Duration = .zero) -> TestStoreOf<
        ScheduleFeature
    > {
        TestStore(initialState: state) {
            ScheduleFeature()
        } withDependencies: {
            $0.date = .constant(Fixture.now.adding(passed - .seconds(30)))
            $0.serverClock.offset = { .seconds(30) }
        }
    }

    /// 9:00 UTC, 10:00 in Berlin.
    private func ten(day: Int) -> Date {
        let firstOfMonth = Date(timeIntervalSince1970: 1_698_796_800)
        return firstOfMonth.adding(.days(day - 1) + .hours(9))
    }

    // MARK: Choices

    @Test func intervalIsChosenOrTyped() async {
        let store = store(form())
        await store.send(.customIntervalChanged(hours: 5)) {
            $0.interval = .hours(5)
            $0.typedHours = 5
        }
        await store.send(.intervalPresetTapped(.hours(8))) {
            $0.interval = .hours(8)
            $0.typedHours = nil
        }
        await store.send(.twoHoursReminderToggled) { $0.twoHoursBefore = false }
        await store.send(.thirtyMinutesReminderToggled) { $0.thirtyMinutesBefore = false }
    }

    @Test func lastCallIsChosen() async {
        let store = store(form())
        #expect(store.state.lastCall == .standard)
        await store.send(.lastCallToggled) { $0.lastCall.sendsMessage = false }
        await store.send(.lastCallToggled) { $0.lastCall.sendsMessage = true }
        await store.send(.lastCallByPhoneChosen(true)) { $0.lastCall.calls = true }
        await store.send(.lastCallByPhoneChosen(false)) { $0.lastCall.calls = false }
        await store.send(.lastCallAnswersToggled) { $0.lastCall.takesAnswers = true }
        #expect(
            store.state.settings.lastCall
                == LastCall(sendsMessage: true, calls: false, takesAnswers: true))
        // The deadlines don't change, so nothing is asked.
        #expect(store.state.questionBeforeSaving == nil)
        await store.send(.lastCallByPhoneChosen(nil)) { $0.lastCall.calls = nil }
        await store.send(.lastCallAnswersToggled) { $0.lastCall.takesAnswers = false }
        #expect(store.state.settings == .standard)
    }

    @Test func storedLastCallFillsTheForm() {
        var settings = CheckInSettings.standard
        settings.lastCall = LastCall(sendsMessage: false, calls: true, takesAnswers: true)
        #expect(form(settings).lastCall == settings.lastCall)
        #expect(form(settings).settings == settings)
        #expect(Set(LastCall.callChoices.map(LastCall.words(ofCalls:))).count == 3)
    }

    @Test func sleepHoursAreChosen() async throws {
        let store = store(form())
        #expect(!store.state.hasSleepHours && store.state.settings == .standard)
        await store.send(.sleepHoursToggled) { $0.hasSleepHours = true }
        await store.send(.sleepFromChanged("23:30")) { $0.sleepFrom = "23:30" }
        await store.send(.sleepUntilChanged("08:00")) { $0.sleepUntil = "08:00" }
        let chosen = try sleep("23:30", "08:00")
        #expect(store.state.settings.plan == .intervalWithSleep(chosen))
        await store.send(.sleepHoursToggled) { $0.hasSleepHours = false }
        #expect(store.state.settings == .standard)
    }

    @Test func storedSleepHoursFillTheForm() throws {
        var settings = CheckInSettings.standard
        settings.plan = .intervalWithSleep(try sleep("23:30", "08:00", in: "Asia/Tokyo"))
        let state = form(settings)
        #expect(state.kind == .interval && state.hasSleepHours)
        #expect(state.sleepFrom == "23:30" && state.sleepUntil == "08:00")
        #expect(state.timeZone == "Asia/Tokyo" && state.settings == settings)
    }

    private func sleep(
        _ from: String, _ until: String, in zone: String = "Europe/Berlin"
    ) throws -> SleepHours {
        SleepHours(
            from: try #require(TimeOfDay(from)), until: try #require(TimeOfDay(until)),
            timeZone: zone)
    }

    /// Sleep hours from 22:00 to 7:00 in Berlin, or others.
    private func sleeping(_ change: (inout State) -> Void = { _ in }) -> State {
        form {
            $0.hasSleepHours = true
            change(&$0)
        }
    }

    @Test func windowsAreAddedChangedAndRemoved() async {
        let store = store(form())
        await store.send(.kindChosen(.times)) { $0.kind = .times }
        await store.send(.addWindowTapped) {
            $0.windows.append(
                Window(id: 1, days: Set(Weekday.allCases), deadline: "22:00", lead: nil))
        }
        await store.send(.deadlineChanged(1, "21:")) { $0.windows[1].deadline = "21:" }
        await store.send(.deadlineChanged(1, "21:30")) { $0.windows[1].deadline = "21:30" }
        await store.send(.dayToggled(1, .sunday)) { $0.windows[1].days.remove(.sunday) }
        await store.send(.dayToggled(0, .monday)) { $0.windows[0].days.remove(.monday) }
        await store.send(.dayToggled(0, .monday)) { $0.windows[0].days.insert(.monday) }
        await store.send(.leadChosen(1, minutes: 60)) { $0.windows[1].lead = 60 }
        await store.send(.leadChosen(1, minutes: nil)) { $0.windows[1].lead = nil }
        await store.send(.timeZoneChanged("Asia/Tokyo")) { $0.timeZone = "Asia/Tokyo" }
        await store.send(.deadlineChanged(9, "8:00"))
        await store.send(.removeWindowTapped(9))
        await store.send(.removeWindowTapped(0)) { $0.windows.remove(at: 0) }
        // One window stays.
        await store.send(.removeWindowTapped(1))
    }

    @Test func atMostSixWindowsAreAdded() async {
        let store = store(times())
        store.exhaustivity = .off
        for _ in 0..<6 { await store.send(.addWindowTapped) }
        #expect(store.state.windows.map(\.id) == Array(0..<6) && !store.state.canAddWindow)
        await store.send(.removeWindowTapped(2))
        #expect(store.state.canAddWindow)
    }

    @Test func storedTimesFillTheForm() throws {
        var settings = try daily(in: "Asia/Tokyo")
        settings.plan = .times(
            CheckInTimes(
                timeZone: "Asia/Tokyo",
                windows: [
                    CheckInWindow(
                        days: [.monday], opens: TimeOfDay("08:00"),
                        deadline: try #require(TimeOfDay("09:30")))
                ]))
        let state = form(settings)
        #expect(state.kind == .times && state.timeZone == "Asia/Tokyo")
        #expect(state.windows == [Window(id: 0, days: [.monday], deadline: "09:30", lead: 90)])
        #expect(state.settings == settings)
    }

    // MARK: Refusals

    nonisolated static let refusals: [(@Sendable (inout State) -> Void, RefusalWords?)] = [
        ({ _ in }, nil),
        ({ $0.timeZone = "" }, .noTimeZone),
        ({ $0.timeZone = "europe/berlin" }, nil),
        ({ $0.timeZone = "Europe/Atlantis" }, .timeZone),
        ({ $0.windows[0].days = [] }, .noTimes),
        ({ $0.windows[0].lead = 29 }, .windowLength),
        ({ $0.windows[0].lead = 30 }, nil),
        ({ $0.windows[0].lead = 1440 }, nil),
        ({ $0.add("10:59") }, .deadlinesTooClose),
        ({ $0.add("11:00") }, nil),
        ({ $0.add("12:00", lead: 120) }, nil),
        ({ $0.add("12:00", lead: 121) }, .windowsOverlap),
        ({ state in (11...15).forEach { state.add("\($0):00") } }, nil),
        ({ state in (11...16).forEach { state.add("\($0):00") } }, .windowsPerDay),
    ]

    @Test(arguments: refusals.indices) func timesThatBreakARuleAreRefused(index: Int) {
        let (change, refusal) = Self.refusals[index]
        let state = times(change)
        #expect(state.refusalWords == refusal?.detail)
        #expect(state.canSave == (refusal == nil))
        #expect(state.nextDeadlines.isEmpty == (refusal != nil))
    }

    @Test func typedZoneIsSavedByItsName() {
        let state = times { $0.timeZone = "america/new york" }
        #expect(state.settings.plan.timeZone == "America/New_York")
        #expect(state.timeZone == "america/new york")
    }

    @Test func missingTimeIsNamed() {
        #expect(times { $0.windows[0].deadline = "" }.refusalWords == "Enter a time like 10:00.")
    }

    @Test(arguments: ["7", "7:0", "25:00", "noon"]) func unfinishedTimeIsNamed(text: String) {
        let state = times { $0.windows[0].deadline = text }
        #expect(state.refusalWords == "“\(text)” is not a time. Enter it like 10:00.")
        #expect(state.longestSilenceWords == nil)
    }

    @Test(arguments: [(0, false), (1, true), (168, true), (169, false)])
    func intervalHasLimits(hours: Int, isAccepted: Bool) {
        let state = form { $0.interval = .hours(hours) }
        #expect(state.refusalWords == (isAccepted ? nil : hoursError))
    }

    @Test(arguments: [CheckInPlan.Kind.times, .none])
    func hiddenIntervalIsSavedOnlyIfAccepted(kind: CheckInPlan.Kind) {
        var settings = CheckInSettings.standard
        settings.intervalSeconds = 36 * 3_600
        var state = form(settings) { $0.kind = kind }
        for (hours, saved) in [(0, 36), (1, 1), (168, 168), (169, 36)] {
            (state.interval, state.typedHours) = (.hours(hours), hours)
            #expect(state.canSave)
            #expect(state.settings.interval == .hours(saved))
        }
        // The typed number stays where the form shows it.
        state.kind = .interval
        #expect(!state.canSave && state.settings.interval == .hours(169))
    }

    nonisolated static let sleepRefusals: [(@Sendable (inout State) -> Void, String?)] = [
        ({ _ in }, nil),
        ({ $0.sleepUntil = "08:00" }, nil),
        ({ $0.sleepUntil = "08:01" }, RefusalWords.sleepLength.detail),
        ({ $0.sleepUntil = "22:30" }, nil),
        ({ $0.sleepUntil = "22:29" }, RefusalWords.sleepLength.detail),
        ({ $0.timeZone = "" }, RefusalWords.noTimeZone.detail),
        ({ $0.sleepFrom = "" }, "Enter a time like 10:00."),
        ({ $0.sleepUntil = "7" }, "“7” is not a time. Enter it like 10:00."),
    ]

    @Test(arguments: sleepRefusals.indices) func sleepHoursThatBreakARuleAreRefused(index: Int) {
        let (change, words) = Self.sleepRefusals[index]
        let state = sleeping(change)
        #expect(state.sleepRefusalWords == words && state.intervalRefusalWords == nil)
        #expect(state.refusalWords == words && state.canSave == (words == nil))
        // They don't matter to other kinds, or without sleep hours.
        var other = state
        other.kind = .none
        #expect(other.canSave)
        other = state
        other.hasSleepHours = false
        #expect(other.canSave)
    }

    @Test func intervalIsRefusedBeforeItsSleepHours() {
        let state = sleeping {
            $0.interval = .hours(169)
            $0.sleepUntil = "22:00"
        }
        #expect(state.refusalWords == hoursError)
    }

    @Test func refusedFormIsNotSaved() async {
        let store = store(times { $0.timeZone = "" })
        await store.send(.saveTapped)
        await store.send(.questionAnswered(yes: true))
    }

    // MARK: What the schedule means

    @Test func nextDeadlinesFollowTheInterval() {
        let state = form { $0.interval = .hours(8) }
        let hours = state.nextDeadlines.map { ($0.since(Fixture.now) / .hours(1)).rounded() }
        #expect(hours == [8, 16, 24])
    }

    /// 14 November 2023, 23:13 in Berlin. Eight hours later it is 7:13.
    @Test func nextDeadlinesAvoidSleep() throws {
        let state = sleeping {
            $0.interval = .hours(8)
            $0.sleepUntil = "07:30"
        }
        // 8:30 in Berlin.
        let first = ten(day: 15).adding(.minutes(-90))
        #expect(
            state.nextDeadlines == [first, first.adding(.hours(8)), first.adding(.hours(24))])
        #expect(
            state.longestSilenceWords
                == """
                Longest time until we tell someone: 18 hours 30 minutes (19 hours 30 minutes when \
                the clocks change)
                """)
    }

    @Test func nextDeadlinesFollowTheClock() {
        #expect(times().nextDeadlines == [15, 16, 17].map(ten))
        let twoDays = times { $0.windows[0].days = [.wednesday, .friday] }
        #expect(twoDays.nextDeadlines == [15, 17, 22].map(ten))
        #expect(form { $0.kind = .none }.nextDeadlines.isEmpty)
    }

    /// The present deadline is on Wednesday. The first new one is at most 24 hours later.
    @Test func firstDeadlineIsAtMostADayLater() throws {
        let last = Fixture.now.adding(.hours(-1))
        let state = form(try daily(), last: last) { $0.windows[0].days = [.monday] }
        #expect(state.nextDeadlines == [16, 20, 27].map(ten))
    }

    @Test func longestSilenceNamesTheChangeOfClocks() {
        let words = "Longest time until we tell someone: "
        #expect(form().longestSilenceWords == words + "24 hours")
        #expect(
            times().longestSilenceWords == words + "30 hours (31 hours when the clocks change)")
        let tokyo = times { $0.timeZone = "Asia/Tokyo" }
        #expect(tokyo.longestSilenceWords == words + "30 hours")
        #expect(
            form { $0.kind = .none }.longestSilenceWords
                == "Nobody is told if you are silent. Alerts still work.")
    }

    // MARK: Questions

    @Test func silenceOfMoreThanTwoDaysIsAsked() {
        #expect(form { $0.interval = .hours(48) }.questionBeforeSaving == nil)
        #expect(
            form { $0.interval = .hours(49) }.questionBeforeSaving == .longSilence(.hours(49)))
        // A day from the opening to the deadline, and a day to the next one.
        #expect(times { $0.windows[0].lead = 1440 }.questionBeforeSaving == nil)
        #expect(
            times { $0.windows[0].days.remove(.sunday) }.questionBeforeSaving
                == .longSilence(.hours(54)))
        #expect(form { $0.kind = .none }.questionBeforeSaving == .noDeadlines)
    }

    @Test func unchangedDeadlinesAreNotAsked() {
        var settings = CheckInSettings.standard
        settings.intervalSeconds = 72 * 3600
        #expect(form(settings) { $0.twoHoursBefore = false }.questionBeforeSaving == nil)
    }

    @Test func newDeadlineInThePastIsAsked() {
        func question(afterHours hours: Int, and rest: Duration = .zero)
            -> ScheduleFeature.Question?
        {
            let last = Fixture.now.adding(.hours(-hours) + rest)
            return form(last: last) { $0.interval = .hours(8) }.questionBeforeSaving
        }
        #expect(question(afterHours: 8, and: .milliseconds(1)) == nil)
        #expect(question(afterHours: 8) == .overdueAtOnce)
        // The responders have been told already.
        #expect(question(afterHours: 24) == nil)
    }

    /// The new deadline is a minute after the form was opened.
    @Test(arguments: [(59_999, false), (60_000, true)])
    func deadlineThatPassesWhileTheFormIsOpenIsAsked(milliseconds: Int, isAsked: Bool) async {
        let last = Fixture.now.adding(.hours(-8) + .minutes(1))
        let state = form(last: last) { $0.interval = .hours(8) }
        #expect(state.questionBeforeSaving == nil)
        let store = store(state, after: .milliseconds(milliseconds))
        store.exhaustivity = .off
        await store.send(.saveTapped)
        #expect(store.state.question == (isAsked ? .overdueAtOnce : nil))
        if !isAsked { await store.receive(\.delegate.save, state.settings) }
    }

    @Test func questionsSayWhatWouldHappen() {
        #expect(ScheduleFeature.Question.overdueAtOnce.words.contains("told at once"))
        #expect(ScheduleFeature.Question.longSilence(.hours(54)).words.contains("54 hours"))
        #expect(ScheduleFeature.Question.noDeadlines.words.contains("no one"))
        #expect(Window.leadWords(nil) == "6 hours before (usual)")
        #expect(Window.leadWords(30) == "30 minutes before")
        #expect(Set(CheckInPlan.Kind.choices) == Set(CheckInPlan.Kind.allCases))
    }

    // MARK: Changes on another device

    /// The form after another device's change.
    private func followed(
        _ settings: CheckInSettings, from old: CheckInSettings = .standard,
        _ change: (inout State) -> Void = { _ in }
    ) -> State {
        var state = form(old) { change(&$0) }
        state.follow(
            CheckInSchedule(settings: settings, lastCheckIn: Fixture.now), at: Fixture.now)
        return state
    }

    private let othersReminders = CheckInSettings(
        intervalSeconds: 4 * 3600, remindTwoHoursBefore: false, remindThirtyMinutesBefore: true,
        lastCall: LastCall(sendsMessage: false, calls: true, takesAnswers: true))

    @Test func untouchedFormTakesOverEverything() throws {
        #expect(followed(othersReminders).settings == othersReminders)
        let times = try daily(in: "Asia/Tokyo")
        #expect(followed(times).settings == times)
        #expect(followed(.standard, from: times).settings == .standard)
        var sleeping = CheckInSettings.standard
        sleeping.plan = .intervalWithSleep(try sleep("23:30", "08:00"))
        #expect(followed(sleeping).settings == sleeping)
    }

    @Test func changedFieldsStayAndOthersAreTakenOver() {
        let state = followed(othersReminders) {
            $0.interval = .hours(8)
            $0.thirtyMinutesBefore = false
            $0.lastCall.calls = false
        }
        #expect(state.interval == .hours(8))
        #expect(!state.twoHoursBefore && !state.thirtyMinutesBefore)
        #expect(
            state.lastCall == LastCall(sendsMessage: false, calls: false, takesAnswers: true))
    }

    @Test func changedPlanStaysWhole() throws {
        let times = try daily()
        // The other device has chosen an interval, and this person has typed another time.
        let state = followed(othersReminders, from: times) { $0.windows[0].deadline = "08:00" }
        #expect(state.kind == .times && state.windows.map(\.deadline) == ["08:00"])
        #expect(state.timeZone == "Europe/Berlin" && !state.twoHoursBefore)
        let typed = followed(times) {
            $0.interval = .hours(30)
            $0.typedHours = 30
        }
        #expect(typed.kind == .interval && typed.interval == .hours(30))
    }

    @Test func unchangedScheduleKeepsTheForm() {
        let state = form { $0.interval = .hours(8) }
        var followed = state
        followed.follow(state.present, at: Fixture.now)
        #expect(followed == state)
    }

    @Test func openQuestionIsAboutTheNewSchedule() {
        var old = CheckInSettings.standard
        old.intervalSeconds = 72 * 3600
        let asked = followed(.standard, from: old) {
            $0.kind = .none
            $0.question = .noDeadlines
        }
        #expect(asked.question == .noDeadlines)
        var none = CheckInSettings.standard
        none.plan = .none
        let answered = followed(none) {
            $0.kind = .none
            $0.question = .noDeadlines
        }
        #expect(answered.question == nil)
    }

    // MARK: Saving

    @Test func formIsSavedOnce() async throws {
        let settings = try daily()
        let store = store(times())
        await store.send(.saveTapped)
        await store.receive(\.delegate.save, settings)
        await store.send(.questionAnswered(yes: true))
    }

    @Test func answeredQuestionSavesOnce() async {
        let state = form { $0.kind = .none }
        let settings = state.settings
        let store = store(state)
        await store.send(.saveTapped) { $0.question = .noDeadlines }
        await store.send(.questionAnswered(yes: false)) { $0.question = nil }
        await store.send(.saveTapped) { $0.question = .noDeadlines }
        await store.send(.questionAnswered(yes: true)) { $0.question = nil }
        await store.receive(\.delegate.save, settings)
        await store.send(.questionAnswered(yes: true))
    }
}

extension ScheduleFeature.State {
    fileprivate mutating func add(_ deadline: String, lead: Int? = nil) {
        windows.append(
            ScheduleFeature.Window(
                id: windows.count, days: Set(Weekday.allCases), deadline: deadline, lead: lead))
    }
}
