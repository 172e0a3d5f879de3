import Domain
import Foundation
import Persistence
import Testing

@testable import SafetyNetwork

/// Ben's actions cause messages to Ada and Cleo. Ada has a webhook and an e-mail address, Cleo a
/// webhook.
@Suite struct NewsLimitTests {
    private let server: TestServer
    private let ada: Person
    private let ben: Person
    private let cleo: Person

    init() async throws {
        server = try TestServer(options: {
            $0.isSMSAvailable = true
            $0.isEmailAvailable = true
        })
        ada = try await server.person("Ada")
        ben = try await server.person("Ben")
        cleo = try await server.person("Cleo")
        let hook = try #require(URL(string: "https://hooks.example"))
        for person in [ada, cleo] {
            _ = try await server.network.endpoints.savePushEndpoint(
                server.environment.id(), kind: .webhook, url: hook, of: person.caller)
        }
        let address = try EmailAddress("ada@example.org")
        try await server.engine.write(about: .none) { [ada] in
            try $0.insertEmailAddress(address, of: ada.id)
        }
    }

    private func sent(_ channel: DeliveryChannel, to person: Person) async throws -> Int {
        try await server.engine.read {
            try $0.count(
                """
                SELECT COUNT(*) FROM deliveries
                WHERE user_id = $1 AND channel = $2 AND COALESCE(reason, '') <> 'storm'
                    AND state <> 'superseded' AND purpose IN ('ping', 'other', 'alertNews')
                """, [.id(person.id), .text(channel.rawValue)])
        }
    }

    /// Runs `act` and returns the number of messages to `person` per channel.
    private func sent(
        to person: Person, _ act: () async throws -> Void
    ) async throws -> [DeliveryChannel: Int] {
        var counts: [DeliveryChannel: Int] = [:]
        let channels: [DeliveryChannel] = [.stream, .webhook, .email]
        for channel in channels { counts[channel] = try await sent(channel, to: person) }
        try await act()
        for channel in channels {
            counts[channel] = try await sent(channel, to: person) - (counts[channel] ?? 0)
        }
        return counts
    }

