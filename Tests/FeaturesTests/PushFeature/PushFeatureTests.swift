import Clients
import ComposableArchitecture
import Domain
import Foundation
import Testing

@testable import Features

@MainActor @Suite struct PushFeatureTests {
    private let id: PushEndpointID = Fixture.id(5)

    private func store(
        _ state: PushFeature.State = .init(), prepare: (inout DependencyValues) -> Void = { _ in }
    ) -> TestStoreOf<PushFeature> {
        TestStore(initialState: state) {
            PushFeature()
        } withDependencies: {
            prepare(&$0)
        }
    }

    // MARK: The card

    @Test func cardWaitsForTheDevicesReport() {
        #expect(PushFeature.State().card == nil)
        #expect(PushFeature.State(status: PushStatus(.undecided)).card == .question)
    }

    @Test(arguments: PushStatus.Permission.allCases)
    func cardShowsOnlyOnSupportingDevices(permission: PushStatus.Permission) {
        let state = PushFeature.State(status: PushStatus(permission))
        let isAsked = permission == .undecided || permission == .granted
        #expect(state.card == (isAsked ? .question : nil))
    }

    @Test func cardIsHiddenAfterNotNowOrWhenOn() {
        let later = PushFeature.State(status: PushStatus(.undecided, isPutOff: true))
        #expect(later.card == nil)
        let on = PushFeature.State(status: PushStatus(.granted, endpoint: id))
        #expect(on.card == nil && on.isOn)
    }

    @Test func denialIsExplainedOnlyAfterAsking() {
        var state = PushFeature.State(status: PushStatus(.denied))
        #expect(state.card == nil)
        state.hasAsked = true
        #expect(state.card == .denied)
        state.status = PushStatus(.granted, hasFailed: true)
        #expect(state.card == .failed)
    }

    /// A user without contacts also needs push messages, for reminders.
    @Test func homeShowsTheCardOnceContactsAreKnown() throws {
        var home = HomeFeature.State(push: .init(status: PushStatus(.undecided)))
        #expect(home.pushCard == nil)
        home.cards.contacts = []
        #expect(home.pushCard == .question)
        home.cards.contacts = [try Fixture.contact(Fixture.ben, "Ben", isDependent: true)]
        #expect(home.pushCard == .question)
    }

    // MARK: On and off

    @Test func turningOnWaitsForTheDevicesReport() async {
        let (reports, device) = AsyncStream.makeStream(of: PushStatus.self)
        let asked = LockIsolated(0)
        let store = store {
            $0.pushClient.status = { reports }
            $0.pushClient.turnOn = { asked.withValue { $0 += 1 } }
        }
        let stream = await store.send(.startStream)
        device.yield(PushStatus(.undecided))
        await store.receive(.statusChanged(PushStatus(.undecided))) {
            $0.status = PushStatus(.undecided)
        }
        await store.send(.turnOnButtonTapped) {
            $0.isBusy = true
            $0.hasAsked = true
        }
        await store.send(.turnOnButtonTapped)
        await store.send(.turnOffButtonTapped)
        device.yield(PushStatus(.granted, endpoint: id))
        await store.receive(.statusChanged(PushStatus(.granted, endpoint: id))) {
            $0.status = PushStatus(.granted, endpoint: id)
            $0.isBusy = false
        }
        #expect(asked.value == 1)
        await store.send(.stopStream)
        await stream.finish()
    }

    /// The user has closed the system's question without an answer, so the report is the same as
    /// before.
    @Test func equalReportEndsTheBusyState() async {
        let state = PushFeature.State(status: PushStatus(.undecided), isBusy: true)
        let store = store(state)
        await store.send(.statusChanged(PushStatus(.undecided))) { $0.isBusy = false }
    }

    @Test func turningOffAndNotNowGoToTheDevice() async {
        let done = LockIsolated<[String]>([])
        let store = store(.init(status: PushStatus(.granted, endpoint: id), test: .sent)) {
            $0.pushClient.turnOff = { done.withValue { $0.append("off") } }
            $0.pushClient.putOff = { done.withValue { $0.append("later") } }
        }
        await store.send(.turnOffButtonTapped) { $0.isBusy = true }
        await store.send(.statusChanged(PushStatus(.granted))) {
            $0.status = PushStatus(.granted)
            $0.isBusy = false
            $0.test = nil
        }
        await store.send(.notNowButtonTapped) {
            $0.status = PushStatus(.granted, isPutOff: true)
        }
        await store.finish()
        #expect(done.value == ["off", "later"])
    }

    /// The person may still allow messages in the system's settings. The device then registers.
    @Test func closingTheExplanationPutsNothingOff() async {
        let done = LockIsolated(0)
        let store = store(.init(status: PushStatus(.denied), hasAsked: true)) {
            $0.pushClient.putOff = { done.withValue { $0 += 1 } }
        }
        await store.send(.notNowButtonTapped) { $0.hasAsked = false }
        #expect(store.state.card == nil)
        await store.send(.statusChanged(PushStatus(.granted))) { $0.status = PushStatus(.granted) }
        #expect(store.state.card == .question && done.value == 0)
    }

    // MARK: The test

    @Test func testGoesToThisDeviceOnly() async {
        let tested = LockIsolated<[PushEndpointID]>([])
        let store = store(.init(status: PushStatus(.granted, endpoint: id))) {
            $0.notificationClient.testPushEndpoint = { id in tested.withValue { $0.append(id) } }
        }
        await store.send(.testButtonTapped) { $0.test = .sending }
        await store.receive(.testResponse(nil)) { $0.test = .sent }
        #expect(tested.value == [id])
    }

    @Test func failedTestShowsAnError() async {
        let store = store(.init(status: PushStatus(.granted, endpoint: id))) {
            $0.notificationClient.testPushEndpoint = { _ in throw UserFacingError.unavailable }
        }
        await store.send(.testButtonTapped) { $0.test = .sending }
        await store.receive(.testResponse(.unavailable)) {
            $0.test = nil
            $0.error = .unavailable
        }
        await store.send(.dismissError) { $0.error = nil }
    }

    @Test func testNeedsAnEndpoint() async {
        await store(.init(status: PushStatus(.granted))).send(.testButtonTapped)
    }
}
