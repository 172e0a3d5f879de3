import Clients
import ComposableArchitecture
import Domain
import Foundation
import Testing

@testable import Features

extension AlertFeatureScreenStories {
    @Test func historyPagesKeepLoadedDetails() async {
        let line = AlertRecord.LedgerEntry(
            recipientId: Fixture.ben.description, name: "Ben", channel: .sms, state: .accepted,
            time: Fixture.now, attempts: 1)
        let (new, old) = (
            Fixture.alert(2, end: Fixture.now),
            Fixture.alert(1, start: Fixture.now.addingTimeInterval(-60), end: Fixture.now)
        )
        let detailed = Fixture.alert(2, end: Fixture.now, ledger: [line])
        let store = alertStore(clock: clock) {
            $0.alertClient.history = {
                $0 == nil ? ListPage(items: [new], next: "2") : ListPage(items: [new, old])
            }
            $0.alertClient.alert = { _ in detailed }
        }
        await store.send(.loadAlertHistory) { $0.isLoadingHistory = true }
        await store.receive(\.alertHistoryResponse.success) {
            $0.isLoadingHistory = false
            $0.alertHistory = [new]
            $0.nextHistoryPage = "2"
        }
        await store.send(.loadAlertDetails(new.id))
        await store.receive(\.alertDetailsResponse.success) { $0.alertHistory = [detailed] }
        await store.send(.loadMoreAlertHistory) {
            $0.isLoadingHistory = true
            $0.isLoadingMore = true
        }
        await store.receive(\.alertHistoryResponse.success) {
            $0.isLoadingHistory = false
            $0.isLoadingMore = false
            $0.alertHistory = [detailed, old]
            $0.nextHistoryPage = nil
        }
        await store.send(.loadMoreAlertHistory)
    }

    /// The owner gets no event when the state of a delivery changes.
    @Test func ledgerIsPolledWhileShown() async {
        let loads = LockIsolated(0)
        let store = alertStore(.active(), clock: clock) {
            $0.alertClient.history = { _ in ListPage(items: [Fixture.alert(7)]) }
            $0.alertClient.alert = { _ in
                let number = loads.withValue { loads in
                    loads += 1
                    return loads
                }
                // If a load fails, the last known state stays on the screen.
                if number == 3 { throw UserFacingError.unavailable }
                return alert(number)
            }
        }
        store.exhaustivity = .off
        await store.send(.onAppear)
        await store.receive(\.alertHistoryResponse.success)
        await store.send(.loadAlertDetails(alert(1).id))
        await store.receive(\.alertDetailsResponse.success)
        #expect(store.state.currentAlert == alert(1))
        await clock.advance(by: .seconds(4))
        #expect(loads.value == 1)
        await clock.advance(by: .seconds(1))
        await store.receive(\.alertDetailsResponse.success)
        #expect(store.state.currentAlert == alert(2))
        await clock.advance(by: .seconds(5))
        #expect(loads.value == 3 && store.state.error == nil)
        await clock.advance(by: .seconds(5))
        await store.receive(\.alertDetailsResponse.success)
        #expect(store.state.currentAlert == alert(4))
        await store.send(.appBecameInactive)
        await clock.advance(by: .seconds(60))
        #expect(loads.value == 4)
        await store.send(.appBecameActive)
        await store.receive(\.alertDetailsResponse.success)
        #expect(store.state.currentAlert == alert(5))
        await store.send(.onDisappear)
        await clock.advance(by: .seconds(60))
        #expect(loads.value == 5)
        await store.send(.appBecameActive)
        #expect(loads.value == 5)
    }

    @Test func loadFailuresShowAText() async {
        let store = alertStore(clock: clock) {
            $0.alertClient.history = { _ in throw UserFacingError.refused }
            $0.alertClient.alert = { _ in throw CommandError.notFound("There is no such alert.") }
        }
        await store.send(.loadAlertHistory) { $0.isLoadingHistory = true }
        await store.receive(\.alertHistoryResponse.failure) {
            $0.isLoadingHistory = false
            $0.error = UserFacingError.refused.text
        }
        await store.send(.loadAlertStatus)
        await store.receive(\.alertStatusResponse.failure)
        await store.send(.loadAlertDetails(Fixture.alert(1).id)) { $0.error = nil }
        await store.receive(\.alertDetailsResponse.failure) {
            $0.error = "There is no such alert. It may have been removed. Reload and look again."
        }
        await store.send(.loadAlertDetails("no id"))
    }
}

/// Returns the open alert as the load with this number returns it.
private func alert(_ number: Int) -> AlertRecord {
    let line = AlertRecord.LedgerEntry(
        recipientId: Fixture.ben.description, name: "Ben", channel: .sms, state: .accepted,
        time: Fixture.now, attempts: number)
    return Fixture.alert(7, ledger: [line])
}
