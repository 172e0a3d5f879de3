import Domain
import Foundation
import Testing

@testable import SafetyNetwork

@Suite struct StreamTests {
    @Test func aStreamGoesOnWhereItWasOrLoadsAnew() async throws {
        let town = try Town()
        let ada = try await town.person("Ada")
        let newest = try #require(
            try await town.network.events(of: ada.id, after: 0, limit: 1000).last?.sequence)
        let start = { try await town.network.streamStart(for: ada.caller, lastEventID: $0) }
        #expect(try await start(nil) == .resume(after: newest))
        #expect(try await start(0) == .resume(after: 0))
        #expect(try await start(newest) == .resume(after: newest))
        #expect(try await start(newest + 1) == .reload(after: newest))
        #expect(try await start(-1) == .reload(after: newest))
    }

    @Test func aStreamOfWhoHasNoEventsBeginsAtZero() async throws {
        let town = try Town()
        let sam = try await town.signIn(try PhoneNumber("+15550100001"), as: "Sam")
        #expect(
            try await town.network.streamStart(for: sam.caller, lastEventID: nil)
                == .resume(after: 0))
        #expect(
            try await town.network.streamStart(for: sam.caller, lastEventID: 3) == .reload(after: 0)
        )
    }

    @Test func aSessionThatIsOverHasNoStream() async throws {
        let town = try Town()
        let ada = try await town.person("Ada")
        let other = try await town.signIn(ada.number, as: "Ada", on: "Tablet")
        try await town.network.endSession(ada.caller.sessionID, of: other.caller)
        for lastEventID in [nil, 0] as [Int64?] {
            #expect(
                await refusal {
                    try await town.network.streamStart(for: ada.caller, lastEventID: lastEventID)
                } == SafetyNetwork.sessionOver)
        }
        _ = try await town.network.streamStart(for: other.caller, lastEventID: nil)
    }

    @Test func aStreamThatWasAwayForTooLongLoadsAnew() async throws {
        let town = try Town()
        let ada = try await town.person("Ada")
        for number in 1...40 {
            try await town.checkIn(ada)
            town.clock.pass(number == 20 ? EventRules.kept : .seconds(1))
        }
        let events = try await town.network.events(of: ada.id, after: 0, limit: 1000)
        let (oldest, newest) = (
            try #require(events.first?.sequence), try #require(events.last?.sequence)
        )
        #expect(oldest > 1)
        #expect(
            try await town.network.streamStart(for: ada.caller, lastEventID: oldest - 1)
                == .resume(after: oldest - 1))
        #expect(
            try await town.network.streamStart(for: ada.caller, lastEventID: oldest - 2)
                == .reload(after: newest))
    }

    @Test func whatLeavesOnAStreamIsInTheLedger() async throws {
        let town = try Town()
        let (ada, ben) = (try await town.person("Ada"), try await town.person("Ben"))
        try await town.connect(ben, watchesOver: ada)
        let alert = try await town.raiseAlert(ada)
        #expect(try await town.alert(alert, seenBy: ada).ledger.map(\.state) == [.queued])
        let items = try await town.network.events(of: ben.id, after: 0, limit: 1000).compactMap(
            \.notificationID
        ).map { (user: ben.id, notification: $0) }
        try await town.network.markStreamed(items)
        #expect(try await town.alert(alert, seenBy: ada).ledger.map(\.state) == [.accepted])
        try await town.network.markAllRead(of: ben.caller)
        #expect(try await town.alert(alert, seenBy: ada).ledger.map(\.state) == [.seen])
    }

    @Test func anAlertGoesByEveryChannel() async throws {
        let town = try Town(options: {
            $0.isSMSAvailable = true
            $0.showsNotifications = true
        })
        let (ada, ben) = (try await town.person("Ada"), try await town.person("Ben"))
        try await town.connect(ben, watchesOver: ada)
        let url = try #require(URL(string: "https://example.org/hook"))
        for _ in 1...2 {
            _ = try await town.network.saveDevice(
                town.world.id(), kind: .webhook, url: url, of: ben.caller)
        }
        let alert = try await town.raiseAlert(ada)
        #expect(
            try await town.alert(alert, seenBy: ada).ledger.map(\.channel.rawValue).sorted() == [
                "console", "sms", "stream", "webhook", "webhook",
            ])
    }
}
