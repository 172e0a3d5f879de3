import Domain
import Foundation
import Persistence
import Testing

@testable import SafetyNetwork

/// Ben makes news for Ada, who has a webhook and an e-mail address, and Cleo, who has a webhook.
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
            _ = try await server.network.savePushEndpoint(
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
                WHERE user_id = $1 AND channel = $2 AND purpose IN ('ping', 'other', 'alertNews')
                """, [.id(person.id), .text(channel.rawValue)])
        }
    }

    /// Runs `act`, and returns what `person` was sent meanwhile by each channel.
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

    /// Ben scans one code of Ada's again and again.
    private func addAndRemove(_ rounds: Int) async throws {
        let code = try #require(QRCodeID(try await server.network.qrCode(of: ada.caller).id))
        let roles = try ContactRoles(isResponder: false, isDependent: true)
        for _ in 0..<rounds {
            _ = try await server.network.addContact(code: code, roles: roles, to: ben.caller)
            try await server.network.removeContact(ada.id, by: ben.caller)
        }
    }

    @Test func sixtyAdditionsAndRemovalsAreSentTenTimes() async throws {
        let sent = try await sent(to: ada) { try await addAndRemove(60) }
        // "Ben added you", "Ben was removed", and that nobody is left.
        #expect(sent[.stream] == 180)
        #expect(sent[.webhook] == NewsRules.limit / 2 * 3)
        #expect(sent[.email] == NewsRules.limit / 2 * 3)
        server.clock.pass(NewsRules.window - .milliseconds(1))
        let early = try await self.sent(to: ada) { try await addAndRemove(1) }
        #expect(early == [.stream: 3, .webhook: 0, .email: 0])
        server.clock.pass(NewsRules.window)
        let later = try await self.sent(to: ada) { try await addAndRemove(1) }
        #expect(later == [.stream: 3, .webhook: 3, .email: 3])
    }

    @Test func whatOthersDoIsSentAllTheSame() async throws {
        try await addAndRemove(10)
        let sent = try await sent(to: ada) {
            try await server.connect(cleo, watchesOver: ada)
            _ = try await server.ping(ada, by: cleo)
        }
        #expect(sent == [.stream: 2, .webhook: 2, .email: 1])
    }

    @Test func pingsThatAreTakenBackAreSentTenTimes() async throws {
        try await server.connect(ben, watchesOver: ada)
        server.clock.pass(NewsRules.window)
        let sent = try await sent(to: ada) {
            for _ in 0..<20 {
                let ping = try await server.ping(ada, by: ben)
                _ = try await server.network.clearPing(ping.id, by: ben.caller)
            }
        }
        #expect(sent == [.stream: 40, .webhook: NewsRules.limit, .email: 0])
    }

    @Test func reportsInTurnAreSentTenTimesAndAlarmsAlways() async throws {
        for responder in [ben, cleo] { try await server.connect(responder, watchesOver: ada) }
        let alert = try await server.raiseAlert(ada)
        let id = try alert.typedID
        let reports = try await sent(to: cleo) {
            for number in 0..<20 {
                server.clock.pass(.seconds(1))
                let report: AlertReport = number.isMultiple(of: 2) ? .withThem : .foundSafe
                _ = try await server.network.report(report, on: id, by: ben.caller)
            }
        }
        #expect(reports == [.stream: 20, .webhook: NewsRules.limit, .email: 0])
        // Somebody else's act is no part of it.
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
