import Clients
import ComposableArchitecture
import Domain
import Foundation
import Testing

@testable import Features

/// Work that goes on when a sheet was closed or another tab was chosen.
@MainActor @Suite struct AfterClosingTests {
    private let alertID: AlertID = Fixture.id(20)
    private let alert = Fixture.alert(20, of: Fixture.ben)

    @Test func closingTheSheetDoesNotTakeBackImOnIt() async throws {
        let gate = Gate<AlertRecord>()
        var state = MainTabFeature.State(userID: Fixture.ana)
        state.dependentAlert = .init(alertID: alertID, alert: alert)
        let store = store(state) { $0.alertClient.acknowledge = { _ in try await gate.wait() } }
        await store.send(\.dependentAlert.acknowledgeButtonTapped) {
            $0.dependentAlert?.isAcknowledging = true
        }
        await store.receive(\.dependentAlert.delegate.acknowledgeRequested)
        await store.send(\.dependentAlert.dismiss) { $0.dependentAlert = nil }
        gate.fail(Fixture.refused)
        await store.receive(\.acknowledgeResponse.failure) { $0.error = Fixture.refused }
        #expect(gate.calls.value == 1)
    }

    @Test func theSheetThatIsStillOpenGetsTheAnswer() async throws {
        let ben = try Fixture.contact(Fixture.ben, "Ben", isDependent: true)
        var state = DependentsFeature.State()
        state.dependentAlert = .init(alertID: alertID, dependent: ben, alert: alert)
        let store = TestStore(initialState: state) {
            DependentsFeature()
        } withDependencies: {
            $0.alertClient.acknowledge = { [alert] _ in alert }
        }
        await store.send(\.dependentAlert.acknowledgeButtonTapped) {
            $0.dependentAlert?.isAcknowledging = true
        }
        await store.receive(\.dependentAlert.delegate.acknowledgeRequested)
        await store.receive(\.acknowledgeResponse.success)
        await store.receive(\.dependentAlert.acknowledgeResponse.success) {
            $0.dependentAlert?.isAcknowledging = false
        }
    }

    @Test func aSlowNotificationLeavesThePersonOnTheTabTheyChose() async {
        let gate = Gate<AlertRecord>()
        let store = store(.init(userID: Fixture.ana)) {
            $0.alertClient.alert = { _ in try await gate.wait() }
        }
        store.exhaustivity = .off
        await store.send(.opened(.alert(alertID, user: nil)))
        await store.send(.tabSelected(.profile)) { $0.selectedTab = .profile }
        gate.open(alert)
        await store.finish()
        await store.skipReceivedActions(strict: false)
        #expect(store.state.selectedTab == .profile && store.state.dependentAlert == nil)
    }

    private func store(
        _ state: MainTabFeature.State, _ dependencies: (inout DependencyValues) -> Void
    ) -> TestStoreOf<MainTabFeature> {
        TestStore(initialState: state) {
            MainTabFeature()
        } withDependencies: {
            $0.uuid = .incrementing
            $0.date.now = Fixture.now
            $0.continuousClock = TestClock()
            dependencies(&$0)
        }
    }
}
