import Clients
import ComposableArchitecture
import Domain
import Foundation
import Testing

@testable import Features

/// Tests check-ins whose answer is unexpected or late.
@MainActor @Suite struct CheckInClockStories {
    private let clock = TestClock()

    /// If the device's clock is behind, the check-in seems older than the last one and doesn't move
    /// the deadline.
    @Test(arguments: [(121.0, false), (120, true)])
    func checkInThatMovesNoDeadlineIsNotConfirmed(behind: Double, isConfirmed: Bool) async {
        let last = Fixture.now.addingTimeInterval(-1)
        let moment = Fixture.now.addingTimeInterval(-behind)
        let record = CheckInRecord(
            id: Fixture.id(0), occurredAt: moment, receivedAt: Fixture.now,
            nextCheckInTime: last.adding(.hours(24)))
        let state = CheckInFeature.State(
            lastCheckInTime: last, nextCheckInTime: last.adding(.hours(24)))
        let store = checkInStore(state, clock: clock) {
            $0.checkInClient.checkIn = { _, _ in .confirmed(record) }
        }
        store.exhaustivity = .off
        await store.send(.checkInButtonTapped)
        await store.receive(\.checkInResponse.success)
        #expect((store.state.confirmation != nil) == isConfirmed)
        #expect((store.state.error == .checkInWithWrongClock) == !isConfirmed)
        #expect(store.state.lastCheckInTime == last)
        await store.send(.onDisappear)
    }

    @Test(arguments: [false, true])
    func earlyAnswerStaysUntilWindowOpens(isAwayBetween: Bool) async {
        let (store, record) = earlyCheckIn()
        await store.send(.checkInButtonTapped)
        await store.receive(\.checkInResponse.success)
        if isAwayBetween {
            await store.send(.onDisappear)
            #expect(store.state.confirmation == record)
            await store.send(.onAppear)
        }
        await clock.advance(by: .minutes(59))
        await store.skipReceivedActions(strict: false)
        #expect(store.state.confirmation == record)
        await clock.advance(by: .minutes(1))
        await store.receive(\.confirmationDismissed)
        #expect(store.state.confirmation == nil)
        await store.send(.onDisappear)
    }

    @Test func earlyAnswerStaysAwayAfterTheOpening() async {
        let (store, record) = earlyCheckIn()
        await store.send(.checkInButtonTapped)
        await store.receive(\.checkInResponse.success)
        await store.send(.onDisappear)
        await clock.advance(by: .hours(1))
        #expect(store.state.confirmation == record)
        await store.send(.onAppear)
        #expect(store.state.confirmation == nil)
        await store.send(.onDisappear)
    }

    @Test func newDeadlineEndsEarlyAnswer() async throws {
        let (store, record) = earlyCheckIn()
        await store.send(.checkInButtonTapped)
        await store.receive(\.checkInResponse.success)
        await store.send(.profileUpdated(try Fixture.profile(next: record.nextCheckInTime)))
        #expect(store.state.confirmation == record)
        await store.send(.profileUpdated(try Fixture.profile(next: Fixture.now.adding(.hours(1)))))
        #expect(store.state.confirmation == nil)
        await store.send(.onDisappear)
    }

    /// The window opens in an hour.
    private func earlyCheckIn() -> (TestStoreOf<CheckInFeature>, CheckInRecord) {
        var record = Fixture.checkIn(0)
        record.opensAt = Fixture.now.adding(.hours(1))
        let store = checkInStore(clock: clock) { [record] in
            $0.checkInClient.checkIn = { _, _ in .confirmed(record) }
            $0.checkInClient.history = { _ in ListPage(items: []) }
            $0.userClient.profileStream = { .never }
        }
        store.exhaustivity = .off
        return (store, record)
    }

    @Test func lateAnswerStartsNoTimer() async throws {
        let gate = Gate<Submission<CheckInRecord>>()
        let store = checkInStore(clock: clock) {
            $0.checkInClient.checkIn = { _, _ in try await gate.wait() }
        }
        store.exhaustivity = .off
        await store.send(.checkInButtonTapped)
        await store.send(.onDisappear)
        gate.open(.confirmed(Fixture.checkIn(0)))
        await store.receive(\.checkInResponse.success)
        #expect(store.state.nextCheckInTime == Fixture.now.adding(.hours(24)))
        #expect(store.state.confirmation == nil)
        await store.send(.profileUpdated(try Fixture.profile(next: Fixture.now.adding(.hours(1)))))
        await store.finish()
    }
}
