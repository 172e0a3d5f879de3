import Clients
import ComposableArchitecture
import Domain
import Foundation
import Testing

@testable import Features

/// A request continues after the user has closed its sheet or chosen another tab.
@MainActor @Suite struct AfterClosingTests {
    private let alertID: AlertID = Fixture.id(20)
    private let alert = Fixture.alert(20, of: Fixture.ben)

    nonisolated static let requests =
        [DependentAlertFeature.Response.acknowledge, .decline, .withdraw, .resume]
        + AlertReport.allCases.map { .report($0) }

    @Test(arguments: requests)
    func responseContinuesAfterClosingAndItsFailureShows(
        response: DependentAlertFeature.Response
    ) async throws {
        let gate = Gate<AlertRecord>()
        let sheet = try sheet(for: response)
        var tabs = MainTabFeature.State(userID: Fixture.ana)
        tabs.dependentAlert = sheet
        let overTabs = store(tabs) { answer(&$0) { try await gate.wait() } }
        overTabs.exhaustivity = .off
        await overTabs.send(.dependentAlert(.presented(response.tap)))
        await overTabs.receive(\.dependentAlert.delegate.requested)
        await overTabs.send(\.dependentAlert.dismiss)
        let overList = TestStore(initialState: DependentsFeature.State(dependentAlert: sheet)) {
            DependentsFeature()
        } withDependencies: {
            answer(&$0) { try await gate.wait() }
        }
        overList.exhaustivity = .off
        await overList.send(.dependentAlert(.presented(response.tap)))
        await overList.receive(\.dependentAlert.delegate.requested)
        await overList.send(\.dependentAlert.dismiss)
        while gate.calls.value < 2 { await Task.yield() }
        gate.fail(Fixture.refused)
        await overTabs.receive(\.alertRequestAnswered) { $0.error = Fixture.refused }
        await overList.receive(\.alertRequestAnswered) { $0.error = Fixture.refused }
    }

    @Test(arguments: requests) func openSheetGetsTheAnswer(
        response: DependentAlertFeature.Response
    ) async throws {
        let state = DependentsFeature.State(dependentAlert: try sheet(for: response))
        let store = TestStore(initialState: state) {
            DependentsFeature()
        } withDependencies: {
            answer(&$0) { throw Fixture.refused }
            $0.alertClient.alert = { [alert] _ in alert }
        }
        store.exhaustivity = .off
        await store.send(.dependentAlert(.presented(response.tap))) {
            $0.dependentAlert?.request = .init(response, to: self.alertID)
            $0.dependentAlert?.confirmation = nil
        }
        await store.receive(\.dependentAlert.answered) {
            $0.dependentAlert?.request = nil
            $0.dependentAlert?.error = Fixture.refused
        }
        #expect(store.state.error == nil)
        await store.finish()
    }

    /// Returns a sheet that allows the response. Ana is on it, except for "I can't", and Cleo has
    /// sent a report.
    private func sheet(
        for response: DependentAlertFeature.Response
    ) throws -> DependentAlertFeature.State {
        var alert = alert
        alert.acknowledgement = .init(
            responderId: "\(Fixture.ana)", name: "Ana", time: Fixture.now, afterSeconds: 1)
        if response == .decline { alert.acknowledgement = nil }
        alert.report = AlertAction(
            kind: .acknowledged, responderId: "\(Fixture.cleo)", name: "Cleo", time: Fixture.now)
        let ben = try Fixture.contact(Fixture.ben, "Ben", isDependent: true)
        var state = DependentAlertFeature.State(
            alertID: alertID, dependent: ben, alert: alert, ownID: Fixture.ana)
        if case .report(let report) = response {
            state.confirmation = .report(report, about: "Ben")
        }
        return state
    }

    private func answer(
        _ dependencies: inout DependencyValues,
        _ answer: @escaping @Sendable () async throws -> AlertRecord
    ) {
        dependencies.alertClient.acknowledge = { _ in try await answer() }
        dependencies.alertClient.decline = { _ in try await answer() }
        dependencies.alertClient.withdraw = { _ in try await answer() }
        dependencies.alertClient.report = { _, _ in try await answer() }
        dependencies.alertClient.resume = { _ in try await answer() }
    }

    @Test func slowNotificationDoesNotSwitchTheTab() async {
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

extension DependentAlertFeature.Response {
    fileprivate var tap: DependentAlertFeature.Action {
        switch self {
        case .acknowledge: .acknowledgeButtonTapped
        case .decline: .declineButtonTapped
        case .withdraw: .withdrawButtonTapped
        case .report(let report): .confirmation(.presented(.reportConfirmed(report)))
        case .resume: .resumeButtonTapped
        }
    }
}
