import Clients
import ComposableArchitecture
import Domain
import Foundation
import Testing

@testable import Features

@MainActor @Suite struct NotificationTests {
    let alert = Fixture.notification(1, .alert, about: Fixture.ben, alert: Fixture.id(50))
    let ping = Fixture.notification(
        2, .ping, minutesAgo: 5, about: Fixture.cleo, ping: Fixture.id(60))
    let read = Fixture.notification(
        3, .ping, minutesAgo: 10, isRead: true, about: Fixture.cleo)
    let system = Fixture.notification(4, .system, minutesAgo: 20)

    // MARK: The list

    @Test func followsTheStreamNewestFirst() async {
        let items = [system, read, alert, ping]
        let (lists, change) = AsyncStream.makeStream(of: [NotificationItem].self)
        let store = store(NotificationFeature.State()) {
            $0.notificationClient.notificationStream = { lists }
            $0.notificationClient.preferences = { .standard }
        }
        await store.send(.onAppear)
        await store.receive(.startStream) { $0.isLoading = true }
        await store.receive(.preferences(.onAppear))
        await store.receive(\.preferences.preferencesResponse) { $0.preferences.isKnown = true }
        change.yield(items)
        await store.receive(.notificationsUpdated(items)) {
            $0.isLoading = false
            $0.notifications = [alert, ping, read, system]
        }
        #expect(store.state.unreadCount == 3)
        // The badge is updated even while the notification centre is closed.
        await store.send(.onDisappear)
        await store.receive(.preferences(.onDisappear))
        change.yield([alert])
        await store.receive(.notificationsUpdated([alert])) { $0.notifications = [alert] }
        await store.send(.stopStream)
        change.yield([])
        await store.finish()
    }

    @Test(
        arguments: [
            (nil, false, [1, 2, 3, 4]), (nil, true, [1, 2, 4]), (.ping, false, [2, 3]),
            (.ping, true, [2]), (.checkIn, false, []),
        ] as [(NotificationType?, Bool, [UInt8])])
    func filters(type: NotificationType?, unreadOnly: Bool, shown: [UInt8]) async {
        let store = store { _ in }
        if type != nil { await store.send(.filterSelected(type)) { $0.selectedFilter = type } }
        if unreadOnly { await store.send(.showUnreadOnlyToggled) { $0.showUnreadOnly = true } }
        #expect(store.state.visibleNotifications.map(\.id) == shown.map { Fixture.id($0) })
        #expect(store.state.unreadCount == 3)
    }

    @Test func countSaysIfEarlierOnesMayBeUnread() {
        func words(
            _ count: UInt8, isOldestRead: Bool = false,
            _ earlier: NotificationFeature.State.Earlier = .unknown
        ) -> String {
            let items = (1...count).map {
                Fixture.notification(
                    $0, minutesAgo: Double($0), isRead: isOldestRead && $0 == count)
            }
            return NotificationFeature.State(
                notifications: IdentifiedArray(uniqueElements: items), earlier: earlier
            ).unreadWords
        }
        #expect(words(99) == "99+ unread")
        #expect(words(99, .loading) == "99+ unread")
        #expect(words(99, .none) == "99 unread")
        #expect(words(100, isOldestRead: true) == "99 unread")
        #expect(words(49) == "49 unread")
        #expect(words(1, isOldestRead: true) == "All read")
    }

    @Test func refreshMergesTheServersPage() async {
        let new = Fixture.notification(9, .checkIn, minutesAgo: -1)
        var readPing = ping
        readPing.readAt = Fixture.now
        let page = ListPage(items: [new, readPing])
        let store = store { $0.notificationClient.notifications = { _ in page } }
        await store.send(.refreshPulled)
        await store.receive(.refreshResponse(.success(page))) {
            $0.notifications = [new, alert, readPing, read, system]
        }
        store.dependencies.notificationClient.notifications = { _ in
            throw UserFacingError.unavailable
        }
        await store.send(.refreshPulled)
        await store.receive(\.refreshResponse.failure) { $0.error = .unavailable }
        await store.send(.dismissError) { $0.error = nil }
    }

    @Test func sessionOfANotificationIsEndedAfterAQuestion() async {
        var item = system
        item.sessionID = Fixture.id(70)
        let ended = Calls<SessionID>([])
        let store = store(NotificationFeature.State(notifications: [item, ping])) {
            $0.authClient.endSession = { id in ended.withValue { $0.append(id) } }
        }
        #expect(!store.state.canEndSession(of: ping))
        await store.send(.endSessionButtonTapped(ping.id))
        await store.send(.endSessionButtonTapped(item.id)) { $0.confirmDelete = .endSession(item) }
        await store.send(\.confirmDelete.endSessionConfirmed, item.id) {
            $0.confirmDelete = nil
            $0.inFlight = [item.id]
        }
        await store.receive(.endSessionResponse(item.id, nil)) {
            $0.inFlight = []
            $0.endedSessions = [Fixture.id(70)]
        }
        #expect(ended.value == [Fixture.id(70)] && !store.state.canEndSession(of: item))
    }

