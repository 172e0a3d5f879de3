import Clients
import ComposableArchitecture
import Domain
import Foundation
import Testing

@testable import Features

/// Corrections of seed 001. The name of each test says how the seed's wording would fail the user.
@MainActor
@Suite struct AlertFeatureCorrections {
    @Test(
        """
        Correction: `Date()` in `alertDuration` shows years for an alert of five minutes if the \
        clock is injected; ours shows five minutes
        """
    )
    func durationUsesTheInjectedDate() {
        let start = Fixture.now
        func seedsDuration() -> TimeInterval { Date().timeIntervalSince(start) }
        var state = AlertFeature.State.active(since: start)
        state.now = start.adding(.minutes(5))
        #expect(seedsDuration() > 86_400 * 365)
        #expect(state.alertDuration == 300)
    }

    @Test(
        """
        Correction: the seed's duration shows `00:-3` while the server's clock is three seconds \
        ahead; ours shows `00:00`
        """
    )
    func durationIsNeverNegative() {
        var state = AlertFeature.State.active(since: Fixture.now.adding(.seconds(3)))
        state.now = Fixture.now
        func seedsText() -> String {
            let duration = Int(Fixture.now.timeIntervalSince(Fixture.now.adding(.seconds(3))))
            return String(format: "%02d:%02d", (duration % 3600) / 60, duration % 60)
        }
        #expect(seedsText() == "00:-3")
        #expect(state.formattedAlertDuration == "00:00")
    }

    @Test(
        """
        Correction: `Date()` changes no state, so the time on the seed's screen stands still; \
        ours follows the time while it is shown, and is 0 before
        """
    )
    func durationIsUpdatedWhileShown() async {
        let atFirst = AlertFeature.State.active()
        let tenSecondsLater = atFirst
        #expect(atFirst == tenSecondsLater, "Nothing makes the seed's screen draw itself again.")
        #expect(atFirst.alertDuration == 0)

        let clock = TestClock()
        let store = alertStore(.active(), clock: clock) {
            $0.alertClient.history = { _ in ListPage(items: [Fixture.alert(7)]) }
        }
        store.exhaustivity = .off
        await store.send(.onAppear)
        await clock.advance(by: .seconds(10))
        await store.skipReceivedActions(strict: false)
        #expect(store.state.alertDuration == 10)
        await store.send(.onDisappear)
    }

    @Test(
        """
        Correction: an error in `confirmationAlert` takes the place of the question, and the \
        alert can't be ended; ours stands beside it, in `error`
        """
    )
    func errorKeepsTheQuestion() async throws {
        func canEnd(_ alert: AlertState<AlertFeature.Action>?) -> Bool {
            alert?.buttons.contains { $0.action.action == .alertDeactivationConfirmed } ?? false
        }
        var seeds = AlertFeature.State.active()
        seeds.confirmationAlert = .endAlert(tellsSomebody: true)
        #expect(canEnd(seeds.confirmationAlert))
        seeds.confirmationAlert = AlertState { TextState(UserFacingError.unavailable.text) }
        #expect(!canEnd(seeds.confirmationAlert))

        let store = alertStore(.active()) {
            $0.alertClient.history = { _ in throw UserFacingError.unavailable }
        }
        store.exhaustivity = .off
        await store.send(.alertDeactivationButtonTapped)
        await store.send(.loadAlertHistory)
        await store.receive(\.alertHistoryResponse.failure)
        #expect(store.state.error == UserFacingError.unavailable.text)
        #expect(canEnd(store.state.confirmationAlert))
    }

    @Test(
        """
        Correction: the seed's state after a failed activation shows no alert, and the call for \
        help is gone; ours shows it and tries again
        """
    )
    func failedAlertStaysAndIsRetried() async {
        // The seed has only these properties for a failure.
        func seedsState(after error: UserFacingError) -> AlertFeature.State {
            .init(isAlertActive: false, isActivatingAlert: false, error: error.text)
        }
        let seeds = seedsState(after: .refused)
        #expect(!seeds.isAlertActive && seeds.waitingWords == nil)

        let (clock, raised) = (TestClock(), Calls<AlertID>([]))
        let store = alertStore(.init(activationProgress: 0.75), clock: clock) {
            $0.alertClient.raise = { id in
                raised.withValue { $0.append(id) }
                throw UserFacingError.refused
            }
        }
        store.exhaustivity = .off
        await store.send(.alertButtonTapped)
        await store.skipReceivedActions()
        #expect(
            store.state.isAlertActive && store.state.waitingWords?.contains("will be sent") == true
                && store.state.error != nil)
        await clock.advance(by: .minutes(1))
        await store.skipReceivedActions()
        #expect(store.state.isAlertActive && raised.value.count > 3 && Set(raised.value).count == 1)
        await store.skipInFlightEffects()
    }

    @Test(
        """
        Correction: the seed's `AlertRecord` can't say who was told and who came; ours has both, \
        and after how many seconds
        """
    )
    func recordHasDeliveriesAndAcknowledgement() throws {
        struct SeedsAlertRecord {
            var id: String
            var startTime: Date
            var endTime: Date?
            var userId: String
            var isActive: Bool
        }
        var record = Fixture.alert(1)
        let seeds = SeedsAlertRecord(
            id: record.id, startTime: record.startTime, endTime: record.endTime,
            userId: record.userId, isActive: record.isActive)
        let seedsNames = Set(Mirror(reflecting: seeds).children.compactMap(\.label))
        // The storage of a property wrapper has a name with an underscore.
        let ourNames = Set(
            Mirror(reflecting: record).children.compactMap { $0.label?.trimmingPrefix("_") }.map(
                String.init))
        #expect(ourNames.isSuperset(of: seedsNames))
        #expect(ourNames.subtracting(seedsNames).isSuperset(of: ["acknowledgement", "ledger"]))
        record.acknowledgement = .init(
            responderId: Fixture.ben.description, name: "Ben",
            time: Fixture.now.adding(.seconds(42)), afterSeconds: 42)
        var state = AlertFeature.State()
        state.keepInHistory(record)
        #expect(state.alertHistory.first?.acknowledgement?.afterSeconds == 42)
    }
}
