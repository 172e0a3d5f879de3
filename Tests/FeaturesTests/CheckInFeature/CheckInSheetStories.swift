import Clients
import ComposableArchitecture
import Domain
import Foundation
import Testing

@testable import Features

@MainActor
@Suite struct CheckInSheetStories {
    let clock = TestClock()

    @Test func presetIsSavedOnce() async throws {
        let saved = Calls<CheckInSettings>([])
        let settings = CheckInSettings(
            intervalSeconds: 48 * 3600, remindTwoHoursBefore: true, remindThirtyMinutesBefore: true)
        let profile = try Fixture.profile(
            settings: settings, last: Fixture.now, next: Fixture.now.adding(.hours(48)))
        let store = checkInStore(clock: clock) { [clock] in
            $0.checkInClient.updateSettings = { settings, _ in
                saved.withValue { $0.append(settings) }
                try await clock.sleep(for: .seconds(1))
                return .confirmed(profile)
            }
        }
        await store.send(.scheduleButtonTapped) { $0.scheduleSheet = .standard }
        #expect(
            store.state.scheduleSheet?.presets == [.hours(8), .hours(16), .hours(24), .hours(48)])
        await store.send(.schedule(.intervalPresetTapped(.hours(48)))) {
            $0.scheduleSheet?.interval = .hours(48)
        }
        await store.send(.schedule(.saveTapped))
        await store.receive(\.schedule.delegate.save) { $0.isSavingSettings = true }
        await store.send(.schedule(.saveTapped))
        await store.receive(\.schedule.delegate.save)
        await clock.advance(by: .seconds(1))
        await store.receive(\.settingsResponse) {
            $0.isSavingSettings = false
            $0.scheduleSheet = nil
            $0.isScheduleSaved = true
            $0.settings = settings
            $0.lastCheckInTime = Fixture.now
            $0.nextCheckInTime = Fixture.now.adding(.hours(48))
            $0.now = Fixture.now.adding(.seconds(1))
        }
        #expect(saved.value == [settings])
        await store.send(.scheduleSavedDismissed) { $0.isScheduleSaved = false }
        await store.send(.onDisappear) { $0.hasLeft = true }
    }

    @Test(arguments: [
        (0, false), (1, true), (36, true), (168, true), (169, false), (-1, false), (.max, false),
        (.min, false),
    ])
    func acceptsOneHourToSevenDays(hours: Int, isAccepted: Bool) async {
        let saved = Calls<Int>([])
        let store = checkInStore(.init(scheduleSheet: .standard), clock: clock) {
            $0.checkInClient.updateSettings = { settings, _ in
                saved.withValue { $0.append(settings.intervalSeconds) }
                return .waiting
            }
        }
        store.exhaustivity = .off
        await store.send(.schedule(.customIntervalChanged(hours: hours)))
        #expect(store.state.canSaveSchedule == isAccepted)
        #expect(store.state.scheduleSheet?.refusalWords == (isAccepted ? nil : hoursError))
        await store.send(.schedule(.saveTapped))
        if store.state.scheduleSheet?.question != nil {
            await store.send(.schedule(.questionAnswered(yes: true)))
        }
        if isAccepted { await store.receive(\.settingsResponse) }
        #expect(saved.value == (isAccepted ? [hours * 3600] : []))
        #expect((store.state.scheduleSheet == nil) == isAccepted)
    }

    @Test func intervalAndRemindersAreSavedTogether() async {
        let saved = Calls<CheckInSettings>([])
        let store = checkInStore(clock: clock) {
            $0.checkInClient.updateSettings = { settings, _ in
                saved.withValue { $0.append(settings) }
                return .waiting
            }
        }
        store.exhaustivity = .off
        await store.send(.scheduleButtonTapped)
        await store.send(.schedule(.intervalPresetTapped(.hours(8))))
        await store.send(.schedule(.twoHoursReminderToggled))
        await store.send(.schedule(.saveTapped))
        await store.receive(\.settingsResponse)
        let chosen = CheckInSettings(
            intervalSeconds: 8 * 3600, remindTwoHoursBefore: false, remindThirtyMinutesBefore: true)
        #expect(saved.value == [chosen] && store.state.settings == chosen)
    }

    /// The pause ended an hour ago, and the last check-in was before it or after it.
    @Test(arguments: [(Duration.hours(-3), Duration.hours(7)), (.minutes(-30), .minutes(450))])
    func formShowsTheDeadlinesAfterAnEndedPause(last: Duration, first: Duration) async throws {
        let end = Fixture.now.adding(.hours(-1))
        var settings = CheckInSettings.standard
        settings.plan = .times(Fixture.daily(at: try #require(TimeOfDay("10:00"))))
        var profile = try Fixture.profile(
            settings: settings, last: Fixture.now.adding(last), next: end.adding(.hours(12)))
        profile.start = FirstDeadline(from: end, deadline: end.adding(.hours(12)))
        profile.endedPause = CheckInPause(began: end.adding(.hours(-3)), until: end)
        let store = checkInStore(clock: clock)
        store.exhaustivity = .off
        await store.send(.profileUpdated(profile))
        #expect(!store.state.isPaused)
        await store.send(.scheduleButtonTapped)
        await store.send(.schedule(.kindChosen(.interval)))
        await store.send(.schedule(.intervalPresetTapped(.hours(8))))
        #expect(store.state.scheduleSheet?.nextDeadlines.first == Fixture.now.adding(first))
        await store.send(.onDisappear)
    }

    @Test func offlineReminderChangesAreQueued() async {
        let store = checkInStore(clock: clock) {
            $0.checkInClient.updateSettings = { _, _ in .waiting }
        }
        await store.send(.scheduleButtonTapped) { $0.scheduleSheet = .standard }
        await store.send(.schedule(.twoHoursReminderToggled)) {
            $0.scheduleSheet?.twoHoursBefore = false
        }
        await store.send(.schedule(.thirtyMinutesReminderToggled)) {
            $0.scheduleSheet?.thirtyMinutesBefore = false
        }
        await store.send(.schedule(.saveTapped))
        await store.receive(\.schedule.delegate.save) { $0.isSavingSettings = true }
        await store.receive(\.settingsResponse) {
            $0.isSavingSettings = false
            $0.scheduleSheet = nil
            $0.settings.remindTwoHoursBefore = false
            $0.settings.remindThirtyMinutesBefore = false
            $0.areSettingsWaiting = true
            $0.now = Fixture.now
        }
        await store.send(.connectivityChanged(Connectivity())) { $0.areSettingsWaiting = false }
    }

    @Test func currentIntervalOutsideLimitsAllowsReminderChanges() async {
        let settings = CheckInSettings(
            intervalSeconds: 10, remindTwoHoursBefore: false, remindThirtyMinutesBefore: true)
        let saved = Calls<CheckInSettings>([])
        var present = settings
        present.remindTwoHoursBefore = true
        let store = checkInStore(.init(settings: present), clock: clock) {
            $0.checkInClient.updateSettings = { settings, _ in
                saved.withValue { $0.append(settings) }
                return .waiting
            }
        }
        store.exhaustivity = .off
        await store.send(.scheduleButtonTapped)
        await store.send(.schedule(.twoHoursReminderToggled))
        await store.send(.schedule(.saveTapped))
        await store.receive(\.settingsResponse)
        #expect(saved.value == [settings] && store.state.error == nil)
    }

    @Test func refusalKeepsTheSheetAndItsChoices() async {
        let store = checkInStore(clock: clock) {
            $0.checkInClient.updateSettings = { _, _ in throw UserFacingError.refused }
        }
        await store.send(.scheduleButtonTapped) { $0.scheduleSheet = .standard }
        await store.send(.schedule(.intervalPresetTapped(.hours(8)))) {
            $0.scheduleSheet?.interval = .hours(8)
        }
        await store.send(.schedule(.saveTapped))
        await store.receive(\.schedule.delegate.save) { $0.isSavingSettings = true }
        await store.receive(\.settingsResponse) {
            $0.isSavingSettings = false
            $0.error = .refused
        }
        #expect(store.state.settings == .standard)
        await store.send(.sheetDismissed) { $0.scheduleSheet = nil }
    }

    /// While a change is sent, the profile shows it already, and after a refusal no longer.
    @Test func refusalKeepsTheChoicesThatTheProfileHad() async throws {
        let store = checkInStore(clock: clock) { [clock] in
            $0.checkInClient.updateSettings = { _, _ in
                try await clock.sleep(for: .seconds(1))
                throw UserFacingError.refused
            }
        }
        store.exhaustivity = .off
        let (last, next) = (Fixture.now, Fixture.now.adding(.hours(24)))
        let old = try Fixture.profile(last: last, next: next)
        var chosen = old
        chosen.settings.remindTwoHoursBefore.toggle()
        await store.send(.profileUpdated(old))
        await store.send(.scheduleButtonTapped)
        await store.send(.schedule(.twoHoursReminderToggled))
        await store.send(.schedule(.saveTapped))
        await store.receive(\.schedule.delegate.save)
        await store.send(.profileUpdated(chosen))
        await clock.advance(by: .seconds(1))
        await store.receive(\.settingsResponse)
        await store.send(.profileUpdated(old))
        #expect(store.state.scheduleSheet?.changes == [.twoHours])
        #expect(store.state.scheduleSheet?.settings == chosen.settings)
        await store.send(.onDisappear)
    }

    @Test func closingTheSheetChangesNothing() async {
        let store = checkInStore(clock: clock)
        await store.send(.scheduleButtonTapped) { $0.scheduleSheet = .standard }
        await store.send(.schedule(.customIntervalChanged(hours: 5))) {
            $0.scheduleSheet?.interval = .hours(5)
            $0.scheduleSheet?.typedHours = 5
        }
        await store.send(.schedule(.intervalPresetTapped(.hours(8)))) {
            $0.scheduleSheet?.interval = .hours(8)
            $0.scheduleSheet?.typedHours = nil
        }
        await store.send(.sheetDismissed) { $0.scheduleSheet = nil }
        #expect(store.state.settings == .standard)
    }

    /// The person checked in ten hours ago, so a deadline after eight hours has passed.
    @Test func overdueAtOnceIsAskedBeforeSaving() async {
        let last = Fixture.now.adding(.hours(-10))
        let saved = Calls<CheckInSettings>([])
        let store = checkInStore(
            .init(lastCheckInTime: last, nextCheckInTime: last.adding(.hours(24))), clock: clock
        ) {
            $0.checkInClient.updateSettings = { settings, _ in
                saved.withValue { $0.append(settings) }
                return .waiting
            }
        }
        store.exhaustivity = .off
        await store.send(.scheduleButtonTapped)
        await store.send(.schedule(.intervalPresetTapped(.hours(8))))
        await store.send(.schedule(.saveTapped))
        #expect(store.state.scheduleSheet?.question == .overdueAtOnce)
        await store.send(.schedule(.questionAnswered(yes: false)))
        #expect(store.state.scheduleSheet?.question == nil && saved.value.isEmpty)
        await store.send(.schedule(.saveTapped))
        await store.send(.schedule(.questionAnswered(yes: true)))
        await store.receive(\.settingsResponse)
        #expect(saved.value.map(\.interval) == [.hours(8)])
        await store.send(.onDisappear)
    }

    /// The person checks in on another device while the form is open.
    @Test func openFormFollowsTheScheduleInForce() async throws {
        let last = Fixture.now.adding(.hours(-10))
        let saved = Calls<CheckInSettings>([])
        let store = checkInStore(
            .init(lastCheckInTime: last, nextCheckInTime: last.adding(.hours(24))), clock: clock
        ) {
            $0.checkInClient.updateSettings = { settings, _ in
                saved.withValue { $0.append(settings) }
                return .waiting
            }
        }
        store.exhaustivity = .off
        let profile = try Fixture.profile(
            last: Fixture.now, next: Fixture.now.adding(.hours(24)))
        await store.send(.scheduleButtonTapped)
        await store.send(.schedule(.intervalPresetTapped(.hours(8))))
        await store.send(.profileUpdated(profile))
        #expect(store.state.scheduleSheet?.interval == .hours(8))
        await store.send(.schedule(.saveTapped))
        #expect(store.state.scheduleSheet?.question == nil)
        await store.receive(\.settingsResponse)
        #expect(saved.value.map(\.interval) == [.hours(8)])
        await store.send(.onDisappear)
    }

    /// Another device chooses four hours, and turns the reminder of two hours off.
    @Test func openFormTakesOverAnotherDevicesSettings() async throws {
        let last = Fixture.now.adding(.hours(-1))
        let saved = Calls<CheckInSettings>([])
        let store = checkInStore(
            .init(lastCheckInTime: last, nextCheckInTime: last.adding(.hours(24))), clock: clock
        ) {
            $0.checkInClient.updateSettings = { settings, _ in
                saved.withValue { $0.append(settings) }
                return .waiting
            }
        }
        store.exhaustivity = .off
        let others = CheckInSettings(
            intervalSeconds: 4 * 3600, remindTwoHoursBefore: false, remindThirtyMinutesBefore: true)
        await store.send(.scheduleButtonTapped)
        await store.send(
            .profileUpdated(
                try Fixture.profile(settings: others, last: last, next: last.adding(.hours(4)))))
        await store.send(.schedule(.thirtyMinutesReminderToggled))
        await store.send(.schedule(.saveTapped))
        await store.receive(\.settingsResponse)
        var expected = others
        expected.remindThirtyMinutesBefore = false
        #expect(saved.value == [expected])
        await store.send(.onDisappear)
    }

    /// Another device changes the schedule while the form is open.
    @Test func openFormSavesOnlyWhatWasChanged() async throws {
        let changes = Calls<Set<CheckInSettings.Part>>([])
        let store = checkInStore(clock: clock) {
            $0.checkInClient.updateSettings = { _, only in
                changes.withValue { $0.append(only ?? []) }
                return .waiting
            }
        }
        store.exhaustivity = .off
        var newer = CheckInSettings.standard
        newer.intervalSeconds = 8 * 3600
        let profile = try Fixture.profile(
            settings: newer, last: Fixture.now, next: Fixture.now.adding(.hours(8)))
        await store.send(.scheduleButtonTapped)
        await store.send(.schedule(.twoHoursReminderToggled))
        await store.send(.profileUpdated(profile))
        await store.send(.schedule(.saveTapped))
        await store.receive(\.settingsResponse)
        #expect(changes.value == [[.twoHours]])
        newer.remindTwoHoursBefore = false
        #expect(store.state.settings == newer)
        await store.send(.scheduleButtonTapped)
        await store.send(.schedule(.intervalPresetTapped(.hours(16))))
        await store.send(.schedule(.saveTapped))
        await store.receive(\.settingsResponse)
        #expect(changes.value == [[.twoHours], [.plan]])
        await store.send(.onDisappear)
    }

    // MARK: The time zone

    /// The person's times are in Berlin, and their device reports another zone.
    private func profile(on device: String, plan: CheckInPlan? = nil) throws -> UserProfile {
        var settings = CheckInSettings.standard
        let ten = try #require(TimeOfDay("10:00"))
        settings.plan = plan ?? .times(Fixture.daily(at: ten))
        var profile = try Fixture.profile(settings: settings)
        profile.timeZone = device
        return profile
    }

    private func zoneStore(
        saved: Calls<CheckInSettings> = Calls([])
    ) -> TestStoreOf<CheckInFeature> {
        let asked = LockIsolated<String?>(nil)
        let store = checkInStore(clock: clock) {
            $0.settingsClient.string = { key in key == .timeZoneAsked ? asked.value : nil }
            $0.settingsClient.setString = { value, key in
                if key == .timeZoneAsked { asked.withValue { $0 = value } }
            }
            $0.checkInClient.updateSettings = { settings, _ in
                saved.withValue { $0.append(settings) }
                return .waiting
            }
        }
        store.exhaustivity = .off
        return store
    }

    @Test func zoneIsAskedAboutOncePerDay() async throws {
        let (store, lisbon) = (zoneStore(), try profile(on: "Europe/Lisbon"))
        await store.send(.profileUpdated(lisbon))
        await store.receive(\.timeZoneDiffers, "Europe/Lisbon")
        #expect(
            store.state.timeZoneQuestion
                == "You seem to be in Lisbon. Use Lisbon time for your check-ins?")
        #expect(store.state.settings == lisbon.settings)
        await store.send(.timeZoneAnswered(usesNew: false))
        await clock.advance(by: .days(1) - .milliseconds(1))
        await store.send(.profileUpdated(lisbon))
        await store.skipReceivedActions(strict: false)
        #expect(store.state.newTimeZone == nil)
        await clock.advance(by: .milliseconds(1))
        await store.send(.profileUpdated(lisbon))
        await store.receive(\.timeZoneDiffers, "Europe/Lisbon")
        #expect(store.state.newTimeZone == "Europe/Lisbon")
    }

    /// Paris shows the same time as Berlin. An interval has no zone.
    @Test func sameTimeIsNotAskedAbout() async throws {
        let store = zoneStore()
        let profiles = [
            try profile(on: "Europe/Paris"), try profile(on: "Europe/Berlin"),
            try profile(on: "Europe/Atlantis"), try profile(on: "Europe/Lisbon", plan: .interval),
            try profile(on: "Europe/Lisbon", plan: CheckInPlan.none),
        ]
        for one in profiles {
            await store.send(.profileUpdated(one))
            await store.skipReceivedActions(strict: false)
            #expect(store.state.newTimeZone == nil)
        }
    }

    @Test func newZoneIsSavedOnlyAfterTheAnswer() async throws {
        let saved = Calls<CheckInSettings>([])
        let (store, lisbon) = (zoneStore(saved: saved), try profile(on: "Europe/Lisbon"))
        await store.send(.profileUpdated(lisbon))
        await store.receive(\.timeZoneDiffers)
        #expect(saved.value.isEmpty)
        #expect(store.state.timeZoneAnswers.new == "Use Lisbon time")
        await store.send(.timeZoneAnswered(usesNew: true))
        await store.receive(\.settingsResponse)
        var settings = lisbon.settings
        let ten = try #require(TimeOfDay("10:00"))
        settings.plan = .times(Fixture.daily(at: ten, in: "Europe/Lisbon"))
        #expect(saved.value == [settings] && store.state.settings == settings)
        #expect(store.state.newTimeZone == nil)
        await store.send(.timeZoneAnswered(usesNew: true))
        await store.skipReceivedActions(strict: false)
        #expect(saved.value.count == 1)
    }

    @Test func zoneOfSleepHoursIsAskedAbout() async throws {
        let saved = Calls<CheckInSettings>([])
        var sleep = SleepHours(
            from: try #require(TimeOfDay("22:00")), until: try #require(TimeOfDay("07:00")),
            timeZone: "Europe/Berlin")
        let lisbon = try profile(on: "Europe/Lisbon", plan: .intervalWithSleep(sleep))
        let store = zoneStore(saved: saved)
        await store.send(.profileUpdated(lisbon))
        await store.receive(\.timeZoneDiffers, "Europe/Lisbon")
        #expect(
            store.state.timeZoneQuestion
                == "You seem to be in Lisbon. Use Lisbon time for your sleep hours?")
        #expect(store.state.timeZoneAnswers.present == "Keep Berlin time")
        await store.send(.timeZoneAnswered(usesNew: true))
        await store.receive(\.settingsResponse)
        sleep.timeZone = "Europe/Lisbon"
        #expect(saved.value.map(\.plan) == [.intervalWithSleep(sleep)])
    }

    @Test func keptZoneChangesNothing() async throws {
        let saved = Calls<CheckInSettings>([])
        let (store, lisbon) = (zoneStore(saved: saved), try profile(on: "Europe/Lisbon"))
        await store.send(.profileUpdated(lisbon))
        await store.receive(\.timeZoneDiffers)
        #expect(store.state.timeZoneAnswers.present == "Keep Berlin time")
        await store.send(.timeZoneAnswered(usesNew: false))
        await store.skipReceivedActions(strict: false)
        #expect(saved.value.isEmpty && store.state.newTimeZone == nil)
        #expect(store.state.settings == lisbon.settings && !store.state.isSavingSettings)
    }

    /// It is 23:13 in Berlin and 22:13 in Lisbon. In Berlin the deadline is inside the sleep hours,
    /// which haven't begun in Lisbon.
    @Test(arguments: [(Duration.zero, true), (.milliseconds(1), false)])
    func zoneThatAlarmsAtOnceIsAskedInTheForm(left: Duration, isAsked: Bool) async throws {
        let saved = Calls<CheckInSettings>([])
        var sleep = SleepHours(
            from: try #require(TimeOfDay("23:00")), until: try #require(TimeOfDay("07:00")),
            timeZone: "Europe/Berlin")
        var lisbon = try profile(on: "Europe/Lisbon", plan: .intervalWithSleep(sleep))
        lisbon.lastCheckInTime = Fixture.now.adding(.hours(-24) + left)
        let store = zoneStore(saved: saved)
        await store.send(.profileUpdated(lisbon))
        await store.receive(\.timeZoneDiffers, "Europe/Lisbon")
        await store.send(.timeZoneAnswered(usesNew: true))
        let form = store.state.scheduleSheet
        #expect(form?.question == (isAsked ? .overdueAtOnce : nil))
        if isAsked {
            #expect(form?.timeZone == "Europe/Lisbon" && saved.value.isEmpty)
            #expect(store.state.settings == lisbon.settings && !store.state.isSavingSettings)
            await store.send(.schedule(.questionAnswered(yes: true)))
        }
        await store.receive(\.settingsResponse)
        sleep.timeZone = "Europe/Lisbon"
        #expect(saved.value.map(\.plan) == [.intervalWithSleep(sleep)])
        #expect(store.state.scheduleSheet == nil)
    }

    @Test func questionFollowsTheDevice() async throws {
        let store = zoneStore()
        await store.send(.profileUpdated(try profile(on: "Europe/Lisbon")))
        await store.receive(\.timeZoneDiffers, "Europe/Lisbon")
        await store.send(.profileUpdated(try profile(on: "Europe/Athens")))
        #expect(store.state.newTimeZone == "Europe/Athens")
        await store.send(.profileUpdated(try profile(on: "Europe/Berlin")))
        #expect(store.state.newTimeZone == nil)
    }

    // MARK: The history

    @Test func historyPagesAreNewestFirstWithoutDuplicates() async {
        let records = (1...3).map { Fixture.checkIn($0, at: Fixture.now.adding(.hours(-Int($0)))) }
        let pages = Calls<String?>([])
        let store = checkInStore(clock: clock) { [clock] in
            $0.checkInClient.history = { before in
                pages.withValue { $0.append(before) }
                try await clock.sleep(for: .seconds(1))
                return before == nil
                    ? ListPage(items: [records[0], records[1]], next: "2")
                    : ListPage(items: [records[1], records[2]])
            }
        }
        await store.send(.loadHistory) { $0.isLoadingHistory = true }
        await store.send(.loadHistory)
        await store.send(.loadMoreHistory)
        await clock.advance(by: .seconds(1))
        await store.receive(\.historyResponse.success) {
            $0.isLoadingHistory = false
            $0.checkInHistory = [records[0], records[1]]
            $0.nextHistoryPage = "2"
        }
        await store.send(.loadMoreHistory) { $0.isLoadingHistory = true }
        await store.send(.loadMoreHistory)
        await clock.advance(by: .seconds(1))
        await store.receive(\.historyResponse.success) {
            $0.isLoadingHistory = false
            $0.checkInHistory = records
            $0.nextHistoryPage = nil
        }
        await store.send(.loadMoreHistory)
        #expect(pages.value == [nil, "2"])
    }

    @Test func leavingCancelsTheHistoryAndFailuresShow() async {
        let store = checkInStore(clock: clock) { [clock] in
            $0.checkInClient.history = { _ in
                try await clock.sleep(for: .seconds(1))
                throw UserFacingError.refused
            }
        }
        await store.send(.loadHistory) { $0.isLoadingHistory = true }
        await store.send(.onDisappear) {
            $0.hasLeft = true
            $0.isLoadingHistory = false
        }
        await clock.advance(by: .seconds(1))
        await store.send(.loadHistory) { $0.isLoadingHistory = true }
        await clock.advance(by: .seconds(1))
        await store.receive(\.historyResponse.failure) {
            $0.isLoadingHistory = false
            $0.error = .refused
        }
    }
}

extension ScheduleFeature.State {
    /// The form of a person without a check-in, opened at the tests' time.
    fileprivate static let standard = ScheduleFeature.State(
        CheckInSchedule(settings: .standard, lastCheckIn: nil), timeZone: nil, at: Fixture.now)
}
