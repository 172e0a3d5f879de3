import Domain
import Foundation
import Testing

@testable import ClientsLive

/// Events and answers use different connections, so either may arrive late.
@Suite struct LateWordTests {
    private func alert(endedAt end: Date?) -> AlertRecord {
        let user: UserID = id(1)
        return AlertRecord(
            id: "\(id(7) as AlertID)", startTime: noon, endTime: end, userId: "\(user)",
            isActive: end == nil, kind: .manual)
    }

    private func ping(_ state: PingRecord.State) -> PingRecord {
        PingRecord(
            id: id(8), responderID: id(1), dependentID: id(2), createdAt: noon, state: state,
            settledAt: state == .pending ? nil : noon)
    }

    @Test func endedAlertIgnoresLateStart() {
        var model = AccountModel()
        model.apply(alert(endedAt: nil), limit: 10)
        #expect(model.alerts.map(\.isActive) == [true])
        model.apply(alert(endedAt: noon.adding(.seconds(5))), limit: 10)
        model.apply(alert(endedAt: nil), limit: 10)
        #expect(model.alerts.map(\.isActive) == [false])
    }

    @Test(arguments: [PingRecord.State.answered, .cleared, .expired])
    func settledPingIgnoresLatePendingState(state: PingRecord.State) {
        var model = AccountModel()
        model.apply(ping(.pending), limit: 10)
        #expect(model.pings.map(\.state) == [.pending])
        model.apply(ping(state), limit: 10)
        model.apply(ping(.pending), limit: 10)
        #expect(model.pings.map(\.state) == [state])
    }

    private func notification(readAt: Date? = nil) -> NotificationItem {
        NotificationItem(
            id: id(9), type: .alert, title: "Ana needs help", body: "", createdAt: noon,
            readAt: readAt)
    }

    private func done(_ action: QueuedAction) -> QueuedEntry {
        QueuedEntry(id: UUID(), position: 0, action: action, createdAt: noon.adding(.seconds(5)))
    }

    @Test func readNotificationIgnoresLateEvent() {
        var model = AccountModel()
        model.apply(notification(), limit: 10)
        #expect(model.notifications.map(\.readAt) == [nil])
        model = model.showing([done(.markAsRead(id(9)))], aliases: [:], me: id(1))
        model.apply(notification(), limit: 10)
        #expect(model.notifications.map(\.readAt) == [noon.adding(.seconds(5))])
        model.apply(notification(readAt: noon), limit: 10)
        #expect(model.notifications.map(\.readAt) == [noon])
    }

    private typealias Change = UserEvent.NotificationChange

    @Test func notificationReadElsewhereIsRead() {
        var model = AccountModel()
        model.apply(notification(), limit: 10)
        model.apply(Change(notificationID: id(8), readAt: noon))
        #expect(model.notifications.map(\.readAt) == [nil])
        model.apply(Change())
        #expect(model.notifications.map(\.readAt) == [nil])
        model.apply(Change(notificationID: id(9), readAt: noon))
        model.apply(Change(notificationID: id(9), readAt: noon.adding(.seconds(5))))
        #expect(model.notifications.map(\.readAt) == [noon])
    }

    @Test func notificationDeletedElsewhereStaysDeleted() {
        var model = AccountModel()
        model.apply(notification(), limit: 10)
        model.apply(Change(notificationID: id(9)))
        model.apply(notification(), limit: 10)
        #expect(model.notifications.isEmpty)
    }

    @Test func deletedNotificationIgnoresLateEvent() {
        var model = AccountModel()
        model.apply(notification(), limit: 10)
        model = model.showing([done(.deleteNotification(id(9)))], aliases: [:], me: id(1))
        model.apply(notification(), limit: 10)
        #expect(model.notifications.isEmpty)
    }
}