    @Test func earlierPagesLoadUntilTheEnd() async {
        let newest = (0..<Page.standardLimit).map {
            Fixture.notification(UInt8($0), .system, minutesAgo: Double($0))
        }
        let older = Fixture.notification(100, .ping, minutesAgo: 100)
        let oldest = Fixture.notification(101, .ping, minutesAgo: 101)
        let places = Calls<String?>([])
        let pages = [ListPage(items: [older], next: "more"), ListPage(items: [oldest])]
        let store = store(NotificationFeature.State(notifications: .init(uniqueElements: newest))) {
            $0.notificationClient.notifications = { place in
                places.withValue { $0.append(place) }
                return pages[places.value.count - 1]
            }
        }
        store.exhaustivity = .off
        #expect(store.state.canLoadEarlier)
        await store.send(.loadEarlierButtonTapped) { $0.earlier = .loading }
        await store.receive(\.earlierResponse.success) { $0.earlier = .more }
        // The newest part of the list has changed. The earlier notifications stay.
        let new = Fixture.notification(102, .alert, minutesAgo: -1)
        await store.send(.notificationsUpdated([new] + newest.dropLast())) {
            $0.notifications[id: new.id] = new
        }
        #expect(store.state.notifications.ids.contains(older.id))
        await store.send(.loadEarlierButtonTapped)
        await store.receive(\.earlierResponse.success) { $0.earlier = .none }
        #expect(!store.state.canLoadEarlier && store.state.notifications.last == oldest)
        let expected = [newest[newest.count - 1], older].map {
            Page.Cursor(time: $0.createdAt, id: $0.id.uuid).description
        }
        #expect(places.value == expected)
        await store.send(.notificationsUpdated([])) { $0.notifications = [] }
    }

    @Test func shortListHasNoEarlierPages() async {
        let store = store { _ in }
        #expect(!store.state.canLoadEarlier)
        await store.send(.loadEarlierButtonTapped)
    }

    // MARK: Reading

    @Test func tapMarksAsReadAndOpensTheSubject() async {
        let store = store { $0.notificationClient.markAsRead = { _ in } }
        await store.send(.notificationTapped(alert.id)) { $0.inFlight = [alert.id] }
        await store.receive(.delegate(.opened(.alert(Fixture.id(50), user: Fixture.ben))))
        await store.receive(.markAsReadResponse(alert.id, nil)) {
            $0.inFlight = []
            $0.notifications[id: alert.id]?.readAt = Fixture.now
        }
    }

    @Test func tapOnAReadNotificationOnlyOpens() async {
        let store = store { _ in }
        await store.send(.notificationTapped(read.id))
        await store.receive(.delegate(.opened(.person(Fixture.cleo))))
        await store.send(.notificationTapped(Fixture.id(99)))
    }

    @Test func everyNotificationHasItsSubject() {
        #expect(NotificationSubject(alert) == .alert(Fixture.id(50), user: Fixture.ben))
        #expect(NotificationSubject(ping) == .ping(Fixture.id(60), user: Fixture.cleo))
        #expect(NotificationSubject(read) == .person(Fixture.cleo))
        #expect(NotificationSubject(system) == nil)
        #expect(
            NotificationSubject(Fixture.notification(5, .alert, alert: Fixture.id(50)))
                == .alert(Fixture.id(50), user: nil))
    }

    @Test func failedReadLeavesItUnread() async {
        let store = store { $0.notificationClient.markAsRead = { _ in throw Fixture.refused } }
        await store.send(.markAsReadButtonTapped(ping.id)) { $0.inFlight = [ping.id] }
        await store.receive(.markAsReadResponse(ping.id, Fixture.refused)) {
            $0.inFlight = []
            $0.error = Fixture.refused
        }
        #expect(store.state.unreadCount == 3)
    }

    @Test func secondTapOnANotificationIsIgnored() async {
        let store = store {
            $0.notificationClient.markAsRead = { _ in try await Task.never() }
            $0.notificationClient.markAllAsRead = { try await Task.never() }
        }
        await store.send(.markAsReadButtonTapped(ping.id)) { $0.inFlight = [ping.id] }
        await store.send(.markAsReadButtonTapped(ping.id))
        await store.send(.deleteButtonTapped(ping.id))
        await store.send(.markAllAsReadButtonTapped) { $0.isChangingAll = true }
        await store.send(.markAllAsReadButtonTapped)
        await store.send(.deleteAllButtonTapped)
        await store.skipInFlightEffects()
    }

    @Test func readingAllKeepsLaterOnesUnread() async {
        let (gate, open) = AsyncStream.makeStream(of: Void.self)
        let late = Fixture.notification(9, .alert, minutesAgo: -1)
        let all = [alert, ping, read, system]
        let store = store {
            $0.notificationClient.markAllAsRead = { for await _ in gate { return } }
        }
        await store.send(.markAllAsReadButtonTapped) { $0.isChangingAll = true }
        await store.send(.notificationsUpdated([late] + all)) {
            $0.notifications = [late, alert, ping, read, system]
        }
        open.yield()
        await store.receive(.markAllAsReadResponse(Set(all.map(\.id)), nil)) {
            $0.isChangingAll = false
            for item in all { $0.notifications[id: item.id]?.readAt = Fixture.now }
        }
        #expect(store.state.unreadCount == 1)
    }

    @Test func readingAllNeedsUnreadNotifications() async {
        let store = store(NotificationFeature.State(notifications: [read])) { _ in }
        await store.send(.markAllAsReadButtonTapped)
        await store.send(.markAsReadButtonTapped(read.id))
    }

    // MARK: Preferences

    @Test func explainsWhyATypeCannotBeMuted() async {
        let store = store(.init(preferences: .init(isKnown: true))) { _ in }
        await store.send(.preferences(.muteToggled(.alert)))
        await store.receive(\.preferences.delegate.failed) {
            $0.error = UserFacingError(
                CommandError.invalidArgument(field: "muted", "Alerts can’t be muted."))
        }
    }

    func store(
        _ state: NotificationFeature.State? = nil, _ dependencies: (inout DependencyValues) -> Void
    ) -> TestStoreOf<NotificationFeature> {
        TestStore(initialState: state ?? .init(notifications: [alert, ping, read, system])) {
            NotificationFeature()
        } withDependencies: {
            $0.date.now = Fixture.now
            dependencies(&$0)
        }
    }
}
