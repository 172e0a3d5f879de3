import Domain
import Foundation
import Testing

@testable import SafetyNetwork

@Suite struct NotificationTests {
    @Test(arguments: NotificationType.allCases)
    func everyTypeButAlertsCanBeMuted(type: NotificationType) async throws {
        let server = try TestServer()
        let (ada, ben) = (try await server.armed("Ada"), try await server.person("Ben"))
        guard type != .alert else {
            #expect(throws: CommandError.self) {
                try NotificationPreferences(muted: [.ping, .alert])
            }
            return
        }
        // Gaining and losing a responder can't be muted, so Ben is Ada's responder throughout.
        try await server.connect(ben, watchesOver: ada, mutually: true)
        let preferences = try NotificationPreferences(muted: [type])
        try await server.network.notifications.setPreferences(preferences, of: ada.caller)
        #expect(try await server.network.notifications.preferences(of: ada.caller) == preferences)

        let dan = try await server.person("Dan")
        let code = try #require(
            QRCodeID(try await server.network.qrCodes.qrCode(of: dan.caller).id))
        _ = try await server.network.contacts.addContact(
            code: code, roles: ContactRoles(isResponder: false, isDependent: true),
            to: ada.caller)
        _ = try await server.ping(ada, by: ben)
        // The alert ends before the roles change. Otherwise, the change would cause a message that
        // can't be muted.
        _ = try await server.endAlert(try await server.raiseAlert(ben), ben)
        _ = try await server.network.contacts.changeRoles(
            of: ada.id, to: ContactRoles(isResponder: false, isDependent: true), by: ben.caller)
        try await server.network.contacts.removeContact(ada.id, by: dan.caller)
        try await server.pass(.hours(22))
        let heard = Set(try await server.newsItems(of: ada).map(\.type))
        #expect(
            heard
                == Set<NotificationType>([
                    .contactAdded, .ping, .alert, .roleChanged, .contactRemoved, .system,
                ]).subtracting([type]))
        let entries = try await server.engine.read {
            try $0.count("SELECT COUNT(*) FROM deliveries WHERE user_id = $1", [.id(ada.id)])
        }
        #expect(entries > 0)
    }

    @Test func notificationsAreReadAndDeleted() async throws {
        let server = try TestServer()
        let (ada, ben) = (try await server.person("Ada"), try await server.person("Ben"))
        for name in ["Cleo", "Dora", "Emil"] {
            try await server.connect(ada, watchesOver: try await server.person(name))
        }
        try await server.connect(ben, watchesOver: ada)
        for _ in 1...3 {
            try await server.pass(.minutes(1))
            _ = try await server.endAlert(try await server.raiseAlert(ada), ada)
        }
        let list = {
            try await server.network.notifications.notifications(of: ben.caller, page: Page())
        }
        let items = try await list()
        #expect(items.count == 6)
        #expect(items.allSatisfy { $0.readAt == nil })
        try await server.network.notifications.markRead(items[1].id, of: ben.caller)
        #expect(try await list().filter { $0.readAt != nil }.map(\.id) == [items[1].id])
        let firstRead = server.clock.now
        server.clock.pass(.minutes(1))
        try await server.network.notifications.markAllRead(of: ben.caller)
        #expect(
            try await list().map(\.readAt)
                == items.indices.map { $0 == 1 ? firstRead : server.clock.now })
        try await server.network.notifications.deleteNotification(items[0].id, of: ben.caller)
        #expect(try await list().count == 5)
        #expect(
            await refusal {
                try await server.network.notifications.deleteNotification(
                    items[0].id, of: ben.caller)
            }?.isNotFound == true)
        try await server.network.notifications.deleteAllNotifications(of: ben.caller)
        #expect(try await list().isEmpty)
    }

    /// The person's other devices show what one device has read and deleted.
    @Test func readingAndDeletingArePublished() async throws {
        let server = try TestServer()
        let (ada, ben) = (try await server.armed("Ada"), try await server.person("Ben"))
        try await server.connect(ben, watchesOver: ada)
        _ = try await server.endAlert(try await server.raiseAlert(ada), ada)
        let notifications = server.network.notifications
        let items = try await notifications.notifications(of: ben.caller, page: Page())
        try #require(items.count == 2)

        func published(by act: () async throws -> Void) async throws -> [UserEvent] {
            let before = try await server.events(of: ben).count
            try await act()
            return Array(try await server.events(of: ben).dropFirst(before))
        }
        let id = items[0].id
        let read = UserEvent.NotificationChange(notificationID: id, readAt: server.clock.now)
        for expected in [[UserEvent.notificationsChanged(read)], []] {
            let events = try await published {
                try await notifications.markRead(id, of: ben.caller)
            }
            #expect(events == expected)
        }
        for expected in [[UserEvent.notificationsChanged(.init())], []] {
            let events = try await published { try await notifications.markAllRead(of: ben.caller) }
            #expect(events == expected)
        }
        for expected in [[UserEvent.notificationsChanged(.init(notificationID: id))], []] {
            let events = try await published {
                _ = await refusal {
                    try await notifications.deleteNotification(id, of: ben.caller)
                }
            }
            #expect(events == expected)
        }
        for expected in [[UserEvent.notificationsChanged(.init())], []] {
            let events = try await published {
                try await notifications.deleteAllNotifications(of: ben.caller)
            }
            #expect(events == expected)
        }
    }

    @Test func newerNotificationsStayUnread() async throws {
        let server = try TestServer()
        let (ada, ben) = (try await server.armed("Ada"), try await server.person("Ben"))
        try await server.connect(ben, watchesOver: ada)
        try await server.network.notifications.deleteAllNotifications(of: ben.caller)
        let list = {
            try await server.network.notifications.notifications(of: ben.caller, page: Page())
        }
        let alert = try await server.raiseAlert(ada)
        let seen = try #require(try await list().first)
        try await server.pass(.minutes(1))
        _ = try await server.endAlert(alert, ada)
        let unseen = try #require(try await list().first)
        #expect(unseen.createdAt > seen.createdAt)

        let before = seen.createdAt.adding(.milliseconds(-1))
        try await server.network.notifications.markAllRead(of: ben.caller, until: before)
        #expect(try await list().map { $0.readAt == nil } == [true, true])
        try await server.network.notifications.markAllRead(of: ben.caller, until: seen.createdAt)
        #expect(try await list().map { $0.readAt == nil } == [true, false])
        let ended = try await server.engine.read {
            try $0.count(
                """
                SELECT COUNT(*) FROM deliveries
                WHERE user_id = $1 AND notification_id = $2 AND state = 'seen'
                """, [.id(ben.id), .id(unseen.id)])
        }
        #expect(ended == 0)
        try await server.network.notifications.deleteAllNotifications(
            of: ben.caller, until: seen.createdAt)
        #expect(try await list().map(\.id) == [unseen.id])
    }

    @Test func othersNotificationsCannotBeChanged() async throws {
        let server = try TestServer()
        let (ada, ben) = (try await server.person("Ada"), try await server.person("Ben"))
        try await server.raiseAlert(ada)
        let item = try #require(
            try await server.network.notifications.notifications(of: ada.caller, page: Page()).first
        )
        #expect(
            await refusal {
                try await server.network.notifications.markRead(item.id, of: ben.caller)
            }?.isNotFound
                == true)
        #expect(
            await refusal {
                try await server.network.notifications.deleteNotification(item.id, of: ben.caller)
            }?
            .isNotFound == true)
        try await server.network.notifications.deleteAllNotifications(of: ben.caller)
        #expect(
            try await server.network.notifications.notifications(of: ada.caller, page: Page()) == [
                item
            ])
    }

    @Test func notificationsAndEventsNeverContainTheNote() async throws {
        let server = try TestServer()
        let (ada, ben) = (try await server.armed("Ada"), try await server.person("Ben"))
        let note = "Insulin in the fridge"
        _ = try await server.network.profiles.updateProfile(
            name: nil, emergencyNote: note, of: ada.caller)
        try await server.connect(ben, watchesOver: ada)
        try await server.raiseAlert(ada)
        try await server.pass(.hours(24))
        #expect(try await server.contact(ada, seenBy: ben)?.watch?.emergencyNote == note)
        let stored = try await server.engine.read {
            try $0.values(
                "SELECT data FROM events UNION ALL SELECT title || body FROM notifications", []
            ) as [String]
        }
        #expect(stored.count > 10)
        #expect(stored.filter { $0.contains("Insulin") } == [])
    }

    @Test func expiredNotificationsAreDeleted() async throws {
        let server = try TestServer(hasBystanders: false)
        let ada = try await server.person("Ada")
        try await server.raiseAlert(ada)
        let start = server.clock.now
        _ = try await server.deadlineMonitor.handleDueDeadlines()
        for (moment, count) in [
            (start.adding(.days(30)).aMillisecondBefore, 1), (start.adding(.days(30)), 0),
        ] {
            server.clock.set(moment)
            let retention = Retention(server.network)
            while try await retention.pass() < moment.adding(.minutes(10)) {}
            #expect(
                try await server.network.notifications.notifications(of: ada.caller, page: Page())
                    .filter {
                        $0.createdAt == start
                    }.count == count)
        }
    }

    @Test func userHasAtMost20EndpointsOfTheirOwn() async throws {
        let server = try TestServer()
        let (ada, ben) = (try await server.person("Ada"), try await server.person("Ben"))
        let url = try #require(URL(string: "https://example.org/hook"))
        var ids: [PushEndpointID] = []
        for _ in 0..<20 {
            ids.append(server.environment.id())
            _ = try await server.network.endpoints.savePushEndpoint(
                ids[ids.count - 1], kind: .webhook, url: url, of: ada.caller)
        }
        #expect(
            await refusal {
                try await server.network.endpoints.savePushEndpoint(
                    server.environment.id(), kind: .webhook, url: url, of: ada.caller)
            }?.field == "id")
        let first = try await server.network.endpoints.savePushEndpoint(
            ids[0], kind: .webhook, url: url, of: ada.caller)
        let other = try await server.network.endpoints.savePushEndpoint(
            ids[0], kind: .webhook, url: url, of: ben.caller)
        #expect(first.secret.count == 32 && first.secret != other.secret)
        try await server.network.endpoints.deletePushEndpoint(ids[0], of: ben.caller)
        #expect(
            await refusal {
                try await server.network.endpoints.deletePushEndpoint(ids[0], of: ben.caller)
            }?
            .isNotFound == true)
        #expect(try await server.engine.read { try $0.pushEndpoints(of: ada.id).count } == 20)
    }
}
