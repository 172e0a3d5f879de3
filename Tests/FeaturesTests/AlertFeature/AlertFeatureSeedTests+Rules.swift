import Clients
import ComposableArchitecture
import Domain
import Foundation
import Testing

@testable import Features

extension AlertFeatureSeedTests {
    @Test(
        """
        `canActivateAlert: Bool` and `canDeactivateAlert: Bool` – true if no alert (an alert) is \
        active and no alert operation is in progress
        """,
        arguments: [false, true], [(false, false), (true, false), (false, true), (true, true)])
    func canActivate(isActive: Bool, operation: (Bool, Bool)) {
        let state = AlertFeature.State(
            isAlertActive: isActive, isActivatingAlert: operation.0,
            isDeactivatingAlert: operation.1)
        #expect(state.canActivateAlert == (!isActive && operation == (false, false)))
        #expect(state.canDeactivateAlert == (isActive && operation == (false, false)))
    }

    @Test(
        """
        `isFullyActivated: Bool` and `isFullyDeactivated: Bool` – true if the progress is greater \
        than or equal to 1.0
        """,
        arguments: [(0, false), (0.75, false), (0.999_999, false), (1, true), (1.25, true)])
    func fullProgress(progress: Double, isFull: Bool) {
        #expect(AlertFeature.State(activationProgress: progress).isFullyActivated == isFull)
        #expect(AlertFeature.State(deactivationProgress: progress).isFullyDeactivated == isFull)
    }

    @Test(
        """
        `@Presents var confirmationAlert: AlertState<Action>?` – nil when no alert is presented; \
        contains the alert title, message, and buttons
        """
    )
    func confirmationAlert() async throws {
        #expect(state.confirmationAlert == nil)
        let store = alertStore(.active())
        await store.send(.alertDeactivationButtonTapped) {
            $0.confirmationAlert = .endAlert(tellsSomebody: true)
        }
        let alert = try #require(store.state.confirmationAlert)
        #expect(String(state: alert.title) == "End your alert?")
        #expect(alert.message != nil)
        #expect(alert.buttons.count == 2)
        await store.send(.confirmationAlert(.dismiss)) { $0.confirmationAlert = nil }
    }

    @Test(
        """
        `isAlertActive`, `alertStartTime` and `alertHistory` are stored, other properties are not \
        persisted and only exist in memory
        """
    )
    func persistence() async {
        let open = Fixture.alert(7, start: Fixture.now.addingTimeInterval(-90))
        let store = alertStore {
            $0.alertClient.alertsStream = {
                AsyncStream {
                    $0.yield([open]); $0.finish()
                }
            }
            $0.alertClient.history = { _ in ListPage(items: [open]) }
        }
        // The app was killed. It starts with a new state, and its clients restore what they have
        // stored.
        store.exhaustivity = .off
        await store.send(.onAppear)
        await store.skipReceivedActions()
        #expect(
            store.state.isAlertActive && store.state.alertStartTime == open.startTime
                && store.state.alertHistory == [open])
        #expect(
            store.state.activationProgress == 0 && store.state.deactivationProgress == 0
                && !store.state.isActivatingAlert)
        await store.send(.onDisappear)
    }
}
