import Clients
import ComposableArchitecture
import Domain
import Foundation
import Testing

@testable import Features

@MainActor
@Suite struct AlertFeatureStories {
    let clock = TestClock()

    @Test func tapsResetAfterFourSecondsWithoutATap() async {
        let store = alertStore(clock: clock) { $0.authClient.session = { nil } }
        await store.send(.alertButtonTapped) { $0.activationProgress = 0.25 }
        await clock.advance(by: .milliseconds(3_999))
        await store.send(.alertButtonTapped) { $0.activationProgress = 0.5 }
        await clock.advance(by: .milliseconds(3_999))
        // This send would fail if an action had arrived.
        await store.send(.alertButtonTapped) { $0.activationProgress = 0.75 }
        await clock.advance(by: .milliseconds(3_999))
        await store.send(.appBecameActive)
        await clock.advance(by: .milliseconds(1))
        await store.receive(\.setActivationProgress) { $0.activationProgress = 0 }
    }

    @Test func furtherTapsRaiseNoSecondAlert() async {
        let raised = Calls<AlertID>([])
        let store = alertStore(.init(activationProgress: 0.75), clock: clock) { [clock] in
            $0.alertClient.raise = { id in
                raised.withValue { $0.append(id) }
                try await clock.sleep(for: .seconds(10))
                return .confirmed(Fixture.alert(0))
            }
        }
        await store.send(.alertButtonTapped) { expectRaising(&$0) }
        await store.send(.alertButtonTapped)
        await store.send(.setActivationProgress(1))
        await clock.advance(by: .seconds(10))
        await store.receive(\.alertActivationResponse.success) {
            expectOpen(&$0, history: [Fixture.alert(0)])
        }
        #expect(raised.value == [Fixture.id(0)])
    }

    @Test func alreadyOpenAlertKeepsItsStartTime() async {
        let open = Fixture.alert(9, start: Fixture.now.addingTimeInterval(-600))
        let store = alertStore(.init(activationProgress: 0.75), clock: clock) {
            $0.alertClient.raise = { _ in .confirmed(open) }
        }
        await store.send(.alertButtonTapped) { expectRaising(&$0) }
        await store.receive(\.alertActivationResponse.success) {
            expectOpen(&$0, history: [open])
            $0.alertID = Fixture.id(9)
            $0.alertStartTime = open.startTime
        }
    }

