import Clients
import ComposableArchitecture
import Domain
import Foundation
import Testing

@testable import Features

extension AlertFeatureScreenStories {
    @Test func theHistoryComesInPagesAndKeepsWhatWasLookedUp() async {
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
        await store.send(.loadMoreAlertHistory) { $0.isLoadingHistory = true }
        await store.receive(\.alertHistoryResponse.success) {
            $0.isLoadingHistory = false
            $0.alertHistory = [detailed, old]
            $0.nextHistoryPage = nil
        }
        await store.send(.loadMoreAlertHistory)
    }

    @Test func failuresOfLoadingAreSaidInWords() async {
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
