import Clients
import ComposableArchitecture
import Domain
import Foundation
import Testing

@testable import Features

/// Where seed 001's wording would fail the user, and ours does not.
@MainActor
@Suite struct AlertFeatureCorrections {
    @Test(
        """
        Correction: `Date()` in `alertDuration` shows an alert of five minutes as years to \
        whoever's clock is injected; ours shows five minutes
        """
    )
    func durationAsksTheInjectedDate() {
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
        Correction: the seed's state after a failed activation shows no alert, and the call for \
        help is gone; ours shows it and tries again
        """
    )
    func aFailedActivationStays() async {
        // The seed's properties say no more of a failure than this.
        func seedsState(after error: UserFacingError) -> AlertFeature.State {
            .init(isAlertActive: false, isActivatingAlert: false, error: error.text)
        }
        let seeds = seedsState(after: .refused)
        #expect(!seeds.isAlertActive && seeds.waitingText == nil)

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
            store.state.isAlertActive && store.state.waitingText?.contains("will be sent") == true
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
    func whoWasToldAndWhoCame() throws {
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
        // A property wrapper's storage has an underscore.
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
