import Clients
import ComposableArchitecture
import Domain
import Foundation
import Testing

@testable import Features

extension Fixture {
    static func checkIn(_ number: UInt8, at time: Date = now, interval: Duration = .hours(24))
        -> CheckInRecord
    {
        CheckInRecord(
            id: id(number), occurredAt: time, receivedAt: time,
            nextCheckInTime: time.adding(interval))
    }
}

@MainActor
func checkInStore(
    _ state: CheckInFeature.State = .init(), clock: TestClock<Duration> = TestClock(),
    with prepare: (inout DependencyValues) -> Void = { _ in }
) -> TestStoreOf<CheckInFeature> {
    TestStore(initialState: state) {
        CheckInFeature()
    } withDependencies: {
        $0.continuousClock = clock
        $0.date = .following(clock)
        $0.uuid = .incrementing
        $0.connectivityClient.status = { .finished }
        prepare(&$0)
    }
}

@MainActor
@Suite struct CheckInFeatureStories {
    let clock = TestClock()

    @Test func defaultsAreADayAndBothReminders() {
        let state = CheckInFeature.State()
        #expect(state.lastCheckInTime == nil && state.nextCheckInTime == nil)
        #expect(state.settings == .standard)
        #expect(
            state.checkInHistory == [] && !state.isCheckingIn && !state.isWaitingToBeSent
                && state.error == nil)
        #expect(state.status == .normal && !state.isOverdue)
    }

    @Test func oneTapChecksInWithATemporaryConfirmation() async {
        let asked = Calls<(CheckInID, Date)>([])
        let record = Fixture.checkIn(0)
        let store = checkInStore(clock: clock) {
            $0.checkInClient.checkIn = { id, time in
                asked.withValue { $0.append((id, time)) }
                return .confirmed(record)
            }
        }
        await store.send(.checkInButtonTapped) { $0.isCheckingIn = true }
        await store.receive(\.checkInResponse.success) { expectCheckedIn(&$0, record) }
        #expect(asked.value.map(\.0) == [Fixture.id(0)] && asked.value.map(\.1) == [Fixture.now])
        await clock.advance(by: .seconds(4))
        await store.receive(\.confirmationDismissed) { $0.confirmation = nil }
        await store.send(.onDisappear) { $0.hasLeft = true }
    }

    @Test func secondTapDoesNotCheckInTwice() async {
        let asked = Calls<CheckInID>([])
        let store = checkInStore(clock: clock) { [clock] in
            $0.checkInClient.checkIn = { id, _ in
                asked.withValue { $0.append(id) }
                try await clock.sleep(for: .seconds(2))
                return .confirmed(Fixture.checkIn(0))
            }
        }
        await store.send(.checkInButtonTapped) { $0.isCheckingIn = true }
        await store.send(.checkInButtonTapped)
        // Leaving the screen doesn't cancel the check-in.
        await store.send(.onDisappear) { $0.hasLeft = true }
        await clock.advance(by: .seconds(2))
        await store.receive(\.checkInResponse.success) {
            // The screen is hidden, so the confirmation is not shown.
            expectCheckedIn(&$0, Fixture.checkIn(0))
            $0.confirmation = nil
            $0.now = nil
        }
        #expect(asked.value == [Fixture.id(0)])
    }

    /// The browser sends queued check-ins itself and then tells the feature.
    @Test func checkInSentByTheBrowserIsConfirmed() async {
        let record = Fixture.checkIn(0)
        let store = checkInStore(clock: clock)
        await store.send(.checkInDelivered(record)) { expectCheckedIn(&$0, record) }
        await clock.advance(by: .seconds(4))
        await store.receive(\.confirmationDismissed) { $0.confirmation = nil }
        await store.send(.onDisappear) { $0.hasLeft = true }
    }

    @Test func lateCheckInIsNotConfirmed() async {
        let last = Fixture.now.adding(.minutes(5))
        let next = last.adding(.hours(24))
        let record = Fixture.checkIn(0)
        let store = checkInStore(
            .init(lastCheckInTime: last, nextCheckInTime: next), clock: clock)
        await store.send(.checkInDelivered(record)) { $0.checkInHistory = [record] }
    }

    /// The person has shortened the interval since the service worker delivered the check-in.
    @Test func repeatedCheckInKeepsTheNewDeadline() async {
        let record = Fixture.checkIn(0)
        let next = record.occurredAt.adding(.hours(8))
        let store = checkInStore(
            .init(lastCheckInTime: record.occurredAt, nextCheckInTime: next), clock: clock)
        await store.send(.checkInDelivered(record)) { $0.checkInHistory = [record] }
    }

    /// A millisecond after the last check-in, the delivered one is newer.
    @Test func newerDeliveredCheckInMovesTheDeadline() async {
        let record = Fixture.checkIn(0)
        let last = record.occurredAt.adding(.milliseconds(-1))
        let store = checkInStore(
            .init(lastCheckInTime: last, nextCheckInTime: last.adding(.hours(8))), clock: clock)
        await store.send(.checkInDelivered(record)) { expectCheckedIn(&$0, record) }
        await store.send(.onDisappear) {
            $0.hasLeft = true
            $0.confirmation = nil
        }
    }

    /// The profile has brought the check-in and its deadline before the browser's report.
    @Test func deliveredCheckInThatIsKnownAlreadyIsConfirmed() async {
        let record = Fixture.checkIn(0)
        let store = checkInStore(
            .init(lastCheckInTime: record.occurredAt, nextCheckInTime: record.nextCheckInTime),
            clock: clock)
        await store.send(.checkInDelivered(record)) {
            $0.checkInHistory = [record]
            $0.confirmation = record
            $0.now = Fixture.now
        }
        await store.send(.onDisappear) {
            $0.hasLeft = true
            $0.confirmation = nil
        }
    }

    /// The schedule has changed between the press and its answer.
    @Test func answerToATapEndsTheSendingAndKeepsTheNewDeadline() async {
        let record = Fixture.checkIn(0)
        let next = record.occurredAt.adding(.hours(8))
        let store = checkInStore(
            .init(
                lastCheckInTime: record.occurredAt, nextCheckInTime: next, isCheckingIn: true),
            clock: clock)
        await store.send(.checkInResponse(.success(.confirmed(record)))) {
            $0.isCheckingIn = false
            $0.checkInHistory = [record]
            $0.confirmation = record
            $0.now = Fixture.now
        }
        await store.send(.onDisappear) {
            $0.hasLeft = true
            $0.confirmation = nil
        }
    }

    @Test func nextTryClearsTheError() async {
        let store = checkInStore(clock: clock) {
            $0.checkInClient.checkIn = { _, _ in throw UserFacingError.refused }
        }
        await store.send(.checkInButtonTapped) { $0.isCheckingIn = true }
        await store.receive(\.checkInResponse.failure) {
            $0.isCheckingIn = false
            $0.error = .refused
        }
        await store.send(.checkInButtonTapped) {
            $0.isCheckingIn = true
            $0.error = nil
        }
        await store.receive(\.checkInResponse.failure) {
            $0.isCheckingIn = false
            $0.error = .refused
        }
        await store.send(.dismissError) { $0.error = nil }
    }

    @Test func offlineCheckInKeepsTheDeadlineUntilSent() async {
        let (status, continuation) = AsyncStream.makeStream(of: Connectivity.self)
        let deadline = Fixture.now.adding(.hours(1))
        let store = checkInStore(.init(nextCheckInTime: deadline), clock: clock) {
            $0.checkInClient.checkIn = { _, _ in .waiting }
            $0.connectivityClient.status = { status }
        }
        await store.send(.checkInButtonTapped) { $0.isCheckingIn = true }
        await store.receive(\.checkInResponse.success) {
            $0.isCheckingIn = false
            $0.waitingCheckInTime = Fixture.now
        }
        #expect(store.state.isWaitingToBeSent && store.state.nextCheckInTime == deadline)
        let waiting = WaitingAction(id: UUID(0), kind: .checkIn, createdAt: Fixture.now)
        continuation.yield(Connectivity(isOnline: false, waiting: [waiting]))
        await store.receive(\.connectivityChanged)
        continuation.yield(Connectivity(isOnline: true))
        await store.receive(\.connectivityChanged) { $0.waitingCheckInTime = nil }
        continuation.finish()
        await store.finish()
    }

    @Test func olderCheckInNeverMovesTheDeadlineBack() async {
        let (last, next) = (Fixture.now.adding(.minutes(5)), Fixture.now.adding(.hours(24)))
        let store = checkInStore(.init(lastCheckInTime: last, nextCheckInTime: next), clock: clock)
        {
            $0.checkInClient.checkIn = { _, _ in .confirmed(Fixture.checkIn(0)) }
        }
        await store.send(.checkInButtonTapped) { $0.isCheckingIn = true }
        await store.receive(\.checkInResponse.success) {
            $0.isCheckingIn = false
            $0.checkInHistory = [Fixture.checkIn(0)]
            $0.confirmation = Fixture.checkIn(0)
            $0.now = Fixture.now
        }
        await store.send(.onDisappear) {
            $0.hasLeft = true
            $0.confirmation = nil
        }
    }

    @Test func statusAndTimeLeftUpdateOnTime() async throws {
        let deadline = Fixture.now.adding(.hours(2) + .seconds(30))
        let store = checkInStore(clock: clock) {
            $0.checkInClient.history = { _ in ListPage(items: []) }
            $0.userClient.profileStream = { .never }
        }
        store.exhaustivity = .off
        await store.send(.onAppear)
        await store.send(.profileUpdated(try Fixture.profile(next: deadline)))
        #expect(store.state.status == .normal)
        await clock.advance(by: .seconds(30))
        await store.receive(\.momentPassed)
        #expect(store.state.status == .warning && store.state.now == deadline.adding(.hours(-2)))
        await clock.advance(by: .minutes(90))
        await store.skipReceivedActions()
        #expect(store.state.status == .critical && !store.state.isOverdue)
        await clock.advance(by: .minutes(30))
        await store.skipReceivedActions()
        #expect(store.state.now == deadline && store.state.isOverdue)
        await store.send(.onDisappear) { $0.hasLeft = true }
        await clock.advance(by: .hours(1))
        #expect(store.state.now == deadline)
    }

    @Test func timeLeftUpdatesWhileViewsOverlap() async throws {
        let deadline = Fixture.now.adding(.hours(2) + .seconds(30))
        let store = checkInStore(clock: clock) {
            $0.checkInClient.history = { _ in ListPage(items: []) }
            $0.userClient.profileStream = { .never }
        }
        store.exhaustivity = .off
        await store.send(.onAppear)
        await store.send(.profileUpdated(try Fixture.profile(next: deadline)))
        await store.send(.onAppear)
        await store.send(.onDisappear) { $0.timesShown = 1 }
        await clock.advance(by: .seconds(30))
        await store.receive(\.momentPassed)
        #expect(store.state.status == .warning)
        await store.send(.onDisappear) { $0.hasLeft = true }
    }

    @Test func backgroundStopsTheTimer() async {
        let store = checkInStore(
            .init(nextCheckInTime: Fixture.now.adding(.hours(1))), clock: clock)
        await store.send(.appBecameActive) { $0.now = Fixture.now }
        await store.send(.appBecameInactive)
        await clock.advance(by: .hours(1))
        await store.send(.appBecameActive) { $0.now = Fixture.now.adding(.hours(1)) }
        #expect(store.state.isOverdue)
        await store.send(.onDisappear) { $0.hasLeft = true }
    }

    @Test func changesOfAnotherDeviceShowHere() async throws {
        let (last, next) = (Fixture.now, Fixture.now.adding(.hours(8)))
        let settings = CheckInSettings(
            intervalSeconds: 8 * 3600, remindTwoHoursBefore: false, remindThirtyMinutesBefore: true)
        let profile = try Fixture.profile(settings: settings, last: last, next: next)
        let store = checkInStore(clock: clock)
        await store.send(.profileUpdated(profile)) {
            $0.lastCheckInTime = last
            $0.nextCheckInTime = next
            $0.settings = settings
            $0.now = Fixture.now
        }
        await store.send(.onDisappear) { $0.hasLeft = true }
    }
}

func expectCheckedIn(_ state: inout CheckInFeature.State, _ record: CheckInRecord) {
    state.isCheckingIn = false
    state.lastCheckInTime = record.occurredAt
    state.nextCheckInTime = record.nextCheckInTime
    state.checkInHistory = [record]
    state.confirmation = record
    state.now = record.occurredAt
}
