import Domain
import Foundation
import Testing

@testable import SafetyNetwork

@Suite struct StreamTests {
    @Test func streamResumesOrReloads() async throws {
        let server = try TestServer()
        let ada = try await server.person("Ada")
        let newest = try #require(
            try await server.network.events.events(of: ada.id, after: 0, limit: 1000).events.last?
                .sequence
        )
        let start = {
            try await server.network.events.streamStart(for: ada.caller, lastEventID: $0)
        }
        #expect(try await start(nil) == .resume(after: newest))
        #expect(try await start(0) == .resume(after: 0))
        #expect(try await start(newest) == .resume(after: newest))
        #expect(try await start(newest + 1) == .reload(after: newest))
        #expect(try await start(-1) == .reload(after: newest))
    }

    @Test func streamWithoutEventsStartsAtZero() async throws {
        let server = try TestServer()
        let sam = try await server.signIn(try PhoneNumber("+15550100001"), as: "Sam")
        #expect(
            try await server.network.events.streamStart(for: sam.caller, lastEventID: nil)
                == .resume(after: 0))
        #expect(
            try await server.network.events.streamStart(for: sam.caller, lastEventID: 3)
                == .reload(after: 0)
        )
    }

    @Test func endedSessionHasNoStream() async throws {
        let server = try TestServer()
        let ada = try await server.person("Ada")
        let other = try await server.signIn(ada.number, as: "Ada", on: "Tablet")
        try await server.network.signIn.endSession(ada.caller.sessionID, of: other.caller)
        for lastEventID in [nil, 0] as [Int64?] {
            #expect(
                await refusal {
                    try await server.network.events.streamStart(
                        for: ada.caller, lastEventID: lastEventID)
                } == CommandError.sessionOver)
        }
        _ = try await server.network.events.streamStart(for: other.caller, lastEventID: nil)
    }

    @Test func streamAwayForTooLongReloads() async throws {
        let server = try TestServer()
        let ada = try await server.person("Ada")
        for number in 1...40 {
            try await server.checkIn(ada)
            server.clock.pass(number == 20 ? EventRules.kept : .seconds(1))
        }
        let events = try await server.network.events.events(of: ada.id, after: 0, limit: 1000)
            .events
        let (oldest, newest) = (
            try #require(events.first?.sequence), try #require(events.last?.sequence)
        )
        #expect(oldest > 1)
        #expect(
            try await server.network.events.streamStart(for: ada.caller, lastEventID: oldest - 1)
                == .resume(after: oldest - 1))
        #expect(
            try await server.network.events.streamStart(for: ada.caller, lastEventID: oldest - 2)
                == .reload(after: newest))
    }

    @Test func streamedNotificationsAreInTheLedger() async throws {
        let server = try TestServer()
        let (ada, ben) = (try await server.person("Ada"), try await server.person("Ben"))
        try await server.connect(ben, watchesOver: ada)
        let alert = try await server.raiseAlert(ada)
        func states() async throws -> [DeliveryState] {
            try await server.alert(alert, seenBy: ada).ledger.filter { $0.name == "Ben" }
                .map(\.state)
        }
        #expect(try await states() == [.queued])
        let items = try await server.network.events.events(of: ben.id, after: 0, limit: 1000).events
            .compactMap(
                \.notificationID
            ).map { (user: ben.id, notification: $0) }
        try await server.network.events.markStreamed(items)
        #expect(try await states() == [.accepted])
        try await server.network.notifications.markAllRead(of: ben.caller)
        #expect(try await states() == [.accepted])
        let item = try #require(
            try await server.network.notifications.notifications(of: ben.caller, page: Page()).first
        )
        #expect(item.readAt != nil)
        _ = try await server.endAlert(alert, ada)
        let records = try await server.alert(alert, seenBy: ada).ledger
        #expect(records.contains { $0.name == "Ben" && $0.state == .accepted })
    }

    @Test func alertUsesEveryChannel() async throws {
        let server = try TestServer(options: {
            $0.isSMSAvailable = true
            $0.showsNotifications = true
        })
        let (ada, ben) = (try await server.person("Ada"), try await server.person("Ben"))
        try await server.connect(ben, watchesOver: ada)
        let url = try #require(URL(string: "https://example.org/hook"))
        for _ in 1...2 {
            _ = try await server.network.endpoints.savePushEndpoint(
                server.environment.id(), kind: .webhook, url: url, of: ben.caller)
        }
        let alert = try await server.raiseAlert(ada)
        #expect(
            try await server.alert(alert, seenBy: ada).ledger.map(\.channel.rawValue).sorted() == [
                "console", "sms", "stream", "webhook", "webhook",
            ])
    }
}
