import Domain
import Foundation
import Persistence
import TestDatabase
import Testing

@testable import SafetyNetwork

/// Alerts whose messages fail for good.
@Suite struct UnheardAlertTests: WithRefusalScene {
    let scene: RefusalScene
    private let reachNews = ReachNews()

    init() async throws { scene = try await RefusalScene() }

    /// Tries the due messages of a channel. Those to the numbers that don't exist fail.
    private func send(_ channel: DeliveryChannel, dead: [Person]) async throws {
        let now = server.clock.now
        let dead = Set(dead.map(\.id))
        try await server.engine.write(about: .none) { transaction in
            let due = try transaction.leaseDeliveries(
                channels: [channel], lease: .seconds(60), limit: 1_000)
            for delivery in due {
                let isDead = dead.contains(delivery.record.userID)
                try transaction.settleDelivery(
                    delivery.record,
                    isDead
                        ? DeliveryUpdate(.failed, reason: .twilio(21_211), at: now)
                        : DeliveryUpdate(.accepted, at: now))
            }
            let failed = Set(due.map(\.record.userID)).intersection(dead)
            try transaction.advanceSteps(of: failed.sorted())
        }
    }

    /// Sends the alarm's SMS, and calls the people who got none.
    private func sendAlarm(dead: [Person]) async throws {
        try await deliver(dead: dead)
        try await follow()
    }

    /// Like `sendAlarm`, but the server hasn't followed the failures yet.
    private func deliver(dead: [Person]) async throws {
        try await send(.sms, dead: dead)
        try await server.pass(.seconds(1))
        try await send(.voice, dead: dead)
    }

    private func follow() async throws {
        _ = server.published.takeReach(to: reachNews)
        _ = try await reachNews.pass(server.network)
    }

    private func raise() async throws -> AlertRecord {
        let alert = try await server.raiseAlert(ada)
        _ = try await server.news(of: ada)
        server.clock.pass(.seconds(1))
        return alert
    }

    @Test func deadNumberIsNotAwaited() async throws {
        let alert = try await raise()
        try await sendAlarm(dead: [ben])
        #expect(try await server.news(of: ada) == [])
        #expect(try await server.openAlert(ada)?.isUnheard == nil)
        let answer = try await server.network.responding.declineAlert(
            try alert.typedID, by: cleo.caller)
        #expect(answer.afterRefusal(hasAccepted: true) == .noOneIsLeft)
        #expect(try await server.news(of: ada) == [refused])
        // The next alarm fails as well, and everyone has been alerted again less than 30 minutes
        // ago.
        server.clock.pass(.seconds(1))
        try await sendAlarm(dead: [ben])
        #expect(try await server.news(of: ada) == [])
        #expect(try await server.openAlert(ada)?.isRefusedByAll == true)
    }

    /// Within 30 minutes, a second refusal doesn't restart the alert. It tells the owner once.
    @Test func failureAfterASecondRefusalRepeatsNoNews() async throws {
        func count() async throws -> Int {
            try await server.network.notifications
                .notifications(of: ada.caller, page: Page(limit: 200))
                .count { $0.title == refused }
        }
        let alert = try await raise()
        try await sendAlarm(dead: [ben])
        try await decline(alert, cleo)
        #expect(try await count() == 1)
        _ = try await server.acknowledge(alert, cleo)
        server.clock.pass(.seconds(1))
        try await decline(alert, cleo)
        #expect(try await count() == 2)
        try await sendAlarm(dead: [ben])
        #expect(try await count() == 2)
    }

    @Test func failureAfterTheOtherRefusalTellsTheOwner() async throws {
        let alert = try await raise()
        try await decline(alert, cleo)
        #expect(try await server.news(of: ada) == [])
        try await sendAlarm(dead: [ben])
        #expect(try await server.news(of: ada) == [refused])
        #expect(try await server.openAlert(cleo)?.isRefusedByAll == true)
    }

    /// Ben's SMS fails, and his phone rings.
    @Test func ringingPhoneIsAwaited() async throws {
        let alert = try await raise()
        try await send(.sms, dead: [ben])
        try await server.pass(.seconds(1))
        try await send(.voice, dead: [])
        try await server.network.climbing.endCall(
            try await server.delivery(.voice, ben), to: ben.id, .unanswered(.noAnswer))
        try await follow()
        try await decline(alert, cleo)
        #expect(try await server.news(of: ada) == [])
        #expect(try await server.openAlert(cleo)?.isRefusedByAll == nil)
    }

    /// Ben's SMS has failed, and his call hasn't begun.
    @Test func waitingCallIsAwaited() async throws {
        let alert = try await raise()
        try await send(.sms, dead: [ben])
        try await follow()
        try await decline(alert, cleo)
        #expect(try await server.news(of: ada) == [])
    }

    @Test func ownerLearnsThatNoMessageArrives() async throws {
        _ = try await raise()
        try await sendAlarm(dead: [ben, cleo])
        let news = try await server.newsItems(of: ada)
        #expect(news.map(\.title) == ["No one is on it yet"])
        #expect(news.first?.body.contains("reaches your responders.") == true)
        #expect(news.first?.body.hasSuffix("registered: 911.") == true)
        #expect(try await server.openAlert(ada)?.isUnheard == true)
        #expect(try await shown().last?.isUnheard == true)
        // Only the owner sees it.
        #expect(try await server.openAlert(ben)?.isUnheard == nil)
        try await server.pass(.minutes(5))
        try await sendAlarm(dead: [ben, cleo])
        try await server.pass(.minutes(11))
        #expect(try await server.news(of: ada) == [])
        #expect(try await server.openAlert(ada)?.isUnheard == true)
        try await sendAlarm(dead: [ben])
        #expect(try await server.openAlert(ada)?.isUnheard == nil)
    }

    @Test func checksForAnArrivalBecomeRare() async throws {
        _ = try await raise()
        try await deliver(dead: [ben, cleo])
        for (age, pause) in [(Duration.zero, 5), (.minutes(30), 30), (.days(1), 60)] {
            server.clock.pass(age)
            try await follow()
            let next = try await reachNews.pass(server.network)
            #expect(next.since(server.clock.now) == .seconds(pause))
        }
    }

    /// The states of Ada's alert that her pages have received.
    private func shown() async throws -> [AlertRecord] {
        try await server.events(of: ada).compactMap { event -> AlertRecord? in
            if case .alert(let record) = event { record } else { nil }
        }
    }

    @Test func arrivalIsShownOnce() async throws {
        _ = try await raise()
        try await sendAlarm(dead: [ben, cleo])
        var count = try await shown().count
        server.clock.pass(ReachNews.pauseBetweenArrivals)
        try await follow()
        #expect(try await shown().count == count)
        try await server.pass(.minutes(5))
        try await sendAlarm(dead: [ben, cleo])
        try await server.pass(.minutes(11))
        try await deliver(dead: [ben])
        #expect(try await shown().last?.isUnheard == true)
        server.clock.pass(ReachNews.pauseBetweenArrivals)
        try await follow()
        #expect(try await shown().last?.isUnheard == nil)
        count = try await shown().count
        server.clock.pass(ReachNews.pauseBetweenArrivals)
        try await follow()
        #expect(try await shown().count == count)
    }

    @Test func acknowledgementEndsTheWarning() async throws {
        let alert = try await raise()
        try await sendAlarm(dead: [ben, cleo])
        _ = try await server.acknowledge(alert, ben)
        #expect(try await server.openAlert(ada)?.isUnheard == nil)
    }
}
