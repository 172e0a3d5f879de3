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
            $0.checkInClient.updateSettings = { settings in
                saved.withValue { $0.append(settings) }
                try await clock.sleep(for: .seconds(1))
                return .confirmed(profile)
            }
        }
        await store.send(.scheduleButtonTapped) { $0.scheduleSheet = .init(.standard) }
        #expect(
            store.state.scheduleSheet?.presets == [.hours(8), .hours(16), .hours(24), .hours(48)])
        await store.send(.intervalPresetTapped(.hours(48))) {
            $0.scheduleSheet?.interval = .hours(48)
        }
        await store.send(.saveScheduleButtonTapped) { $0.isSavingSettings = true }
        await store.send(.saveScheduleButtonTapped)
        await clock.advance(by: .seconds(1))
        await store.receive(\.settingsResponse) {
            $0.isSavingSettings = false
            $0.scheduleSheet = nil
            $0.isScheduleSaved = true
            $0.checkInInterval = .hours(48)
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
        let store = checkInStore(.init(scheduleSheet: .init(.standard)), clock: clock) {
            $0.checkInClient.updateSettings = { settings in
                saved.withValue { $0.append(settings.intervalSeconds) }
                return .waiting
            }
        }
        store.exhaustivity = .off
        await store.send(.customIntervalChanged(hours: hours))
        #expect(store.state.canSaveSchedule == isAccepted)
        await store.send(.saveScheduleButtonTapped)
        await store.skipReceivedActions(strict: false)
        #expect(saved.value == (isAccepted ? [hours * 3600] : []))
        #expect(store.state.error?.code == (isAccepted ? nil : "invalid-argument"))
        #expect((store.state.scheduleSheet == nil) == isAccepted)
    }

    @Test func intervalAndRemindersAreSavedTogether() async {
        let saved = Calls<CheckInSettings>([])
        let store = checkInStore(clock: clock) {
            $0.checkInClient.updateSettings = { settings in
                saved.withValue { $0.append(settings) }
                return .waiting
            }
        }
        store.exhaustivity = .off
        await store.send(.scheduleButtonTapped)
        await store.send(.intervalPresetTapped(.hours(8)))
        await store.send(.twoHoursReminderToggled)
        await store.send(.saveScheduleButtonTapped)
        await store.skipReceivedActions(strict: false)
        let chosen = CheckInSettings(
            intervalSeconds: 8 * 3600, remindTwoHoursBefore: false, remindThirtyMinutesBefore: true)
        #expect(saved.value == [chosen] && store.state.settings == chosen)
    }

    @Test func offlineReminderChangesAreQueued() async {
        let store = checkInStore(clock: clock) {
            $0.checkInClient.updateSettings = { _ in .waiting }
        }
        await store.send(.scheduleButtonTapped) { $0.scheduleSheet = .init(.standard) }
        await store.send(.twoHoursReminderToggled) { $0.scheduleSheet?.twoHoursBefore = false }
        await store.send(.thirtyMinutesReminderToggled) {
            $0.scheduleSheet?.thirtyMinutesBefore = false
        }
        await store.send(.saveScheduleButtonTapped) { $0.isSavingSettings = true }
        await store.receive(\.settingsResponse) {
            $0.isSavingSettings = false
            $0.scheduleSheet = nil
            $0.remindTwoHoursBefore = false
            $0.remindThirtyMinutesBefore = false
            $0.areSettingsWaiting = true
            $0.now = Fixture.now
        }
        await store.send(.connectivityChanged(Connectivity())) { $0.areSettingsWaiting = false }
    }

    @Test func currentIntervalOutsideLimitsAllowsReminderChanges() async {
        let settings = CheckInSettings(
            intervalSeconds: 10, remindTwoHoursBefore: false, remindThirtyMinutesBefore: true)
        let saved = Calls<CheckInSettings>([])
        let store = checkInStore(.init(checkInInterval: .seconds(10)), clock: clock) {
            $0.checkInClient.updateSettings = { settings in
                saved.withValue { $0.append(settings) }
                return .waiting
            }
        }
        store.exhaustivity = .off
        await store.send(.scheduleButtonTapped)
        await store.send(.twoHoursReminderToggled)
        await store.send(.saveScheduleButtonTapped)
        await store.skipReceivedActions(strict: false)
        #expect(saved.value == [settings] && store.state.error == nil)
    }

    @Test func refusalKeepsTheSheetAndItsChoices() async {
        let store = checkInStore(clock: clock) {
            $0.checkInClient.updateSettings = { _ in throw UserFacingError.refused }
        }
        await store.send(.scheduleButtonTapped) { $0.scheduleSheet = .init(.standard) }
        await store.send(.intervalPresetTapped(.hours(8))) {
            $0.scheduleSheet?.interval = .hours(8)
        }
        await store.send(.saveScheduleButtonTapped) { $0.isSavingSettings = true }
        await store.receive(\.settingsResponse) {
            $0.isSavingSettings = false
            $0.error = .refused
        }
        #expect(store.state.checkInInterval == .hours(24))
        await store.send(.sheetDismissed) { $0.scheduleSheet = nil }
    }

    @Test func closingTheSheetChangesNothing() async {
        let store = checkInStore(clock: clock)
        await store.send(.scheduleButtonTapped) { $0.scheduleSheet = .init(.standard) }
        await store.send(.customIntervalChanged(hours: 5)) {
            $0.scheduleSheet?.interval = .hours(5)
            $0.scheduleSheet?.typedHours = 5
        }
        await store.send(.intervalPresetTapped(.hours(8))) {
            $0.scheduleSheet?.interval = .hours(8)
            $0.scheduleSheet?.typedHours = nil
        }
        await store.send(.sheetDismissed) { $0.scheduleSheet = nil }
        await store.send(.customIntervalChanged(hours: 6))
        await store.send(.twoHoursReminderToggled)
        await store.send(.saveScheduleButtonTapped)
    }

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
