import Clients
import ComposableArchitecture
import Domain
import Foundation
import Testing

@testable import Features

@MainActor
@Suite struct AlertFeatureScreenStories {
    let clock = TestClock()

    @Test func durationTicksOnlyWhileAnAlertIsOpen() async {
        let store = alertStore(clock: clock) {
            $0.alertClient.history = { _ in ListPage(items: []) }
        }
        await store.send(.onAppear) {
            $0.timesShown = 1
            $0.isLoadingHistory = true
        }
        await store.receive(\.alertStatusResponse.success)
        await store.receive(\.alertHistoryResponse.success) { $0.isLoadingHistory = false }
        await clock.advance(by: .seconds(5))
        await store.send(.alertsUpdated([Fixture.alert(7)])) {
            expectShown(&$0, Fixture.alert(7))
            $0.now = Fixture.now.adding(.seconds(5))
        }
        #expect(store.state.formattedAlertDuration == "00:05")
        for second in 6...8 {
            await clock.advance(by: .seconds(1))
            await store.receive(\.timerTick) { $0.now = Fixture.now.adding(.seconds(second)) }
            #expect(store.state.formattedAlertDuration == "00:0\(second)")
        }
        await store.send(.appBecameInactive) { $0.isAppActive = false }
        await clock.advance(by: .seconds(5))
        await store.send(.appBecameActive) {
            $0.isAppActive = true
            $0.now = Fixture.now.adding(.seconds(13))
        }
        await store.receive(\.alertStatusResponse.success) { expectGone(&$0) }
        await clock.advance(by: .seconds(5))
        await store.send(.onDisappear) {
            $0.timesShown = 0
        }
    }

    /// The device's clock is an hour behind.
    @Test func durationFollowsTheServersClock() async {
        let alert = Fixture.alert(7, start: Fixture.now.adding(.hours(1)))
        let store = alertStore(clock: clock) {
            $0.alertClient.history = { _ in ListPage(items: []) }
            $0.serverClock.offset = { .hours(1) }
        }
        await store.send(.onAppear) {
            $0.timesShown = 1
            $0.isLoadingHistory = true
        }
        await store.receive(\.alertStatusResponse.success)
        await store.receive(\.alertHistoryResponse.success) { $0.isLoadingHistory = false }
        await clock.advance(by: .seconds(5))
        await store.send(.alertsUpdated([alert])) {
            expectShown(&$0, alert)
            $0.now = Fixture.now.adding(.seconds(3_605))
        }
        #expect(store.state.formattedAlertDuration == "00:05")
        await store.send(.onDisappear) { $0.timesShown = 0 }
    }

    /// The device's clock is an hour behind.
    @Test(arguments: [false, true]) func endFollowsTheServersClock(isWaiting: Bool) async {
        var state = AlertFeature.State.active()
        state.isSendingStart = isWaiting
        let ended = Fixture.alert(7, end: Fixture.now)
        let store = alertStore(state, clock: clock) {
            $0.alertClient.end = { _ in .confirmed(ended) }
            $0.serverClock.offset = { .hours(1) }
        }
        await store.send(.alertDeactivationProgressChanged(1)) {
            expectEnding(&$0, at: Fixture.now.adding(.hours(1)))
        }
        await store.receive(\.alertDeactivationResponse.success) {
            $0 = .init(alertHistory: [ended])
        }
    }

    @Test func alertOfAnotherDeviceShowsHere() async {
        let (alerts, device) = AsyncStream.makeStream(of: [AlertRecord].self)
        let (open, ended) = (
            Fixture.alert(7), Fixture.alert(7, end: Fixture.now.adding(.seconds(30)))
        )
        let store = alertStore(clock: clock) {
            $0.alertClient.alertsStream = { alerts }
            $0.alertClient.history = { _ in ListPage(items: [], next: "more") }
        }
        await store.send(.startStream)
        // Neither alert opens the alert screen. One belongs to a dependent, and a hold can't end
        // the other, which is about a missed check-in.
        device.yield([Fixture.alert(8, of: Fixture.ben), Fixture.alert(9, kind: .missedCheckIn)])
        await store.receive(\.alertsUpdated) {
            $0.missedCheckIn = Fixture.alert(9, kind: .missedCheckIn)
        }
        await store.send(.onAppear) {
            $0.timesShown = 1
            $0.isLoadingHistory = true
        }
        await store.receive(\.alertStatusResponse.success) { $0.missedCheckIn = nil }
        await store.receive(\.alertHistoryResponse.success) {
            $0.isLoadingHistory = false
            $0.nextHistoryPage = "more"
        }
        device.yield([open])
        await store.receive(\.alertsUpdated) {
            expectShown(&$0, open)
            $0.now = Fixture.now
        }
        device.yield([ended])
        await store.receive(\.alertsUpdated) {
            expectGone(&$0)
            $0.alertHistory = [ended]
        }
        await store.send(.onDisappear) {
            $0.timesShown = 0
        }
        await store.send(.stopStream) { $0.hasStopped = true }
    }

