import Clients
import ComposableArchitecture
import Domain
import Testing

@testable import Features

/// People who can't press the button four times fast enough can raise an alert in other ways.
@MainActor
@Suite struct AlertTriggerTests {
    private let clock = TestClock()

    private func store(
        _ trigger: AlertTrigger = .fourPresses, stored: String? = nil
    ) -> TestStoreOf<AlertFeature> {
        var state = AlertFeature.State()
        state.trigger = trigger
        let store = alertStore(state, clock: clock) {
            $0.alertClient.raise = { _ in .confirmed(Fixture.alert(0)) }
            $0.settingsClient.string = { key in key == .alertTrigger ? stored : nil }
        }
        store.exhaustivity = .off
        return store
    }

    @Test func slowPressesCountForFortySeconds() async {
        let store = store(.slowPresses)
        await store.send(.alertButtonTapped) { $0.activationProgress = 0.25 }
        await clock.advance(by: .milliseconds(39_999))
        #expect(store.state.activationProgress == 0.25)
        await clock.advance(by: .milliseconds(1))
        await store.receive(\.setActivationProgress) { $0.activationProgress = 0 }
        for _ in 1...3 {
            await store.send(.alertButtonTapped)
            await clock.advance(by: .milliseconds(39_999))
        }
        await store.send(.alertButtonTapped)
        await store.receive(\.alertActivationResponse.success) { $0.isAlertActive = true }
        await store.skipInFlightEffects(strict: false)
    }

    @Test func onePressAsksAndTheAnswerRaises() async {
        let store = store(.confirmation)
        for _ in 1...4 { await store.send(.alertButtonTapped) }
        await clock.advance(by: .seconds(3_600))
        #expect(store.state.confirmationAlert != nil && !store.state.isOnOrBeingRaised)
        await store.send(.confirmationAlert(.presented(.alertActivationConfirmed)))
        await store.receive(\.alertActivationResponse.success) { $0.isAlertActive = true }
        #expect(store.state.confirmationAlert == nil)
        await store.skipInFlightEffects(strict: false)
    }

    @Test func cancellingTheQuestionRaisesNothing() async {
        let store = store(.confirmation)
        await store.send(.alertButtonTapped)
        await store.send(.confirmationAlert(.dismiss)) { $0.confirmationAlert = nil }
        #expect(!store.state.isOnOrBeingRaised)
    }

    @Test func anAlertFromAnotherDeviceClosesTheQuestion() async {
        let store = store(.confirmation)
        await store.send(.alertButtonTapped)
        await store.send(.alertsUpdated([Fixture.alert(7)])) { $0.confirmationAlert = nil }
        #expect(store.state.isAlertActive)
        await store.skipInFlightEffects(strict: false)
    }

    @Test(arguments: AlertTrigger.allCases)
    func theStoredTriggerIsLoaded(trigger: AlertTrigger) async {
        let other = AlertTrigger.allCases.first { $0 != trigger }
        let store = store(other ?? .fourPresses, stored: trigger.rawValue)
        await store.send(.startStream)
        await store.receive(.triggerChanged(trigger)) { $0.trigger = trigger }
        await store.skipInFlightEffects(strict: false)
    }

    @Test func anUnknownStoredTriggerChangesNothing() async {
        let store = store(stored: "seven-presses")
        await store.send(.startStream)
        await store.finish()
        #expect(store.state.trigger == .fourPresses)
    }

    @Test func newTriggerResetsThePresses() async {
        let store = store()
        await store.send(.alertButtonTapped)
        await store.send(.triggerChanged(.fourPresses))
        #expect(store.state.activationProgress == 0.25)
        await store.send(.triggerChanged(.slowPresses)) { $0.activationProgress = 0 }
        await store.finish()
    }

    @Test func hintDescribesTheTrigger() {
        var state = AlertFeature.State()
        #expect(state.pressWords == "Call for help: press 4 times")
        state.trigger = .confirmation
        #expect(state.pressWords == "Call for help: press once, then confirm")
        #expect(
            AlertTrigger.allCases.map(\.words) == [
                "Press 4 times, with at most 4 seconds in between",
                "Press 4 times, with at most 40 seconds in between", "Press once, then confirm",
            ])
    }
}
