import Clients
import ComposableArchitecture
import Domain
import Foundation
import Testing

@testable import Features

@MainActor
@Suite struct ReminderFeatureTests {
    private static let deadline = Fixture.now.adding(.hours(3))
    private let scheduled = Calls<[LocalNotification]>([])
    private let cancelled = LockIsolated(0)

    private func store(
        _ state: ReminderFeature.State = .init(), now: Date = Fixture.now
    ) -> TestStoreOf<ReminderFeature> {
        TestStore(initialState: state) {
            ReminderFeature()
        } withDependencies: {
            $0.date = .constant(now)
            $0.timeZone = Self.berlin
            $0.localNotificationClient = LocalNotificationClient(
                isAvailable: { true },
                schedule: { [scheduled] new in scheduled.withValue { $0.append(new) } },
                cancelAll: { [cancelled] in cancelled.withValue { $0 += 1 } })
        }
    }

    private static let berlin = TimeZone(identifier: "Europe/Berlin") ?? .gmt

    private func profile(deadline: Date?) throws -> UserProfile {
        try Fixture.profile(next: deadline)
    }

    @Test func remindersComeBeforeAndAtTheDeadline() {
        let state = ReminderFeature.State(deadline: Self.deadline)
        let all = state.notifications(at: Fixture.now, in: ClockZone("Europe/Berlin"))
        #expect(all.map(\.id) == ["reminder-7200", "reminder-1800", "deadline"])
        let leads = all.map { Self.deadline.since($0.fireDate) }
        #expect(leads == [.hours(2), .minutes(30), .zero])
        let words = NotificationText.reminder(.twoHours, deadline: Self.deadline)
        #expect(all[0].title == words.title)
        #expect(all[0].body == words.body(in: ClockZone("Europe/Berlin"), at: all[0].fireDate))
        #expect(all[2].title == "You missed your check-in")
    }

