import Clients
import ComposableArchitecture
import Domain
import Foundation
import Testing

@testable import Features

@MainActor @Suite struct AdministrationFeatureTests {
    private let act = AdminAct(
        id: Fixture.id(1), time: Fixture.now, kind: .lock, reason: "Spam", doneBy: "root")

    private func store(
        _ state: AdministrationFeature.State = .init(),
        prepare: (inout DependencyValues) -> Void = { _ in }
    ) -> TestStoreOf<AdministrationFeature> {
        TestStore(initialState: state) {
            AdministrationFeature()
        } withDependencies: {
            $0.userClient.profileStream = { .finished }
            prepare(&$0)
        }
    }

    private func profile(moving: Bool) throws -> UserProfile {
        var profile = UserProfile(
            id: Fixture.id(9), name: "Ada", phoneNumber: try PhoneNumber("+15550100"),
            emergencyNote: "", profilePictureURL: nil, settings: .standard, lastCheckInTime: nil,
            nextCheckInTime: nil, status: .active, createdAt: Fixture.now)
        profile.lockedAt = Fixture.now
        if moving {
            profile.numberMove = NumberMove(
                phoneNumber: try PhoneNumber("+15550101"), takesEffectAt: Fixture.now)
        }
        return profile
    }

    @Test func profileShowsLockAndMove() async throws {
        let profile = try profile(moving: true)
        let store = store { $0.administrationClient.acts = { [act] in [act] } }
        await store.send(.profileChanged(profile)) {
            $0.lockedAt = Fixture.now
            $0.move = profile.numberMove
        }
        await store.send(.retryButtonTapped)
        await store.receive(.loaded(.success([act]))) { [act] in $0.acts = [act] }
    }

    @Test func firstPageShowsWhatTheProfileHas() throws {
        let moving = try profile(moving: true)
        let notices = AccountNotices(moving)
        #expect(notices.isLocked && notices.move == moving.numberMove)
        #expect(notices.maintenance == nil)
    }

    @Test func failedLoadCanBeRetried() async {
        let store = store { $0.administrationClient.acts = { throw UserFacingError.unavailable } }
        await store.send(.onAppear)
        await store.receive(.loaded(.failure(.unavailable))) { $0.error = .unavailable }
        store.dependencies.administrationClient.acts = { [] }
        await store.send(.retryButtonTapped) { $0.error = nil }
        await store.receive(.loaded(.success([]))) { $0.acts = [] }
    }

    @Test func dismissedFailureOfALoadLoadsAgain() async {
        let store = store(.init(error: .unavailable)) { $0.administrationClient.acts = { [] } }
        await store.send(.dismissError) { $0.error = nil }
        await store.receive(.loaded(.success([]))) { $0.acts = [] }
    }

    @Test func moveIsStopped() async throws {
        let (moving, stopped) = (try profile(moving: true), try profile(moving: false))
        let gate = Gate<Bool>()
        let store = store(.init(lockedAt: Fixture.now, move: moving.numberMove)) {
            $0.administrationClient.stopNumberMove = {
                _ = try await gate.wait()
                return stopped
            }
        }
        await store.send(.stopMoveButtonTapped) { $0.isStopping = true }
        // A second press waits for the answer.
        await store.send(.stopMoveButtonTapped)
        gate.open(true)
        await store.receive(.stopMoveResponse(.success(stopped))) {
            $0.isStopping = false
            $0.move = nil
        }
        await store.send(.stopMoveButtonTapped)
    }

    @Test func failedStopKeepsTheMove() async throws {
        let move = try #require(try profile(moving: true).numberMove)
        let store = store(.init(acts: [], move: move)) {
            $0.administrationClient.stopNumberMove = { throw UserFacingError.unavailable }
        }
        await store.send(.stopMoveButtonTapped) { $0.isStopping = true }
        await store.receive(.stopMoveResponse(.failure(.unavailable))) {
            $0.isStopping = false
            $0.error = .unavailable
        }
        #expect(store.state.move == move)
        await store.send(.dismissError) { $0.error = nil }
    }
}
