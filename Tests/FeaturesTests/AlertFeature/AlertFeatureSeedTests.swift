import Clients
import ComposableArchitecture
import Domain
import Foundation
import Testing

@testable import Features

/// Tests each statement of seed 001 about the state.
@MainActor
@Suite struct AlertFeatureSeedTests {
    let state = AlertFeature.State()

    @Test(
        """
        `isAlertActive: Bool` – a boolean indicating whether an alert is currently active; default \
        false
        """
    )
    func isAlertActive() { #expect(!state.isAlertActive) }

    @Test(
        """
        `activationProgress: Double` – each tap on the alert button increases this value by 0.25, \
        and when it reaches 1.0, the alert is activated
        """
    )
    func activationProgress() async {
        #expect(state.activationProgress == 0.0)
        let raised = Calls<AlertID>([])
        let clock = TestClock()
        let store = alertStore(clock: clock) {
            $0.alertClient.raise = { id in
                raised.withValue { $0.append(id) }
                return .confirmed(Fixture.alert(0))
            }
        }
        for progress in [0.25, 0.5, 0.75] {
            await store.send(.alertButtonTapped) { $0.activationProgress = progress }
            #expect(raised.value.isEmpty)
        }
        await store.send(.alertButtonTapped) {
            $0.activationProgress = 1
            $0.isActivatingAlert = true
            $0.alertID = Fixture.id(0)
            $0.alertStartTime = Fixture.now
        }
        await store.receive(\.alertActivationResponse.success) {
            $0.activationProgress = 0
            $0.isActivatingAlert = false
            $0.isAlertActive = true
            $0.alertHistory = [Fixture.alert(0)]
        }
        #expect(raised.value == [Fixture.id(0)])
    }

    @Test(
        """
        `deactivationProgress: Double` – as the user holds the deactivation button, this value \
        increases, and when it reaches 1.0, the alert is deactivated
        """
    )
    func deactivationProgress() async {
        #expect(state.deactivationProgress == 0.0)
        let ended = Fixture.alert(7, end: Fixture.now)
        let store = alertStore(.active()) { $0.alertClient.end = { _ in .confirmed(ended) } }
        await store.send(.alertDeactivationProgressChanged(0.5)) { $0.deactivationProgress = 0.5 }
        await store.send(.alertDeactivationProgressChanged(0.999)) {
            $0.deactivationProgress = 0.999
        }
        await store.send(.alertDeactivationProgressChanged(1)) {
            $0.deactivationProgress = 1
            $0.isDeactivatingAlert = true
            $0.alertEndTime = Fixture.now
        }
        await store.receive(\.alertDeactivationResponse.success) {
            $0 = .init(alertHistory: [ended])
        }
    }

    @Test(
        """
        `alertStartTime: Date?` – the timestamp when the current alert was activated. This is \
        `nil` if no alert is active
        """
    )
    func alertStartTime() { #expect(state.alertStartTime == nil) }

    @Test(
        """
        `alertEndTime: Date?` – `nil` if no alert is active or if an alert is active but has not \
        been deactivated
        """
    )
    func alertEndTime() {
        #expect(state.alertEndTime == nil && AlertFeature.State.active().alertEndTime == nil)
    }

    @Test(
        """
        `alertHistory: [AlertRecord]` – the user's alert records, ordered by timestamp with the \
        most recent first
        """
    )
    func alertHistory() async {
        #expect(state.alertHistory == [])
        let (old, new) = (
            Fixture.alert(1, end: Fixture.now),
            Fixture.alert(
                2, start: Fixture.now.adding(.hours(1)), end: Fixture.now.adding(.hours(2)))
        )
        let store = alertStore {
            $0.alertClient.history = { _ in
                ListPage(items: [old, new, Fixture.alert(3, of: Fixture.ben)])
            }
        }
        await store.send(.loadAlertHistory) { $0.isLoadingHistory = true }
        await store.receive(\.alertHistoryResponse.success) {
            $0.isLoadingHistory = false
            $0.alertHistory = [new, old]
        }
    }

    @Test(
        """
        `isActivatingAlert: Bool` – used to disable the alert button when an alert activation is \
        in progress
        """
    )
    func isActivatingAlert() async {
        #expect(!state.isActivatingAlert)
        let store = alertStore(.init(isActivatingAlert: true))
        await store.send(.alertButtonTapped)
    }

    @Test(
        """
        `isDeactivatingAlert: Bool` – used to disable the alert button when an alert deactivation \
        is in progress
        """
    )
    func isDeactivatingAlert() async {
        #expect(!state.isDeactivatingAlert)
        let store = alertStore(.init(isAlertActive: true, isDeactivatingAlert: true))
        await store.send(.alertDeactivationProgressChanged(1))
        await store.send(.alertDeactivationButtonTapped)
        await store.send(.alertButtonTapped)
    }

    @Test(
        """
        `isLoadingHistory: Bool` – used to show a loading indicator when the alert history is \
        being loaded
        """
    )
    func isLoadingHistory() async {
        #expect(!state.isLoadingHistory)
        let store = alertStore(.init(isLoadingHistory: true))
        await store.send(.loadAlertHistory)
    }

    @Test(
        """
        `error: String?` – cleared when a new operation is started or when the user dismisses the \
        error
        """
    )
    func error() async {
        #expect(state.error == nil)
        let clock = TestClock()
        let store = alertStore(clock: clock)
        await store.send(.setError("No line.")) { $0.error = "No line." }
        await store.send(.alertButtonTapped) {
            $0.error = nil
            $0.activationProgress = 0.25
        }
        await store.send(.setError("No line.")) { $0.error = "No line." }
        await store.send(.dismissError) { $0.error = nil }
        await clock.advance(by: .seconds(4))
        await store.receive(\.setActivationProgress) { $0.activationProgress = 0 }
    }
}