    /// Makes Ben add Ada by her code.
    private func add() async throws {
        let code = try #require(
            QRCodeID(try await server.network.qrCodes.qrCode(of: ada.caller).id))
        let roles = try ContactRoles(isResponder: false, isDependent: true)
        _ = try await server.network.contacts.addContact(code: code, roles: roles, to: ben.caller)
    }

    /// Makes Ben add Ada by her code and remove her, `rounds` times.
    private func addAndRemove(_ rounds: Int) async throws {
        for _ in 0..<rounds {
            try await add()
            try await server.network.contacts.removeContact(ada.id, by: ben.caller)
        }
    }

    @Test func additionsAndRemovalsStayWithinTheLimit() async throws {
        let sent = try await sent(to: ada) { try await addAndRemove(60) }
        // The ledger keeps the newest `kept` notifications about Ben and those not delivered yet.
        // About 60 more are about the loss of Ada's last responder.
        let streamed = sent[.stream] ?? 0
        #expect(streamed >= NewsRules.kept + 60)
        #expect(streamed <= NewsRules.kept + NewsRules.limit * 3 + 60)
        // Additions, removals of responders and the loss of the last one each have a limit of
        // their own, because these messages can't be muted.
        #expect(sent[.webhook] == NewsRules.limit * 3)
        #expect(sent[.email] == NewsRules.limit * 3)
        server.clock.pass(NewsRules.window - .milliseconds(1))
        let early = try await self.sent(to: ada) { try await addAndRemove(1) }
        // The two new notifications about Ben replace two older ones, except one that still waits.
        #expect(early == [.stream: 2, .webhook: 0, .email: 0])
        server.clock.pass(NewsRules.window)
        let later = try await self.sent(to: ada) { try await addAndRemove(1) }
        #expect(later[.webhook] == 3)
        #expect(later[.email] == 3)
    }

    /// Sends the due messages to the person's webhook and returns the titles.
    private func hooked(to person: Person) async throws -> [String] {
        let now = server.clock.now
        return try await server.engine.write(about: .none) { transaction in
            try transaction.leaseDeliveries(
                channels: [.webhook], lease: .seconds(60), limit: 1_000
            ).compactMap { delivery in
                try transaction.settleDelivery(
                    delivery.record, DeliveryUpdate(.accepted, at: now))
                let isTheirs = delivery.record.userID == person.id
                return isTheirs ? delivery.record.notification.title : nil
            }
        }
    }

    @Test func latestStateFollowsAfterTheWindow() async throws {
        try await addAndRemove(12)
        _ = try await hooked(to: ada)
        server.clock.pass(NewsRules.window - .milliseconds(1))
        #expect(try await hooked(to: ada) == [])
        server.clock.pass(.milliseconds(1))
        let titles = try await hooked(to: ada)
        #expect(
            titles.sorted() == ["Ben is no longer your contact", "You have no responders now"])
    }

    @Test(arguments: [false, true])
    func newResponderWithdrawsAHeldLoss(isDeleted: Bool) async throws {
        try await addAndRemove(12)
        _ = try await hooked(to: ada)
        if isDeleted { _ = try await server.news(of: ada) }
        try await server.connect(cleo, watchesOver: ada)
        server.clock.pass(NewsRules.window)
        #expect(try await !hooked(to: ada).contains("You have no responders now"))
    }

    @Test(arguments: [false, true])
    func deletionOfTheAccountWithdrawsHeldNews(isDeleted: Bool) async throws {
        try await addAndRemove(NewsRules.limit)
        try await add()
        _ = try await hooked(to: ada)
        if isDeleted { try await server.deleteAccount(ben) }
        server.clock.pass(NewsRules.window)
        let isSent = try await hooked(to: ada).contains("Ben is now your contact")
        #expect(isSent == !isDeleted)
    }

    @Test func startWithdrawsHeldNewsOfTheStop() async throws {
        try await server.connect(ben, watchesOver: ada)
        for _ in 0..<12 {
            for word in ["STOP", "START"] {
                _ = try await server.network.textAnswers.receiveText(word, from: ben.number)
            }
        }
        _ = try await hooked(to: ada)
        server.clock.pass(NewsRules.window)
        let titles = try await hooked(to: ada).filter { $0.contains("text messages") }
        #expect(titles == ["Ben gets text messages again"])
    }

    @Test func pingsNeverHoldBackALostResponder() async throws {
        try await server.connect(ben, watchesOver: ada)
        for _ in 0..<10 {
            let ping = try await server.ping(ada, by: ben)
            _ = try await server.network.pings.clearPing(ping.id, by: ben.caller)
        }
        _ = try await hooked(to: ada)
        try await server.network.contacts.removeContact(ada.id, by: ben.caller)
        #expect(
            try await hooked(to: ada).sorted()
                == ["Ben is no longer your contact", "You have no responders now"])
    }

    @Test func pingsNeverHoldBackUseOfTheCode() async throws {
        try await server.connect(ben, watchesOver: ada)
        for _ in 0..<10 {
            let ping = try await server.ping(ada, by: ben)
            _ = try await server.network.pings.clearPing(ping.id, by: ben.caller)
        }
        try await server.network.contacts.removeContact(ada.id, by: ben.caller)
        _ = try await hooked(to: ada)
        try await addAndRemove(1)
        #expect(try await hooked(to: ada).contains("Ben is now your contact"))
    }

    /// Somebody with Ben's phone renames him first. Ada is Ben's responder.
    @Test func renamesDontHoldBackAPause() async throws {
        try await server.checkIn(ben)
        try await server.connect(ada, watchesOver: ben)
        server.clock.pass(NewsRules.window)
        _ = try await hooked(to: ada)
        for number in 0..<(2 * NewsRules.limit) {
            _ = await refusal {
                try await server.network.profiles.updateProfile(
                    name: "Ben \(number)", emergencyNote: nil, of: ben.caller)
            }
        }
        _ = try await server.network.pauses.pause(
            until: server.clock.now.adding(.hours(6)), of: ben.caller)
        #expect(try await hooked(to: ada).contains("Ben 2 has paused check-ins"))
    }

    @Test func anAnsweredPingIsNotSentLate() async throws {
        try await server.connect(ben, watchesOver: ada)
        for _ in 0..<10 {
            let ping = try await server.ping(ada, by: ben)
            _ = try await server.network.pings.clearPing(ping.id, by: ben.caller)
        }
        let ping = try await server.ping(ada, by: ben)
        _ = try await hooked(to: ada)
        _ = try await server.network.pings.respond(to: ping.id, by: ada.caller)
        server.clock.pass(NewsRules.window)
        #expect(try await hooked(to: ada) == [])
    }

    /// Makes Ben acknowledge or withdraw once a second. Returns what Cleo's webhook gets for each
    /// act.
    private func act(
        _ count: Int, on alert: AlertRecord, first: Int = 0
    ) async throws -> [[String]] {
        var told: [[String]] = []
        for number in first..<(first + count) {
            server.clock.pass(.seconds(1))
            if number.isMultiple(of: 2) {
                _ = try await server.acknowledge(alert, ben)
            } else {
                _ = try await server.network.responding.withdrawAcknowledgement(
                    of: try alert.typedID, by: ben.caller)
            }
            told.append(try await hooked(to: cleo))
        }
        return told
    }

    private func alarm() async throws -> AlertRecord {
        for responder in [ben, cleo] { try await server.connect(responder, watchesOver: ada) }
        let alert = try await server.raiseAlert(ada)
        _ = try await hooked(to: cleo)
        return alert
    }

    @Test func aWithdrawalBeyondTheLimitIsSent() async throws {
        let alert = try await alarm()
        // "I can't" sends no news but counts as an act, so the withdrawal is the eleventh.
        _ = try await server.network.responding.declineAlert(try alert.typedID, by: ben.caller)
        let told = try await act(10, on: alert)
        #expect(told.allSatisfy { $0.count == 1 })
        #expect(told.last == ["Ada still needs help"])
    }

    @Test func helpBeyondTheLimitFollowsAfterTheWindow() async throws {
        let alert = try await alarm()
        let told = try await act(12, on: alert)
        // A message withdrawn before it was sent needs no correction.
        #expect(told.suffix(2) == [[], []])
        #expect(try await act(1, on: alert) == [[]])
        server.clock.pass(NewsRules.window - .milliseconds(1))
        #expect(try await hooked(to: cleo) == [])
        server.clock.pass(.milliseconds(1))
        #expect(try await hooked(to: cleo) == ["Ben is on it"])
    }

    @Test func newerNewsReplacesHeldNews() async throws {
        let alert = try await alarm()
        _ = try await act(11, on: alert)
        _ = try await server.endAlert(alert, ada)
        #expect(try await hooked(to: cleo) == ["Ada ended the alert"])
        server.clock.pass(NewsRules.window)
        #expect(try await hooked(to: cleo) == [])
    }

    @Test func othersNewsIsStillSent() async throws {
        try await addAndRemove(10)
        let sent = try await sent(to: ada) {
            try await server.connect(cleo, watchesOver: ada)
            _ = try await server.ping(ada, by: cleo)
        }
        #expect(sent == [.stream: 2, .webhook: 2, .email: 1])
    }

    @Test(arguments: [false, true])
    func withdrawnPingsStayWithinTheLimit(areDeleted: Bool) async throws {
        try await server.connect(ben, watchesOver: ada)
        server.clock.pass(NewsRules.window)
        let sent = try await sent(to: ada) {
            for _ in 0..<20 {
                let ping = try await server.ping(ada, by: ben)
                _ = try await server.network.pings.clearPing(ping.id, by: ben.caller)
                if areDeleted { _ = try await server.news(of: ada) }
            }
        }
        #expect(sent == [.stream: 40, .webhook: NewsRules.limit, .email: 0])
    }

    /// Moves a new webhook of Ada's session, which announces it each time.
    /// - Parameter deletes: true if Ada deletes each announcement at once.
    private func moveWebhook(_ rounds: Int, deletes: Bool = false) async throws {
        let id: PushEndpointID = server.environment.id()
        for round in 0..<rounds {
            let url = try #require(URL(string: "https://hooks.example/\(round)"))
            _ = try await server.network.endpoints.savePushEndpoint(
                id, kind: .webhook, url: url, of: ada.caller)
            if deletes { _ = try await server.news(of: ada) }
        }
    }

    /// Another session of a thief could otherwise delete the news to send more of it.
    @Test(arguments: [false, true])
    func ownNewsStaysWithinTheLimit(isDeleted: Bool) async throws {
        server.clock.pass(NewsRules.window)
        _ = try await hooked(to: ada)
        // The new webhook gets all messages but the first.
        try await moveWebhook(NewsRules.limit, deletes: isDeleted)
        #expect(try await hooked(to: ada).count == NewsRules.limit * 2 - 1)
        try await moveWebhook(100, deletes: isDeleted)
        #expect(try await hooked(to: ada) == [])
        server.clock.pass(NewsRules.window - .milliseconds(1))
        #expect(try await hooked(to: ada) == [])
        // Only the newest message follows, to the three webhooks.
        server.clock.pass(.milliseconds(1))
        let late = try await hooked(to: ada)
        #expect(late == Array(repeating: "A webhook was added", count: 3))
    }

    @Test func otherSecurityNewsArrivesAfterManyWebhooks() async throws {
        try await moveWebhook(100)
        _ = try await hooked(to: ada)
        let (accountNews, end) = (server.network.accountNews, server.clock.now.adding(.days(7)))
        let sent = try await sent(to: ada) {
            try await server.engine.write(about: Subjects([ada.id])) { [ada] transaction in
                try accountNews.announce(
                    .numberWillChange(to: ada.number, at: end), doneBy: ada.caller,
                    isOncePerWindow: false, in: transaction)
            }
        }
        #expect(sent[.email] == 1)
    }

    @Test func reportsAreLimitedButAlarmsAreNot() async throws {
        for responder in [ben, cleo] { try await server.connect(responder, watchesOver: ada) }
        let alert = try await server.raiseAlert(ada)
        let id = try alert.typedID
        _ = try await hooked(to: cleo)
        let reports = try await sent(to: cleo) {
            for number in 0..<20 {
                server.clock.pass(.seconds(1))
                let report: AlertReport = number.isMultiple(of: 2) ? .withThem : .foundSafe
                _ = try await server.network.responding.report(report, on: id, by: ben.caller)
                // An unsent report would be withdrawn by the next.
                _ = try await hooked(to: cleo)
            }
        }
        #expect(reports == [.stream: 20, .webhook: NewsRules.limit, .email: 0])
        // Cleo's acts don't count towards Ben's limit.
        let taken = try await sent(to: ada) {
            _ = try await server.acknowledge(alert, cleo)
        }
        #expect(taken[.webhook] == 1)
        _ = try await server.endAlert(alert, ada)
        for _ in 0..<12 { _ = try await server.endAlert(try await server.raiseAlert(ada), ada) }
        let alarms = try await server.engine.read { [cleo] in
            try $0.count(
                """
                SELECT COUNT(*) FROM deliveries WHERE user_id = $1 AND channel = 'webhook'
                    AND purpose IN ('alertBegin', 'alertEnd')
                """, [.id(cleo.id)])
        }
        #expect(alarms == 26)
    }
}
