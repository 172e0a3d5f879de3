import Clients
import ComposableArchitecture
import Domain
import Foundation
import Testing

@testable import Features

@MainActor
@Suite struct AlertFromAnyScreenTests {
    private let clock = TestClock()
    private let ended = Fixture.alert(7, end: Fixture.now)

    private func store(_ state: AlertFeature.State = .init()) -> TestStoreOf<AlertFeature> {
        let open = state.isAlertActive ? [Fixture.alert(7)] : []
        let store = alertStore(state, clock: clock) { [ended] in
            $0.alertClient.raise = { _ in .confirmed(Fixture.alert(0)) }
            $0.alertClient.end = { _ in .confirmed(ended) }
            $0.alertClient.history = { _ in ListPage(items: open) }
        }
        store.exhaustivity = .off
        return store
    }

    @Test func fourTapsRaiseAnAlertAfterLeavingHome() async {
        let store = store()
        await store.send(.onAppear)
        await store.send(.onDisappear)
        for _ in 1...4 { await store.send(.alertButtonTapped) }
        await store.receive(\.alertActivationResponse.success) { $0.isAlertActive = true }
        await store.skipInFlightEffects(strict: false)
    }

    @Test func pageProgressRaisesAnAlertAfterLeavingHome() async {
        let store = store()
        await store.send(.onAppear)
        await store.send(.onDisappear)
        await store.send(.setActivationProgress(1))
        await store.receive(\.alertActivationResponse.success) { $0.isAlertActive = true }
        await store.skipInFlightEffects(strict: false)
    }

    @Test func tapsCountAcrossScreensForFourSeconds() async {
        let store = store()
        await store.send(.onAppear)
        await store.send(.alertButtonTapped)
        await store.send(.onDisappear)
        #expect(store.state.activationProgress == 0.25)
        await store.send(.alertButtonTapped) { $0.activationProgress = 0.5 }
        await clock.advance(by: .milliseconds(3_999))
        #expect(store.state.activationProgress == 0.5)
        await clock.advance(by: .milliseconds(1))
        await store.receive(\.setActivationProgress) { $0.activationProgress = 0 }
        for _ in 1...4 { await store.send(.alertButtonTapped) }
        await store.receive(\.alertActivationResponse.success)
        await store.skipInFlightEffects(strict: false)
    }

    @Test(arguments: [AlertFeature.Action.holdBegan, .alertDeactivationConfirmed])
    func alertCanEndAfterLeavingHome(by action: AlertFeature.Action) async {
        let store = store(.active())
        await store.send(.onDisappear)
        await store.send(action)
        await clock.advance(by: .seconds(3))
        await store.receive(\.alertDeactivationResponse.success) { $0.isAlertActive = false }
        await store.skipInFlightEffects(strict: false)
    }

    @Test func alertCanEndWhileViewsOverlap() async {
        let store = store(.active())
        await store.send(.onAppear)
        await store.skipReceivedActions()
        await store.send(.onAppear)
        await store.send(.onDisappear) { $0.timesShown = 1 }
        #expect(store.state.isTiming)
        await store.send(.holdBegan)
        await clock.advance(by: .seconds(3))
        await store.receive(\.alertDeactivationResponse.success) { $0.isAlertActive = false }
        await store.skipInFlightEffects(strict: false)
    }

    @Test func confirmedEndContinuesAfterLeaving() async {
        let store = store(.active())
        await store.send(.onAppear)
        await store.skipReceivedActions()
        await store.send(.alertDeactivationConfirmed)
        await clock.advance(by: .seconds(1))
        await store.send(.onDisappear)
        await store.send(.appBecameInactive)
        await clock.advance(by: .seconds(2))
        await store.receive(\.alertDeactivationResponse.success) { $0.isAlertActive = false }
        await store.skipInFlightEffects(strict: false)
    }

    @Test func holdIsCancelledWithItsButton() async {
        let store = store(.active())
        await store.send(.onDisappear)
        await store.send(.holdBegan)
        await clock.advance(by: .seconds(2))
        await store.send(.onDisappear) { $0.deactivationProgress = 0 }
        await clock.advance(by: .seconds(10))
        #expect(store.state.isAlertActive)
    }
}
