import Clients
import ComposableArchitecture
import Domain
import Foundation
import Testing

@testable import Features

/// Tests answers that arrive late, or that are older than what the screen shows.
@MainActor
@Suite struct AlertFeatureOrderTests {
    let clock = TestClock()

    @Test func olderStatusDoesNotCloseTheAlert() async {
        let store = alertStore(.init(activationProgress: 0.75), clock: clock) { [clock] in
            $0.alertClient.history = { _ in
                try await clock.sleep(for: .seconds(5))
                return ListPage(items: [])
            }
            $0.alertClient.raise = { _ in .confirmed(Fixture.alert(0)) }
        }
        await store.send(.loadAlertStatus)
        await store.send(.alertButtonTapped) { expectRaising(&$0) }
        await store.receive(\.alertActivationResponse.success) {
            expectOpen(&$0, history: [Fixture.alert(0)])
        }
        await clock.advance(by: .seconds(5))
        #expect(store.state.isAlertActive)
    }

    @Test func lateHistoryKeepsTheDeliveries() async {
        let line = AlertRecord.LedgerEntry(
            recipientId: Fixture.ben.description, name: "Ben", channel: .sms, state: .accepted,
            time: Fixture.now, attempts: 1)
        let detailed = Fixture.alert(7, ledger: [line])
        let store = alertStore(.active(), clock: clock) { [clock] in
            $0.alertClient.history = { _ in
                try await clock.sleep(for: .seconds(1))
                return ListPage(items: [Fixture.alert(7)])
            }
            $0.alertClient.alert = { _ in detailed }
        }
        store.exhaustivity = .off
        await store.send(.loadAlertHistory)
        await store.send(.loadAlertDetails(detailed.id))
        await store.receive(\.alertDetailsResponse.success)
        await clock.advance(by: .seconds(1))
        await store.receive(\.alertHistoryResponse.success)
        #expect(store.state.currentAlert == detailed)
    }

    @Test func openAlertStaysWhenThePageLacksIt() {
        var state = AlertFeature.State.active()
        state.alertHistory = [Fixture.alert(7), Fixture.alert(6, end: Fixture.now)]
        state.show(.init(items: [], next: nil, isFirst: true))
        #expect(state.alertHistory == [Fixture.alert(7)])
    }

    @Test(arguments: [1, 9, 10]) func ownAlertsAreFoundBehindDependentsAlerts(behind: Int)
        async
    {
        let own = Fixture.alert(1, end: Fixture.now)
        let asked = Calls<String?>([])
        let store = alertStore(clock: clock) {
            $0.alertClient.history = { before in
                asked.withValue { $0.append(before) }
                let page = before.flatMap { Int($0) } ?? 0
                guard page < behind else { return ListPage(items: [own]) }
                return ListPage(items: [Fixture.alert(2, of: Fixture.ben)], next: "\(page + 1)")
            }
        }
        await store.send(.loadAlertHistory) { $0.isLoadingHistory = true }
        // After ten pages, loading stops until the user asks for more.
        let isFound = behind < 10
        await store.receive(\.alertHistoryResponse.success) {
            $0.isLoadingHistory = false
            $0.alertHistory = isFound ? [own] : []
            $0.nextHistoryPage = isFound ? nil : "10"
        }
        #expect(asked.value.count == min(behind + 1, 10))
    }

    @Test func appearingLoadsTheAlertsOnce() async {
        let asked = Calls<String?>([])
        let open = Fixture.alert(7)
        let store = alertStore(clock: clock) {
            $0.alertClient.history = { before in
                asked.withValue { $0.append(before) }
                return ListPage(items: [open])
            }
        }
        store.exhaustivity = .off
        await store.send(.onAppear)
        await store.receive(\.alertStatusResponse.success)
        await store.receive(\.alertHistoryResponse.success)
        #expect(asked.value == [nil])
        #expect(store.state.isAlertActive && store.state.alertHistory == [open])
        await store.send(.onDisappear)
    }