    @Test func textsMentionRespondersOnlyIfThereAreAny() async {
        var state = AlertFeature.State.active()
        state.hasResponders = false
        let store = alertStore(state, clock: clock)
        await store.send(.alertDeactivationButtonTapped) {
            $0.confirmationAlert = .endAlert(tellsSomebody: false)
        }
        #expect(store.state.confirmationAlert.map { !"\($0)".contains("esponders") } == true)
        await store.send(
            .connectivityChanged(
                Connectivity(
                    isOnline: false,
                    waiting: [.init(id: UUID(1), kind: .endAlert, createdAt: Fixture.now)]))
        ) {
            $0.isSendingEnd = true
        }
        #expect(store.state.waitingWords?.contains("esponders") == false)
        await store.send(.addResponderButtonTapped)
        await store.receive(\.delegate.addResponder)
    }

    @Test func endElsewhereClosesTheQuestionAndTheHold() async {
        var state = AlertFeature.State.active()
        state.confirmationAlert = .endAlert(tellsSomebody: true)
        state.deactivationProgress = 0.5
        let ended = Fixture.alert(7, end: Fixture.now)
        let store = alertStore(state, clock: clock)
        await store.send(.alertsUpdated([ended])) { $0 = .init(alertHistory: [ended]) }
        await store.send(.alertDeactivationProgressChanged(1))
    }

    @Test func lateAnswerDoesNotReopenAnEndedAlert() async {
        let ended = Fixture.alert(0, end: Fixture.now)
        let store = alertStore(.init(activationProgress: 0.75), clock: clock) { [clock] in
            $0.alertClient.raise = { _ in
                try await clock.sleep(for: .seconds(10))
                return .confirmed(Fixture.alert(0))
            }
        }
        await store.send(.alertButtonTapped) { expectRaising(&$0) }
        // The list lacks the alert, because the request that raises it is still in flight. The
        // alert stays open.
        await store.send(.alertsUpdated([]))
        await store.send(.alertsUpdated([ended])) { $0 = .init(alertHistory: [ended]) }
        await clock.advance(by: .seconds(10))
    }

    @Test func leavingDoesNotCancelTheAlert() async {
        let store = alertStore(.init(activationProgress: 0.75), clock: clock) { [clock] in
            $0.alertClient.raise = { _ in
                try await clock.sleep(for: .seconds(10))
                return .confirmed(Fixture.alert(0))
            }
        }
        await store.send(.alertButtonTapped) { expectRaising(&$0) }
        await store.send(.onDisappear)
        await clock.advance(by: .seconds(10))
        await store.receive(\.alertActivationResponse.success) {
            expectOpen(&$0, history: [Fixture.alert(0)])
        }
    }

    @Test func leavingCancelsLoading() async {
        let store = alertStore(clock: clock) { [clock] in
            $0.alertClient.history = { _ in
                try await clock.sleep(for: .seconds(10))
                return ListPage(items: [Fixture.alert(1, end: Fixture.now)])
            }
        }
        await store.send(.onAppear) {
            $0.timesShown = 1
            $0.isLoadingHistory = true
        }
        await store.send(.onDisappear) {
            $0.timesShown = 0
            $0.isLoadingHistory = false
        }
        await clock.advance(by: .seconds(10))
    }

    @Test func holdForAnEndedAlertDoesNotEndTheNext() async {
        let (old, new) = (Fixture.alert(7, end: Fixture.now), Fixture.alert(8))
        let store = alertStore(.active(), clock: clock)
        await store.send(.alertDeactivationConfirmed) { $0.isEndConfirmed = true }
        await clock.advance(by: .milliseconds(250))
        await store.receive(\.alertDeactivationProgressChanged) {
            $0.deactivationProgress = 1.0 / 12
        }
        // On another device, the user has ended the alert and raised a new one.
        await store.send(.alertsUpdated([new, old])) {
            $0.alertID = Fixture.id(8)
            $0.deactivationProgress = 0
            $0.isEndConfirmed = false
            $0.alertHistory = [new]
        }
        await clock.advance(by: .seconds(10))
        #expect(store.state.isAlertActive)
    }

    @Test func endOnAnotherDeviceCancelsTheHold() async {
        let ended = Fixture.alert(7, end: Fixture.now)
        let store = alertStore(.active(), clock: clock)
        await store.send(.alertDeactivationConfirmed) { $0.isEndConfirmed = true }
        await clock.advance(by: .milliseconds(250))
        await store.receive(\.alertDeactivationProgressChanged) {
            $0.deactivationProgress = 1.0 / 12
        }
        await store.send(.alertsUpdated([ended])) {
            expectGone(&$0)
            $0.deactivationProgress = 0
            $0.alertHistory = [ended]
        }
        await clock.advance(by: .seconds(10))
        // The finger is still on the button.
        await store.send(.alertDeactivationProgressChanged(1))
    }

    @Test func retryOfAnEndedAlertShowsNoneAsOpen() async {
        let ended = Fixture.alert(0, end: Fixture.now)
        let store = alertStore(.init(activationProgress: 0.75), clock: clock) {
            $0.alertClient.raise = { _ in .confirmed(ended) }
        }
        await store.send(.alertButtonTapped) { expectRaising(&$0) }
        await store.receive(\.alertActivationResponse.success) { $0 = .init(alertHistory: [ended]) }
        #expect(store.state.canActivateAlert)
    }
}

private func expectShown(_ state: inout AlertFeature.State, _ alert: AlertRecord) {
    state.isAlertActive = true
    state.alertID = AlertID(alert.id)
    state.alertStartTime = alert.startTime
    state.alertHistory = [alert]
}

private func expectGone(_ state: inout AlertFeature.State) {
    state.isAlertActive = false
    state.isEndConfirmed = false
    state.alertID = nil
    state.alertStartTime = nil
}
