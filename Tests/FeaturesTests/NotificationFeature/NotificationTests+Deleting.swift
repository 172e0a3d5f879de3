import Clients
import ComposableArchitecture
import Domain
import Foundation
import Testing

@testable import Features

extension NotificationTests {
    @Test func deletesOneAfterAQuestion() async {
        let store = store { $0.notificationClient.delete = { _ in } }
        await store.send(.deleteButtonTapped(ping.id)) { $0.confirmDelete = .delete(ping) }
        await store.send(\.confirmDelete.dismiss) { $0.confirmDelete = nil }
        await store.send(.deleteButtonTapped(ping.id)) { $0.confirmDelete = .delete(ping) }
        await store.send(\.confirmDelete.deleteConfirmed, ping.id) {
            $0.confirmDelete = nil
            $0.inFlight = [ping.id]
        }
        await store.receive(.deleteResponse(ping.id, nil)) {
            $0.inFlight = []
            $0.notifications = [alert, read, system]
        }
    }

    @Test func missingNotificationIsNotDeletedAgain() async {
        let store = store { _ in }
        await store.send(.deleteButtonTapped(ping.id)) { $0.confirmDelete = .delete(ping) }
        await store.send(.notificationsUpdated([alert])) { $0.notifications = [alert] }
        await store.send(\.confirmDelete.deleteConfirmed, ping.id) { $0.confirmDelete = nil }
    }

    @Test func deletingAllKeepsALaterAlert() async {
        let (gate, open) = AsyncStream.makeStream(of: Void.self)
        let late = Fixture.notification(9, .alert, minutesAgo: -1)
        let all = [alert, ping, read, system]
        let store = store { $0.notificationClient.deleteAll = { for await _ in gate { return } } }
        await store.send(.deleteAllButtonTapped) { $0.confirmDelete = .deleteAll(count: 4) }
        await store.send(\.confirmDelete.deleteAllConfirmed) {
            $0.confirmDelete = nil
            $0.isChangingAll = true
        }
        await store.send(.notificationsUpdated([late] + all)) {
            $0.notifications = [late, alert, ping, read, system]
        }
        open.yield()
        await store.receive(.deleteAllResponse(Set(all.map(\.id)), nil)) {
            $0.isChangingAll = false
            $0.notifications = [late]
        }
    }

    @Test func failedDeletionKeepsTheNotifications() async {
        let store = store {
            $0.notificationClient.delete = { _ in throw Fixture.refused }
            $0.notificationClient.deleteAll = { throw UserFacingError.unavailable }
        }
        await store.send(.deleteButtonTapped(ping.id)) { $0.confirmDelete = .delete(ping) }
        await store.send(\.confirmDelete.deleteConfirmed, ping.id) {
            $0.confirmDelete = nil
            $0.inFlight = [ping.id]
        }
        await store.receive(.deleteResponse(ping.id, Fixture.refused)) {
            $0.inFlight = []
            $0.error = Fixture.refused
        }
        await store.send(.deleteAllButtonTapped) { $0.confirmDelete = .deleteAll(count: 4) }
        await store.send(\.confirmDelete.deleteAllConfirmed) {
            $0.confirmDelete = nil
            $0.isChangingAll = true
            $0.error = nil
        }
        await store.receive(\.deleteAllResponse) {
            $0.isChangingAll = false
            $0.error = .unavailable
        }
    }
}
