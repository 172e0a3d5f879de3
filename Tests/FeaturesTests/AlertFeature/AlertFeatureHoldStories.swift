import Clients
import ComposableArchitecture
import Domain
import Foundation
import Testing

@testable import Features

@MainActor
@Suite struct AlertFeatureHoldStories {
    private let clock = TestClock()

    @Test func holdingForThreeSecondsEndsTheAlert() async {
        let ended = Fixture.alert(7, end: Fixture.now.adding(.seconds(3)))
        let felt = Calls<Haptic>([])
        let store = alertStore(.active(), clock: clock) {
            $0.alertClient.end = { _ in .confirmed(ended) }
            $0.hapticClient.play = { haptic in felt.withValue { $0.append(haptic) } }
        }
        await store.send(.holdBegan)
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
        // The user lifts the finger only after the hold is complete.
        await store.send(.holdEnded)
        #expect(felt.value == [.success])
    }

    @Test func shorterHoldChangesNothing() async {
        let store = alertStore(.active(), clock: clock)
        await store.send(.holdBegan)
        await clock.advance(by: .milliseconds(250))
        await store.receive(\.alertDeactivationProgressChanged) {
            $0.deactivationProgress = 1.0 / 12
        }
        await store.send(.holdEnded) { $0.deactivationProgress = 0 }
        await clock.advance(by: .seconds(10))
        #expect(store.state.isAlertActive)
        await store.send(.holdBegan)
        await store.send(.appBecameInactive) { $0.isAppActive = false }
        await clock.advance(by: .seconds(10))
        #expect(store.state.isAlertActive)
    }

    @Test func holdingNeedsAnAlert() async {
        let store = alertStore(clock: clock)
        await store.send(.holdBegan)
        await store.send(.holdEnded)
    }

    @Test func eachTapHasHapticFeedback() async {
        let felt = Calls<Haptic>([])
        let store = alertStore(clock: clock) {
            $0.alertClient.raise = { _ in .confirmed(Fixture.alert(0)) }
            $0.hapticClient.play = { haptic in felt.withValue { $0.append(haptic) } }
        }
        store.exhaustivity = .off
        for _ in 1...4 { await store.send(.alertButtonTapped) }
        await store.skipInFlightEffects(strict: false)
        #expect(felt.value.count { $0 == .tap } == 3 && felt.value.count { $0 == .warning } == 1)
    }
}
