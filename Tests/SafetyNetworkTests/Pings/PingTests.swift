import Domain
import Foundation
import Testing

@testable import SafetyNetwork

@Suite struct PingTests {
    private func pair() async throws -> (TestServer, ada: Person, ben: Person) {
        let server = try TestServer()
        let (ada, ben) = (try await server.person("Ada"), try await server.person("Ben"))
        try await server.connect(ben, watchesOver: ada)
        return (server, ada, ben)
    }

    private func state(_ ping: PingRecord, _ server: TestServer, _ person: Person) async throws
        -> PingRecord.State?
    {
        try await server.network.pings.pings(of: person.caller, page: Page()).first {
            $0.id == ping.id
        }?
        .state
    }

    @Test func aResponderAsksAndTheDependentAnswers() async throws {
        let (server, ada, ben) = try await pair()
        let ping = try await server.ping(ada, by: ben)
        #expect(try await server.news(of: ada) == ["Ben asks if you are fine"])
        #expect(try await server.contact(ben, seenBy: ada)?.hasPendingPing == true)
        #expect(try await server.contact(ada, seenBy: ben)?.pingedAt == noon)
        #expect(try await server.contact(ada, seenBy: ben)?.hasPendingPing == false)

        server.clock.pass(.minutes(1))
        let answered = try await server.network.pings.respond(to: ping.id, by: ada.caller)
        #expect(answered.state == .answered && answered.settledAt == noon.adding(.minutes(1)))
        #expect(try await server.news(of: ben) == ["Ada is fine"])
        #expect(try await server.contact(ben, seenBy: ada)?.hasPendingPing == false)
        #expect(try await server.contact(ada, seenBy: ben)?.pingedAt == nil)
        for side in [ada, ben] {
            #expect(try await server.events(of: side).contains(.ping(answered)))
        }

        server.clock.pass(.minutes(1))
        #expect(try await server.network.pings.respond(to: ping.id, by: ada.caller) == answered)
        #expect(try await server.news(of: ben) == [])
    }

