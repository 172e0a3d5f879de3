import Clients
import ComposableArchitecture
import Domain
import Foundation
import Testing

@testable import Features

@MainActor @Suite struct BlockedPeopleTests {
    private let ben = BlockedPerson(id: Fixture.ben, name: "Ben", blockedAt: Fixture.now)
    private let cleo = BlockedPerson(
        id: Fixture.cleo, name: "Cleo", blockedAt: Fixture.now.addingTimeInterval(1))

    private func store(
        _ state: BlockedPeopleFeature.State = .init(),
        prepare: (inout DependencyValues) -> Void = { _ in }
    ) -> TestStoreOf<BlockedPeopleFeature> {
        TestStore(initialState: state) {
            BlockedPeopleFeature()
        } withDependencies: {
            prepare(&$0)
        }
    }

    @Test func lastBlockedPersonComesFirst() async {
        let store = store { [ben, cleo] in $0.contactClient.blocked = { [ben, cleo] } }
        await store.send(.onAppear)
        await store.receive(.blockedResponse(.success([ben, cleo]))) { [ben, cleo] in
            $0.people = [cleo, ben]
        }
    }

    @Test func failedBlockLoadIsNotShownAsEmpty() async {
        let store = store { $0.contactClient.blocked = { throw UserFacingError.unavailable } }
        await store.send(.onAppear)
        await store.receive(.blockedResponse(.failure(.unavailable))) { $0.error = .unavailable }
        #expect(store.state.people == nil)
        store.dependencies.contactClient.blocked = { [] }
        await store.send(.retryButtonTapped) { $0.error = nil }
        await store.receive(.blockedResponse(.success([]))) { $0.people = [] }
    }

    @Test func dismissedFailureOfALoadLoadsAgain() async {
        let store = store(.init(error: .unavailable)) { $0.contactClient.blocked = { [] } }
        await store.send(.dismissError) { $0.error = nil }
        await store.receive(.blockedResponse(.success([]))) { $0.people = [] }
    }

    @Test(arguments: [false, true]) func unblockingIsSentOnce(
        isGone: Bool
    ) async {
        let gate = Gate<Bool>()
        let store = store(.init(people: [cleo, ben])) {
            $0.contactClient.unblock = { _ in _ = try await gate.wait() }
        }
        await store.send(.unblockButtonTapped(Fixture.ben)) { $0.unblocking = Fixture.ben }
        await store.send(.unblockButtonTapped(Fixture.cleo))
        isGone ? gate.fail(Fixture.notFound) : gate.open(true)
        await store.receive(.unblockResponse(Fixture.ben, isGone ? Fixture.notFound : nil)) {
            [cleo] in
            $0.unblocking = nil
            $0.people = [cleo]
        }
    }

    @Test func failedUnblockKeepsTheBlock() async {
        let store = store(.init(people: [ben])) {
            $0.contactClient.unblock = { _ in throw UserFacingError.unavailable }
        }
        await store.send(.unblockButtonTapped(Fixture.ben)) { $0.unblocking = Fixture.ben }
        await store.receive(.unblockResponse(Fixture.ben, .unavailable)) {
            $0.unblocking = nil
            $0.error = .unavailable
        }
        await store.send(.dismissError) { $0.error = nil }
    }
}
