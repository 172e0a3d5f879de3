import Clients
import ComposableArchitecture
import Domain
import Foundation
import Testing

@testable import Features

@MainActor @Suite struct PushEndpointsFeatureTests {
    private func endpoint(_ number: UInt8, _ kind: PushEndpoint.Kind = .webPush) throws
        -> PushEndpoint
    {
        PushEndpoint(
            id: Fixture.id(number), kind: kind,
            url: try #require(URL(string: "https://push.example.org/\(number)")),
            createdAt: Fixture.now)
    }

    private func store(
        _ state: PushEndpointsFeature.State = .init(),
        prepare: (inout DependencyValues) -> Void = { _ in }
    ) -> TestStoreOf<PushEndpointsFeature> {
        TestStore(initialState: state) {
            PushEndpointsFeature()
        } withDependencies: {
            prepare(&$0)
        }
    }

    @Test func openListFollowsAnotherDevice() async throws {
        let (list, less) = ([try endpoint(1), try endpoint(2)], [try endpoint(1)])
        let store = store(.init(endpoints: list)) { $0.notificationClient.pushEndpoints = { less } }
        await store.send(.newsCame)
        await store.receive(.endpointsResponse(.success(less))) { $0.endpoints = less }
        store.dependencies.notificationClient.pushEndpoints = { throw UserFacingError.unavailable }
        await store.send(.newsCame)
        await store.finish()
        #expect(store.state.error == nil && store.state.endpoints == less)
        // The first load and the end of a removal show the news.
        await self.store().send(.newsCame)
        await self.store(.init(endpoints: list, removing: Fixture.id(1))).send(.newsCame)
    }

    @Test func failedEndpointLoadIsNotShownAsEmpty() async throws {
        let list = [try endpoint(1)]
        let store = store {
            $0.notificationClient.pushEndpoints = { throw UserFacingError.unavailable }
        }
        await store.send(.load)
        await store.receive(.endpointsResponse(.failure(.unavailable))) { $0.error = .unavailable }
        #expect(store.state.endpoints == nil)
        store.dependencies.notificationClient.pushEndpoints = { list }
        await store.send(.load) { $0.error = nil }
        await store.receive(.endpointsResponse(.success(list))) { $0.endpoints = list }
    }

    @Test func dismissedFailureOfALoadLoadsAgain() async {
        let store = store(.init(error: .unavailable)) {
            $0.notificationClient.pushEndpoints = { [] }
        }
        await store.send(.dismissError) { $0.error = nil }
        await store.receive(.endpointsResponse(.success([]))) { $0.endpoints = [] }
    }

    @Test(arguments: [false, true]) func endpointIsRemovedAfterAQuestion(
        isGone: Bool
    ) async throws {
        let (one, other) = (try endpoint(1), try endpoint(2, .webhook))
        let gate = Gate<Bool>()
        let store = store(.init(endpoints: [one, other])) {
            $0.notificationClient.removePushEndpoint = { _ in _ = try await gate.wait() }
        }
        await store.send(.removeButtonTapped(one.id, name: "Firefox on Linux")) {
            $0.confirmation = .removal(of: one, name: "Firefox on Linux")
        }
        await store.send(\.confirmation.removeConfirmed, one.id) {
            $0.confirmation = nil
            $0.removing = one.id
        }
        await store.send(.removeButtonTapped(other.id, name: "example.org"))
        isGone ? gate.fail(Fixture.notFound) : gate.open(true)
        await store.receive(.removeResponse(one.id, isGone ? Fixture.notFound : nil)) {
            $0.removing = nil
            $0.endpoints = [other]
        }
    }

    @Test func testShowsTheAnswerOfTheService() async throws {
        let one = try endpoint(1, .webhook)
        let failed = PushEndpoint(
            id: one.id, kind: one.kind, url: one.url, createdAt: one.createdAt,
            failingSince: Fixture.now, lastFailure: "http-403")
        let clock = TestClock()
        let gate = Gate<Bool>()
        let answers = LockIsolated([[one], [failed]])
        let store = store(.init(endpoints: [one])) {
            $0.continuousClock = clock
            $0.notificationClient.testPushEndpoint = { _ in _ = try await gate.wait() }
            $0.notificationClient.pushEndpoints = { answers.withValue { $0.removeFirst() } }
        }
        await store.send(.testButtonTapped(one.id)) {
            $0.test = PushEndpointsFeature.Test(one.id, isSent: false)
        }
        await store.send(.testButtonTapped(one.id))
        gate.open(true)
        await store.receive(.testResponse(one.id, nil)) {
            $0.test = PushEndpointsFeature.Test(one.id, isSent: true)
        }
        await clock.advance(by: .seconds(1))
        await store.receive(.endpointsResponse(.success([one])))
        await clock.advance(by: .seconds(3))
        await store.receive(.endpointsResponse(.success([failed]))) {
            $0.endpoints = [failed]
        }
        #expect(store.state.testNote(one.id) != nil)
    }

    @Test func failedTestIsShown() async throws {
        let one = try endpoint(1, .webhook)
        let store = store(.init(endpoints: [one])) {
            $0.continuousClock = TestClock()
            $0.notificationClient.testPushEndpoint = { _ in throw UserFacingError.unavailable }
        }
        await store.send(.testButtonTapped(one.id)) {
            $0.test = PushEndpointsFeature.Test(one.id, isSent: false)
        }
        await store.receive(.testResponse(one.id, .unavailable)) {
            $0.test = nil
            $0.error = .unavailable
        }
    }

    @Test func newWebhookReloadsTheList() async throws {
        let one = try endpoint(1, .webhook)
        let store = store(.init(endpoints: [])) {
            $0.notificationClient.pushEndpoints = { [one] in [one] }
        }
        await store.send(.webhook(.addResponse(.success(AddedWebhook(id: one.id)))))
        await store.receive(.load)
        await store.receive(.endpointsResponse(.success([one]))) { $0.endpoints = [one] }
    }

    @Test func failureAndCancellingKeepTheEndpoint() async throws {
        let one = try endpoint(1)
        let store = store(.init(endpoints: [one])) {
            $0.notificationClient.removePushEndpoint = { _ in throw UserFacingError.unavailable }
        }
        await store.send(.removeButtonTapped(one.id, name: "Firefox")) {
            $0.confirmation = .removal(of: one, name: "Firefox")
        }
        await store.send(\.confirmation.dismiss) { $0.confirmation = nil }
        await store.send(.removeButtonTapped(one.id, name: "Firefox")) {
            $0.confirmation = .removal(of: one, name: "Firefox")
        }
        await store.send(\.confirmation.removeConfirmed, one.id) {
            $0.confirmation = nil
            $0.removing = one.id
        }
        await store.receive(.removeResponse(one.id, .unavailable)) {
            $0.removing = nil
            $0.error = .unavailable
        }
        await store.send(.dismissError) { $0.error = nil }
    }
}