    @Test func endedTextShowsForAWhile() async {
        var state = AlertFeature.State.active()
        state.responderNames = ["Ben", "Cleo"]
        let ended = Fixture.alert(7, end: Fixture.now)
        let store = alertStore(state, clock: clock) {
            $0.alertClient.end = { _ in .confirmed(ended) }
        }
        store.exhaustivity = .off
        await store.send(.alertDeactivationProgressChanged(1))
        await store.receive(\.alertDeactivationResponse.success) {
            $0.endedWords = "Alert ended. Ben and Cleo are being told."
        }
        await clock.advance(by: .milliseconds(29_999))
        #expect(store.state.endedWords != nil)
        await clock.advance(by: .milliseconds(1))
        await store.receive(\.endedWordsDismissed) { $0.endedWords = nil }
    }

    @Test(arguments: [nil, false] as [Bool?])
    func endWithoutRespondersIsConfirmedOnceKnown(hasResponders: Bool?) async {
        var state = AlertFeature.State.active()
        state.hasResponders = hasResponders
        let ended = Fixture.alert(7, end: Fixture.now)
        let store = alertStore(state, clock: clock) {
            $0.alertClient.end = { _ in .confirmed(ended) }
        }
        store.exhaustivity = .off
        await store.send(.alertDeactivationProgressChanged(1))
        await store.receive(\.alertDeactivationResponse.success)
        #expect(store.state.endedWords == (hasResponders == nil ? nil : "Alert ended."))
        await store.skipInFlightEffects(strict: false)
    }

    /// Another device raised the alert that the server answers with.
    @Test func endThatSparesANewerAlertShowsThatAlert() async {
        var state = AlertFeature.State.active()
        state.responderNames = ["Ben"]
        let newer = Fixture.alert(8)
        let id: AlertID = Fixture.id(8)
        let store = alertStore(state, clock: clock) {
            $0.alertClient.end = { _ in .confirmed(newer) }
        }
        store.exhaustivity = .off
        await store.send(.alertDeactivationProgressChanged(1))
        await store.receive(\.alertDeactivationResponse.success)
        #expect(store.state.isAlertActive && store.state.alertID == id)
        #expect(store.state.endedWords == nil && store.state.alertEndTime == nil)
        #expect(!store.state.isDeactivatingAlert && store.state.deactivationProgress == 0)
        #expect(store.state.alertHistory.first?.id == newer.id)
    }

    @Test func endFromTheStreamIsConfirmedAsWell() async {
        var state = AlertFeature.State.active()
        state.responderNames = ["Ben"]
        let ended = Fixture.alert(7, end: Fixture.now)
        let store = alertStore(state, clock: clock) { [clock] in
            $0.alertClient.end = { _ in
                try await clock.sleep(for: .seconds(5))
                return .confirmed(ended)
            }
        }
        store.exhaustivity = .off
        await store.send(.alertDeactivationProgressChanged(1))
        await store.send(.alertsUpdated([ended])) {
            $0.endedWords = "Alert ended. Ben is being told."
        }
        await store.skipInFlightEffects()
    }

    @Test func endOnAnotherDeviceIsNotConfirmed() async {
        var state = AlertFeature.State.active()
        state.responderNames = ["Ben"]
        let store = alertStore(state, clock: clock)
        store.exhaustivity = .off
        await store.send(.alertsUpdated([Fixture.alert(7, end: Fixture.now)]))
        #expect(!store.state.isAlertActive && store.state.endedWords == nil)
    }

    @Test func stoppingTheStreamStopsObserving() async {
        let store = alertStore(.init(activationProgress: 0.75), clock: clock) { [clock] in
            $0.alertClient.raise = { _ in
                try await clock.sleep(for: .seconds(1))
                return .waiting
            }
            $0.connectivityClient.status = { .never }
        }
        store.exhaustivity = .off
        await store.send(.alertButtonTapped)
        await store.send(.stopStream)
        await clock.advance(by: .seconds(1))
        await store.receive(\.alertActivationResponse.success)
        #expect(store.state.isSendingStart)
        await store.finish()
    }
}
