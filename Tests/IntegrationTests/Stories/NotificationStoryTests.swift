import Domain
import Features
import Foundation
import TestApp
import Testing

@Suite(.timeLimit(.minutes(5))) struct NotificationStoryTests {
    /// Creates four notifications for Ben: he added Ana (already read), she accepted, she pinged
    /// him, and she raised an alert.
    private func told() async throws -> (AnaAndBen, AlertID) {
        let both = try await AnaAndBen(mutually: true)
        await both.ana.send(tabs: .dependents(.ping(.pingDependent(try await both.ben.id))))
        try await both.ben.contact("Ana", "who asks", isAs: \.hasPendingPing)
        await both.ana.send(tabs: .home(.alert(.setActivationProgress(1))))
        try await both.ben.tabs(
            "four notifications",
            that: { $0.unreadNotificationsCount == 3 && $0.notifications.notifications.count == 4 })
        let id = try await both.ana.tabs("her alert") {
            $0.home.alert.isAlertActive ? $0.home.alert.alertID : nil
        }
        return (both, id)
    }

    private func unread(_ both: AnaAndBen) async throws -> Int {
        try await both.app.count(
            "SELECT COUNT(*) FROM notifications WHERE user_id = $1 AND read_at IS NULL",
            [.id(try await both.ben.id)])
    }

    @Test func oneIsReadThenAll() async throws {
        let (both, _) = try await told()
        await both.ben.send(tabs: .notifications(.onAppear))
        // All four have the same time, so their order doesn't show which ones are unread.
        let first = try await both.ben.tabs("one unread") {
            $0.notifications.notifications.first { $0.readAt == nil }
        }
        await both.ben.send(tabs: .notifications(.markAsReadButtonTapped(first.id)))
        try await both.ben.tabs(
            "two unread",
            that: { $0.unreadNotificationsCount == 2 && $0.notifications.inFlight.isEmpty })
        #expect(try await unread(both) == 2)
        await both.ben.send(tabs: .notifications(.markAllAsReadButtonTapped))
        try await both.ben.tabs(
            "none unread",
            that: { $0.unreadNotificationsCount == 0 && !$0.notifications.isChangingAll })
        #expect(try await unread(both) == 0)
    }

    @Test func answeredDrillIsRead() async throws {
        let both = try await AnaAndBen(mutually: true)
        await both.ana.send(tabs: .responders(.drill(.onAppear)))
        await both.ana.send(tabs: .responders(.drill(.startButtonTapped)))
        await both.ana.send(
            tabs: .responders(.drill(.confirmation(.presented(.startConfirmed)))))
        let asked = try await both.ben.tabs("the drill") {
            $0.notifications.notifications.first { $0.title.hasPrefix("DRILL") }
        }
        #expect(asked.readAt == nil)
        await both.ben.send(tabs: .responders(.drill(.onAppear)))
        let question = try await both.ben.tabs("its question") {
            $0.responders.drill.questions.first
        }
        await both.ben.send(tabs: .responders(.drill(.answerButtonTapped(question.id))))
        try await both.ben.tabs(
            "the drill as read",
            that: { $0.notifications.notifications[id: asked.id]?.readAt != nil })
    }

    @Test func deletedNotificationsStayDeleted() async throws {
        let (both, _) = try await told()
        let first = try await both.ben.notification("Ana")
        await both.ben.send(tabs: .notifications(.deleteButtonTapped(first.id)))
        await both.ben.send(
            tabs: .notifications(.confirmDelete(.presented(.deleteConfirmed(first.id)))))
        try await both.ben.tabs(
            "three",
            that: {
                $0.notifications.notifications.count == 3
                    && $0.notifications.notifications[id: first.id] == nil
            })
        await both.ben.send(tabs: .notifications(.deleteAllButtonTapped))
        await both.ben.send(tabs: .notifications(.confirmDelete(.presented(.deleteAllConfirmed))))
        try await both.ben.tabs(
            "none",
            that: { $0.notifications.notifications.isEmpty && !$0.notifications.isChangingAll })
        await both.ben.send(tabs: .notifications(.refreshPulled))
        // The notification about the end of Ana's alert must be the only one.
        await both.ana.send(tabs: .home(.alert(.alertDeactivationProgressChanged(1))))
        try await both.ben.tabs(
            "one, of the alert's end", that: { $0.notifications.notifications.count == 1 })
        #expect(
            try await both.app.count(
                """
                SELECT COUNT(*) FROM notifications
                WHERE user_id = $1 AND type NOT LIKE 'deleted %'
                """,
                [.id(try await both.ben.id)]) == 1)
    }

    @Test func tapOnAnAlertNotificationOpensIt() async throws {
        let (both, alert) = try await told()
        let item = try await both.ben.tabs("the call") {
            $0.notifications.notifications.first { $0.type == .alert }
        }
        await both.ben.send(tabs: .notificationCentreButtonTapped)
        await both.ben.send(tabs: .notifications(.notificationTapped(item.id)))
        try await both.ben.tabs("the alert") { tabs -> Bool? in
            tabs.dependentAlert?.alertID == alert && !tabs.isNotificationCentrePresented
                ? true : nil
        }
        try await both.ben.tabs(
            "that it was read", that: { $0.notifications.notifications[id: item.id]?.readAt != nil }
        )
    }

    @Test func mutedTypeCreatesNoNotification() async throws {
        let both = try await AnaAndBen(mutually: true)
        await both.ben.send(tabs: .notifications(.onAppear))
        try await both.ben.tabs(
            "the choice of notifications", that: { $0.notifications.preferences.canMute })
        await both.ben.send(tabs: .notifications(.preferences(.muteToggled(.ping))))
        try await both.ben.tabs(
            "that pings are muted",
            that: {
                !$0.notifications.preferences.preferences.allows(.ping)
                    && !$0.notifications.preferences.isLoading
            })
        await both.ana.send(tabs: .dependents(.ping(.pingDependent(try await both.ben.id))))
        try await both.ben.contact("Ana", "who asks", isAs: \.hasPendingPing)
        await both.ana.send(tabs: .home(.alert(.setActivationProgress(1))))
        try await both.ben.tabs("the alert, and no ping") { tabs -> Bool? in
            let types = tabs.notifications.notifications.map(\.type)
            return types.contains(.alert) && !types.contains(.ping) ? true : nil
        }
    }

    @Test func signInNoticeGoesOnlyToOtherDevices() async throws {
        let both = try await AnaAndBen()
        let tablet = TestUser("Ana's tablet", in: both.app)
        try await tablet.signIn("+15550100001", in: both.app)
        try await tablet.arrive()
        @Sendable func isNews(_ item: NotificationItem) -> Bool { item.sessionID != nil }
        // Apart from the news about the tablet's sign-in, both devices have received the same
        // notifications.
        let others = try await both.ana.tabs("the tablet's sign-in") { tabs -> Int? in
            let items = tabs.notifications.notifications
            return items.contains(where: isNews) ? items.count { !isNews($0) } : nil
        }
        try await tablet.tabs(
            "all other news",
            that: {
                let items = $0.notifications.notifications
                return items.count == others && !items.contains(where: isNews)
            })
    }
}
