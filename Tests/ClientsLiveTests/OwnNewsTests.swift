import API
import Clients
import Domain
import Foundation
import TestApp
import Testing

@testable import ClientsLive

/// Which news of its own session a device shows.
@Suite(.timeLimit(.minutes(5))) struct OwnNewsTests {
    private let app: TestApp
    private let sourceTitle = "A source can check in for you"
    private let signInTitle = "New sign-in to your account"

    init() throws { app = try TestApp(.memory) }

    private func device() async throws -> Home {
        let home = try Home(in: app)
        try await home.signIn("+15550100001", in: app)
        _ = try await home.values.userClient.updateProfile(name: "Ada", emergencyNote: nil)
        return home
    }

    /// Returns the device's notifications as soon as they have the news of the source.
    private func news(_ home: Home) async throws -> [NotificationItem] {
        let title = sourceTitle
        return try #require(
            await first(home.values.notificationClient.notificationStream()) { items in
                items.contains { $0.title == title }
            })
    }

    @Test func onlyDeviceShowsItsNewSource() async throws {
        let phone = try await device()
        _ = try await phone.values.sourceClient.add(name: "Kitchen button")
        let page = try await phone.values.notificationClient.notifications(before: nil)
        for items in [try await news(phone), page.items] {
            let found = items.filter { $0.title == sourceTitle }
            // The phone can't end its own session there.
            #expect(found.count == 1 && found.first?.sessionID == nil)
        }
        await phone.clients.stop()
    }

    @Test func signInIsNewsForTheOtherDeviceOnly() async throws {
        let phone = try await device()
        let tablet = try await device()
        _ = try await tablet.values.sourceClient.add(name: "Door tag")
        let session = try #require(tablet.tokens.load()?.sessionID)
        let own = try await news(tablet)
        #expect(!own.contains { $0.title == signInTitle || $0.sessionID == session })
        let others = try await news(phone).filter { $0.sessionID == session }
        #expect(others.map(\.title).sorted() == [sourceTitle, signInTitle])
        await phone.clients.stop()
        await tablet.clients.stop()
    }

    /// A notification that the device doesn't show yet may be about an alert.
    @Test(arguments: [true, false]) func centreIsClearedUpToTheNewest(isRead: Bool) async throws {
        let phone = try await device()
        app.time.pass(.minutes(1))
        _ = try await phone.values.sourceClient.add(name: "Kitchen button")
        let newest = try #require(try await news(phone).first).createdAt
        app.time.pass(.minutes(1))
        let client = phone.values.notificationClient
        if isRead { try await client.markAllAsRead() } else { try await client.deleteAll() }
        let path = (isRead ? Routes.readAllNotifications : Routes.deleteAllNotifications)
            .endpoint.path
        let time = Timestamp.text(newest).replacing(":", with: "%3A")
        #expect(phone.cable.sent.contains { $0.hasSuffix(" \(path)?until=\(time)") })
        await phone.clients.stop()
    }
}