    @Test func disabledAndPastRemindersAreOmitted() {
        var state = ReminderFeature.State(deadline: Self.deadline)
        state.settings.remindTwoHoursBefore = false
        #expect(
            state.notifications(at: Fixture.now, in: nil).map(\.id) == [
                "reminder-1800", "deadline",
            ])
        let last = Self.deadline.adding(.zero - .minutes(30))
        let before = last.adding(.zero - .milliseconds(1))
        #expect(state.notifications(at: before, in: nil).count == 2)
        #expect(state.notifications(at: last, in: nil).map(\.id) == ["deadline"])
        #expect(state.notifications(at: Self.deadline, in: nil).isEmpty)
        #expect(ReminderFeature.State().notifications(at: Fixture.now, in: nil).isEmpty)
    }

    @Test func noReminderComesDuringAPause() {
        let end = Self.deadline.adding(.zero - .hours(2))
        var state = ReminderFeature.State(deadline: Self.deadline, pausedUntil: end)
        #expect(state.notifications(at: Fixture.now, in: nil).count == 3)
        state.pausedUntil = end.adding(.milliseconds(1))
        #expect(
            state.notifications(at: Fixture.now, in: nil).map(\.id) == [
                "reminder-1800", "deadline",
            ])
    }

    @Test func noReminderComesBeforeTheOpening() throws {
        let time = try #require(TimeOfDay("10:00"))
        let window = CheckInWindow(
            days: Set(Weekday.allCases), opens: time.earlier(byMinutes: 60), deadline: time)
        let times = CheckInTimes(timeZone: "Europe/Berlin", windows: [window])
        let deadline = try #require(times.firstWindow(openingAfter: Fixture.now)).deadline
        var state = ReminderFeature.State(deadline: deadline)
        state.settings.plan = .times(times)
        let leads = state.notifications(at: Fixture.now, in: nil).map {
            deadline.since($0.fireDate)
        }
        #expect(leads == [.hours(1), .minutes(30), .zero])
    }

    @Test func remindersMentionAQueuedCheckIn() {
        let state = ReminderFeature.State(deadline: Self.deadline, isCheckInWaiting: true)
        let titles = state.notifications(at: Fixture.now, in: nil).map(\.title)
        let waits = "Your check-in has not been sent"
        #expect(titles == [waits, waits, "You missed your check-in"])
    }

    /// The new schedule waits to be sent, and the server still counts the deadline.
    @Test func remindersOfTheOldDeadlineStay() async {
        var state = ReminderFeature.State(deadline: Self.deadline)
        let all = ["reminder-7200", "reminder-1800", "deadline"]
        state.settings.plan = .none
        #expect(state.notifications(at: Fixture.now, in: nil).map(\.id) == all)
        state.settings = .standard
        state.settings.remindTwoHoursBefore = false
        state.settings.remindThirtyMinutesBefore = false
        #expect(state.notifications(at: Fixture.now, in: nil).map(\.id) == ["deadline"])
        let store = store(state)
        await store.send(.settingsWaitingChanged(true)) { $0.areSettingsWaiting = true }
        await store.finish()
        await store.send(.settingsWaitingChanged(false)) { $0.areSettingsWaiting = false }
        await store.finish()
        #expect(scheduled.value.map { $0.map(\.id) } == [all, ["deadline"]])
    }

    @Test func onlyChangedProfilesReschedule() async throws {
        let profile = try profile(deadline: Self.deadline)
        let store = store()
        await store.send(.profileUpdated(profile)) {
            $0.isProfileKnown = true
            $0.deadline = Self.deadline
            $0.settings = profile.settings
        }
        await store.finish()
        await store.send(.profileUpdated(profile))
        await store.finish()
        let all = ["reminder-7200", "reminder-1800", "deadline"]
        #expect(scheduled.value.map { $0.map(\.id) } == [all])
        await store.send(.checkInWaitingChanged(true)) { $0.isCheckInWaiting = true }
        await store.finish()
        await store.send(.checkInWaitingChanged(true))
        await store.send(.refresh)
        await store.finish()
        #expect(scheduled.value.count == 3)
        await store.send(.profileUpdated(try self.profile(deadline: nil))) { $0.deadline = nil }
        await store.finish()
        #expect(scheduled.value.last == [])
    }

    /// The system still has the reminders of an earlier run. Scheduling replaces all of them.
    @Test func remindersStayUntilTheProfileIsKnown() async throws {
        let store = store()
        await store.send(.refresh)
        await store.send(.checkInWaitingChanged(true)) { $0.isCheckInWaiting = true }
        await store.send(.settingsWaitingChanged(true)) { $0.areSettingsWaiting = true }
        await store.send(.waitingPressChanged(.arrival)) { $0.waitingPress = .arrival }
        await store.finish()
        #expect(scheduled.value.isEmpty)
        let profile = try profile(deadline: nil)
        await store.send(.profileUpdated(profile)) {
            $0.isProfileKnown = true
            $0.settings = profile.settings
        }
        await store.finish()
        await store.send(.refresh)
        await store.finish()
        #expect(scheduled.value == [[], []])
    }

    /// The device's clock is three hours ahead.
    @Test func remindersFollowTheServersClock() async throws {
        let profile = try profile(deadline: Self.deadline)
        let behind = Duration.zero - .hours(3)
        let offset = LockIsolated(Duration.zero)
        let store = store(now: Self.deadline)
        store.dependencies.serverClock.offset = { offset.value }
        await store.send(.profileUpdated(profile)) {
            $0.isProfileKnown = true
            $0.deadline = Self.deadline
            $0.settings = profile.settings
        }
        await store.finish()
        offset.setValue(behind)
        await store.send(.checkInWaitingChanged(false)) { $0.clockOffset = behind }
        await store.finish()
        #expect(scheduled.value.map(\.count) == [0, 3])
        offset.setValue(behind + CheckInRules.clockSkew)
        await store.send(.checkInWaitingChanged(false))
        await store.finish()
        #expect(scheduled.value.count == 2)
        let further = behind + CheckInRules.clockSkew + .milliseconds(1)
        offset.setValue(further)
        await store.send(.checkInWaitingChanged(false)) { $0.clockOffset = further }
        await store.finish()
        #expect(scheduled.value.count == 3)
    }

    // MARK: Journeys

    private let journey = JourneyRecord(
        id: JourneyID(Fixture.ben.uuid), name: "Zugspitze", startTime: Fixture.now,
        expectedReturn: Self.deadline)

    @Test func journeyRemindsBeforeAndAtTheReturn() {
        let state = ReminderFeature.State(journey: journey)
        let all = state.notifications(at: Fixture.now, in: nil)
        #expect(all.map(\.id) == ["journey-before", "journey-return"])
        #expect(all.map { Self.deadline.since($0.fireDate) } == [.minutes(15), .zero])
        #expect(
            all.map(\.title) == ["Back from Zugspitze soon?", "Are you back from Zugspitze?"])
        let first = Self.deadline.adding(.zero - .minutes(15))
        let before = first.adding(.zero - .milliseconds(1))
        #expect(state.notifications(at: before, in: nil).count == 2)
        #expect(state.notifications(at: first, in: nil).map(\.id) == ["journey-return"])
        #expect(state.notifications(at: Self.deadline, in: nil).isEmpty)
    }

    @Test func journeyRemindsDuringAPause() {
        let state = ReminderFeature.State(
            deadline: Self.deadline, pausedUntil: Self.deadline.adding(.days(1)),
            journey: journey)
        #expect(
            state.notifications(at: Fixture.now, in: nil).map(\.id) == [
                "journey-before", "journey-return",
            ])
    }

    @Test func journeyWithoutGraceOrWithAnAlertHasFewerReminders() {
        var state = ReminderFeature.State(journey: journey)
        state.journey?.graceMinutes = 0
        #expect(
            state.notifications(at: Fixture.now, in: nil).map(\.id) == ["journey-before"])
        state.journey?.alertId = AlertID(Fixture.ben.uuid)
        #expect(state.notifications(at: Fixture.now, in: nil).isEmpty)
    }

    @Test func journeyRemindersMentionAQueuedPress() {
        var state = ReminderFeature.State(journey: journey, waitingPress: .arrival)
        var titles = state.notifications(at: Fixture.now, in: nil).map(\.title)
        #expect(Set(titles) == ["Your arrival has not been sent"])
        state.waitingPress = .laterReturn
        titles = state.notifications(at: Fixture.now, in: nil).map(\.title)
        #expect(Set(titles) == ["Your later return has not been sent"])
    }

    private func travelling(_ profile: UserProfile, until time: Date) -> UserProfile {
        var profile = profile
        profile.journey = journey
        profile.journey?.expectedReturn = time
        return profile
    }

    @Test func laterReturnMovesAndArrivalCancelsTheReminders() async throws {
        let home = try profile(deadline: nil)
        let started = travelling(home, until: Self.deadline)
        let moved = travelling(home, until: Self.deadline.adding(.minutes(30)))
        let store = store()
        await store.send(.profileUpdated(started)) {
            $0.isProfileKnown = true
            $0.settings = started.settings
            $0.journey = started.journey
        }
        await store.finish()
        await store.send(.profileUpdated(moved)) { $0.journey = moved.journey }
        await store.finish()
        await store.send(.waitingPressChanged(.arrival)) { $0.waitingPress = .arrival }
        await store.finish()
        await store.send(.waitingPressChanged(nil)) { $0.waitingPress = nil }
        await store.finish()
        await store.send(.profileUpdated(home)) { $0.journey = nil }
        await store.finish()
        let times = scheduled.value.map { $0.map { $0.fireDate.since(Self.deadline) } }
        let first: [Duration] = [.zero - .minutes(15), .zero]
        let later: [Duration] = [.minutes(15), .minutes(30)]
        #expect(times == [first, later, later, later, []])
    }

    @Test func streamIsFollowedUntilSignOut() async throws {
        let profile = try profile(deadline: Self.deadline)
        let (stream, continuation) = AsyncStream.makeStream(of: UserProfile.self)
        let store = store()
        store.dependencies.userClient.profileStream = { stream }
        await store.send(.startStream)
        continuation.yield(profile)
        await store.receive(\.profileUpdated) {
            $0.isProfileKnown = true
            $0.deadline = Self.deadline
            $0.settings = profile.settings
        }
        await store.send(.stopStream) { $0 = .init() }
        await store.finish()
        #expect(cancelled.value == 1)
    }

    @Test func schedulingFailureIsIgnored() async throws {
        let store = store(.init(deadline: Self.deadline))
        store.dependencies.localNotificationClient.schedule = { _ in throw UserFacingError.refused }
        await store.send(.refresh)
        await store.finish()
    }
}
