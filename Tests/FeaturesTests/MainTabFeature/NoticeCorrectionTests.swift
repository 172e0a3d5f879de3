import Clients
import ComposableArchitecture
import Domain
import Testing

@testable import Features

/// Tests corrections of how the seeds show an error; see features.md.
@MainActor @Suite struct NoticeCorrectionTests {
    @Test(
        """
        Seed: an error alert takes the press that was meant for the call for help, which stops at \
        three of four; ours: words on the page, and all four count
        """
    )
    func anErrorTakesNoPress() async {
        // The seeds' screen: while an alert view shows an error, a tap goes to that view and closes
        // it.
        var (progress, error) = (0.0, UserFacingError?.none)
        for press in 1...4 {
            if press == 3 { error = .unavailable }
            if error == nil {
                progress = AlertRules.progress(afterPressAt: progress)
            } else {
                error = nil
            }
        }
        #expect(progress == 0.75)

        let store = TestStore(initialState: MainTabFeature.State(userID: Fixture.ana)) {
            MainTabFeature()
        } withDependencies: {
            $0.uuid = .incrementing
            $0.date.now = Fixture.now
            $0.continuousClock = TestClock()
            $0.alertClient.raise = { _ in .confirmed(Fixture.alert(0)) }
        }
        store.exhaustivity = .off
        for press in 1...4 {
            if press == 3 { await store.send(.responders(.setError(.unavailable))) }
            await store.send(.home(.alert(.alertButtonTapped)))
        }
        await store.receive(\.home.alert.alertActivationResponse.success)
        #expect(store.state.home.alert.isAlertActive)
        #expect(store.state.responders.error == .unavailable)
        await store.skipInFlightEffects(strict: false)
    }
}