    @Test func responderSeesWhetherPingsAreAnnounced() async throws {
        let (server, ada, ben) = try await pair()
        func hears() async throws -> Bool? {
            try await server.contact(ada, seenBy: ben)?.hearsPings
        }
        #expect(try await hears() == false)
        #expect(try await server.contact(ben, seenBy: ada)?.hearsPings == nil)
        _ = try await server.events(of: ben)
        _ = try await server.ping(ada, by: ben)
        #expect(
            try await server.events(of: ben).contains(.contactChanged(.init(contactID: ada.id))))
        let url = try #require(URL(string: "https://example.org/hook"))
        _ = try await server.network.endpoints.savePushEndpoint(
            server.environment.id(), kind: .webhook, url: url, of: ada.caller)
        #expect(try await hears() == true)
        // Reading the ping doesn't show Ben how Ada reacted.
        try await server.network.notifications.markAllRead(of: ada.caller)
        #expect(try await hears() == true)
        try await server.network.notifications.setPreferences(
            NotificationPreferences(muted: [.ping]), of: ada.caller)
        #expect(try await hears() == false)
    }

    @Test func theOtherDirectionAndStrangersAreRefused() async throws {
        let (server, ada, ben) = try await pair()
        let stranger = try await server.person("Cleo")
        #expect(await refusal { try await server.ping(ben, by: ada) }?.isPermissionDenied == true)
        #expect(await refusal { try await server.ping(ada, by: stranger) }?.isNotFound == true)
        #expect(await refusal { try await server.ping(ada, by: ada) }?.isNotFound == true)
        #expect(try await server.news(of: ben) == [])
    }

    @Test func pairHasOnePendingPing() async throws {
        let (server, ada, ben) = try await pair()
        let first = try await server.ping(ada, by: ben)
        server.clock.pass(.hours(1))
        #expect(try await server.ping(ada, by: ben) == first)
        #expect(try await server.ping(ada, by: ben, id: first.id) == first)
        #expect(try await server.news(of: ada) == ["Ben asks if you are fine"])
        _ = try await server.network.pings.respond(to: first.id, by: ada.caller)
        #expect(try await server.ping(ada, by: ben, id: first.id).state == .answered)
        #expect(try await server.ping(ada, by: ben).id != first.id)
    }

    /// The answer to the second request was lost, and its repeat arrives after Ada's answer.
    @Test func lateRepeatOfAStandInAsksNoSecondTime() async throws {
        let (server, ada, ben) = try await pair()
        let first = try await server.ping(ada, by: ben)
        let second: PingID = server.environment.id()
        #expect(try await server.ping(ada, by: ben, id: second) == first)
        let answered = try await server.network.pings.respond(to: first.id, by: ada.caller)
        _ = try await server.news(of: ada)
        #expect(try await server.ping(ada, by: ben, id: second) == answered)
        #expect(try await server.news(of: ada) == [])
        #expect(try await server.network.pings.pings(of: ben.caller, page: Page()).count == 1)
    }

    @Test func oneAnswerReachesEveryoneAsking() async throws {
        let (server, ada, ben) = try await pair()
        let cleo = try await server.person("Cleo")
        try await server.connect(cleo, watchesOver: ada)
        try await server.connect(cleo, watchesOver: ben)
        for responder in [ben, cleo] { _ = try await server.ping(ada, by: responder) }
        let other = try await server.ping(ben, by: cleo)
        let answered = try await server.network.pings.respondToAll(by: ada.caller)
        #expect(Set(answered.map(\.responderID)) == [ben.id, cleo.id])
        #expect(answered.allSatisfy { $0.state == .answered })
        #expect(try await state(other, server, cleo) == .pending)
        #expect(try await server.network.pings.respondToAll(by: ada.caller).isEmpty)
    }

    @Test func onlyTheDependentAnswersAndTheResponderClears() async throws {
        let (server, ada, ben) = try await pair()
        let stranger = try await server.person("Cleo")
        let ping = try await server.ping(ada, by: ben)
        for person in [ben, stranger] {
            #expect(
                await refusal {
                    try await server.network.pings.respond(to: ping.id, by: person.caller)
                }?
                .isNotFound == true)
        }
        for person in [ada, stranger] {
            #expect(
                await refusal {
                    try await server.network.pings.clearPing(ping.id, by: person.caller)
                }?
                .isNotFound == true)
        }
        _ = try await server.news(of: ada)
        #expect(try await server.network.pings.clearPing(ping.id, by: ben.caller).state == .cleared)
        #expect(try await server.news(of: ada) == ["No answer needed"])
        #expect(try await server.network.pings.clearPing(ping.id, by: ben.caller).state == .cleared)
        #expect(
            try await server.network.pings.respond(to: ping.id, by: ada.caller).state == .cleared)
        #expect(try await server.news(of: ada) == [])
        #expect(try await server.news(of: ben) == [])
    }

    @Test func clearingIsSentToOpenPages() async throws {
        let (server, ada, ben) = try await pair()
        let ping = try await server.ping(ada, by: ben)
        let cleared = try await server.network.pings.clearPing(ping.id, by: ben.caller)
        #expect(cleared.settledAt == server.clock.now)
        for side in [ada, ben] {
            #expect(try await server.events(of: side).contains(.ping(cleared)))
        }
        #expect(try await server.contact(ben, seenBy: ada)?.hasPendingPing == false)
        #expect(try await server.contact(ada, seenBy: ben)?.pingedAt == nil)
    }

    @Test func pingExpiresAfterADay() async throws {
        let (server, ada, ben) = try await pair()
        let ping = try await server.ping(ada, by: ben)
        #expect(try await server.pass(.hours(24) - .milliseconds(1)) == noon.adding(.hours(24)))
        #expect(try await state(ping, server, ada) == .pending)
        try await server.pass(.milliseconds(1))
        #expect(try await state(ping, server, ada) == .expired)
        #expect(server.watched.all.expiredPings == 1)
        #expect(try await server.contact(ben, seenBy: ada)?.hasPendingPing == false)
        for side in [ada, ben] {
            guard case .ping(let last) = try await server.events(of: side).last else {
                Issue.record("nobody heard of it")
                return
            }
            #expect(last.state == .expired)
        }
        #expect(
            try await server.network.pings.respond(to: ping.id, by: ada.caller).state == .expired)
    }

    @Test func anAnswerInTheLastMillisecondCounts() async throws {
        let (server, ada, ben) = try await pair()
        let ping = try await server.ping(ada, by: ben)
        server.clock.pass(.hours(24) - .milliseconds(1))
        #expect(
            try await server.network.pings.respond(to: ping.id, by: ada.caller).state == .answered)
    }

    /// The deadline monitor is late, so the ping isn't marked as expired yet.
    @Test func expiredPingIsNotAnswered() async throws {
        let (server, ada, ben) = try await pair()
        let ping = try await server.ping(ada, by: ben)
        server.clock.pass(.hours(24))
        #expect(
            try await server.network.pings.respond(to: ping.id, by: ada.caller).state == .expired)
        #expect(try await server.network.pings.respondToAll(by: ada.caller).isEmpty)
        #expect(try await server.news(of: ben) == [])
    }

    @Test func expiredPingAllowsTheNext() async throws {
        let (server, ada, ben) = try await pair()
        let first = try await server.ping(ada, by: ben)
        server.clock.pass(.hours(24))
        let second = try await server.ping(ada, by: ben)
        #expect(second.id != first.id)
        for side in [ada, ben] {
            let states = try await server.events(of: side).compactMap { event in
                if case .ping(let ping) = event {
                    "\(ping.id == first.id ? "first" : "second") \(ping.state)"
                } else {
                    nil
                }
            }
            #expect(states == ["first pending", "first expired", "second pending"])
        }
    }

    /// The answer waited on Ada's device. A press from before the ping is one by a wrong clock.
    @Test(arguments: [(Duration.minutes(5), "12:05"), (.minutes(-5), "12:00")])
    func lateAnswerGivesTheTimeOfThePress(press: Duration, time: String) async throws {
        let (server, ada, ben) = try await pair()
        let ping = try await server.ping(ada, by: ben)
        server.clock.pass(.hours(8))
        let answered = try await server.network.pings.respond(
            to: ping.id, pressedAt: noon.adding(press), by: ada.caller)
        #expect(answered.state == .answered)
        let items = try await server.newsItems(of: ben)
        #expect(items.map(\.title) == ["Ada answered your ping"])
        #expect(items.map(\.body) == ["Ada was fine at \(time) UTC, received 20:00 UTC."])
    }

    /// The clock of Ada's device is three hours behind.
    @Test func answerByAWrongClockCountsBackFromTheReceipt() async throws {
        let (server, ada, ben) = try await pair()
        let ping = try await server.ping(ada, by: ben)
        server.clock.pass(.hours(8))
        let sent = server.clock.now.adding(.hours(-3))
        _ = try await server.network.pings.respond(
            to: ping.id, pressedAt: sent.adding(.minutes(-30)), sentAt: sent, by: ada.caller)
        let items = try await server.newsItems(of: ben)
        #expect(items.map(\.body) == ["Ada was fine at 19:30 UTC, received 20:00 UTC."])
    }

    @Test func personWithAnOpenAlertMayBePinged() async throws {
        let (server, ada, ben) = try await pair()
        try await server.raiseAlert(ada)
        #expect(try await server.ping(ada, by: ben).state == .pending)
    }
}