    @Test func offlineAlertShowsAsUnsentUntilSent() async {
        let (status, continuation) = AsyncStream.makeStream(of: Connectivity.self)
        let waiting = WaitingAction(id: UUID(7), kind: .raiseAlert, createdAt: Fixture.now)
        let raised = Fixture.alert(0)
        let store = alertStore(.init(activationProgress: 0.75), clock: clock) {
            $0.alertClient.raise = { _ in .waiting }
            $0.alertClient.history = { _ in ListPage(items: [raised], next: nil) }
            $0.connectivityClient.status = { status }
        }
        await store.send(.alertButtonTapped) { expectRaising(&$0) }
        await store.receive(\.alertActivationResponse.success) {
            expectOpen(&$0)
            $0.isSendingStart = true
        }
        #expect(
            store.state.isWaitingToBeSent
                && store.state.waitingWords?.contains("will be sent") == true
                && store.state.noAnswerWords == "We don’t know yet whether anyone was told."
                && store.state.nobodyToldWords == "No one.")
        continuation.yield(Connectivity(isOnline: false, waiting: [waiting]))
        await store.receive(\.connectivityChanged)
        continuation.yield(Connectivity(isOnline: true))
        await store.receive(\.connectivityChanged) { $0.isSendingStart = false }
        #expect(
            !store.state.isWaitingToBeSent && store.state.waitingWords == nil
                && store.state.noAnswerWords.contains("alerted again"))
        await store.receive(\.alertStatusResponse.success) { $0.alertHistory = [raised] }
        continuation.finish()
        await store.finish()
    }

    @Test func refusedAlertIsRetriedWithTheSameID() async {
        let raised = Calls<AlertID>([])
        let store = alertStore(.init(activationProgress: 0.75), clock: clock) {
            $0.alertClient.raise = { id in
                raised.withValue { $0.append(id) }
                guard raised.value.count > 2 else { throw UserFacingError.refused }
                return .confirmed(Fixture.alert(0))
            }
        }
        await store.send(.alertButtonTapped) { expectRaising(&$0) }
        await store.receive(\.alertActivationResponse.failure) {
            expectOpen(&$0)
            $0.isSendingStart = true
            $0.failedActivations = 1
            $0.error = UserFacingError.refused.text
        }
        await store.send(.dismissError) { $0.error = nil }
        // The server and other devices don't have the alert. The alert stays open.
        await store.send(.alertsUpdated([]))
        await store.send(.connectivityChanged(Connectivity()))
        await clock.advance(by: .seconds(2))
        await store.receive(\.alertActivationResponse.failure) { $0.failedActivations = 2 }
        await clock.advance(by: .seconds(4))
        await store.receive(\.alertActivationResponse.success) {
            $0.failedActivations = 0
            $0.isSendingStart = false
            $0.alertHistory = [Fixture.alert(0)]
        }
        #expect(raised.value == [Fixture.id(0), Fixture.id(0), Fixture.id(0)])
    }

    @Test func refusedAlertCanBeEndedDuringRetries() async {
        let store = alertStore(.init(activationProgress: 0.75), clock: clock) {
            $0.alertClient.raise = { _ in throw UserFacingError.refused }
            $0.alertClient.end = { _ in
                throw UserFacingError(CommandError.notFound("There is no such alert."))
            }
        }
        await store.send(.alertButtonTapped) { expectRaising(&$0) }
        await store.receive(\.alertActivationResponse.failure) {
            expectOpen(&$0)
            $0.isSendingStart = true
            $0.failedActivations = 1
            $0.error = UserFacingError.refused.text
        }
        await store.send(.alertDeactivationProgressChanged(1)) {
            expectEnding(&$0)
            $0.error = nil
        }
        await store.receive(\.alertDeactivationResponse.failure) { $0 = .init() }
    }

    @Test func releasingTheHoldEarlyResetsIt() async {
        let store = alertStore(.active(), clock: clock)
        await store.send(.alertDeactivationProgressChanged(0.9)) { $0.deactivationProgress = 0.9 }
        await store.send(.alertDeactivationProgressChanged(0)) { $0.deactivationProgress = 0 }
        await clock.advance(by: .seconds(10))
        #expect(store.state.isAlertActive)
    }

    @Test func confirmedEndTakesTheSameThreeSeconds() async {
        let ended = Fixture.alert(7, end: Fixture.now.adding(.seconds(3)))
        let store = alertStore(.active(), clock: clock) {
            $0.alertClient.end = { _ in .confirmed(ended) }
        }
        await store.send(.alertDeactivationButtonTapped) {
            $0.confirmationAlert = .endAlert(tellsSomebody: true)
        }
        #expect(!store.state.isEndUnderway)
        await store.send(.confirmationAlert(.presented(.alertDeactivationConfirmed))) {
            $0.confirmationAlert = nil
            $0.isEndConfirmed = true
        }
        #expect(store.state.isEndUnderway)
        for step in 1...11 {
            await clock.advance(by: .milliseconds(250))
            await store.receive(\.alertDeactivationProgressChanged) {
                $0.deactivationProgress = Double(step) / 12
            }
        }
        await clock.advance(by: .milliseconds(250))
        await store.receive(\.alertDeactivationProgressChanged) {
            expectEnding(&$0, at: Fixture.now.adding(.seconds(3)))
        }
        await store.receive(\.alertDeactivationResponse.success) {
            $0 = .init(alertHistory: [ended])
        }
        #expect(!store.state.isEndUnderway)
    }

    @Test func confirmedEndCanBeCancelledWithinThreeSeconds() async {
        let store = alertStore(.active(), clock: clock)
        await store.send(.alertDeactivationConfirmed) { $0.isEndConfirmed = true }
        await clock.advance(by: .milliseconds(250))
        await store.receive(\.alertDeactivationProgressChanged) {
            $0.deactivationProgress = 1.0 / 12
        }
        await store.send(.alertDeactivationProgressChanged(0)) {
            $0.deactivationProgress = 0
            $0.isEndConfirmed = false
        }
        await clock.advance(by: .seconds(10))
        #expect(store.state.isAlertActive)
    }

    @Test func failedEndLeavesTheAlertOpen() async {
        let store = alertStore(.active(), clock: clock) {
            $0.alertClient.end = { _ in throw UserFacingError.refused }
        }
        await store.send(.alertDeactivationProgressChanged(1)) { expectEnding(&$0) }
        await store.receive(\.alertDeactivationResponse.failure) {
            $0.isDeactivatingAlert = false
            $0.deactivationProgress = 0
            $0.alertEndTime = nil
            $0.error = UserFacingError.refused.text
        }
        #expect(store.state.canDeactivateAlert)
    }

    @Test func queuedEndAllowsAnotherAlert() async {
        let store = alertStore(.active(), clock: clock) { $0.alertClient.end = { _ in .waiting } }
        await store.send(.alertDeactivationProgressChanged(1)) { expectEnding(&$0) }
        await store.receive(\.alertDeactivationResponse.success) {
            $0 = .init()
            $0.isSendingEnd = true
            $0.endingAlertID = Fixture.id(7)
        }
        #expect(store.state.isWaitingToBeSent && store.state.canActivateAlert)
        // The user has ended the alert, but the server still considers it open.
        await store.send(.alertsUpdated([Fixture.alert(7)]))
        await store.send(.connectivityChanged(Connectivity())) {
            $0.isSendingEnd = false
            $0.endingAlertID = nil
        }
    }

    @Test func unsentAlertShowsAfterRestartDespiteAQueuedEnd() async {
        var state = AlertFeature.State()
        (state.isSendingStart, state.isSendingEnd) = (true, true)
        let store = alertStore(state, clock: clock)
        let unsent = Fixture.alert(8)
        await store.send(.alertsUpdated([unsent])) {
            $0.isAlertActive = true
            $0.alertID = Fixture.id(8)
            $0.alertStartTime = unsent.startTime
            $0.alertHistory = [unsent]
        }
        #expect(!store.state.canActivateAlert && store.state.canDeactivateAlert)
    }

    @Test func progressIsClamped() async {
        let store = alertStore(.active(), clock: clock)
        await store.send(.alertDeactivationProgressChanged(-1))
        await store.send(.alertDeactivationProgressChanged(.nan))
        #expect(store.state.deactivationProgress == 0)
    }
}
