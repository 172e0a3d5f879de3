import Cryptography
import Domain
import Foundation
import Persistence
import Testing

@testable import SafetyNetwork

@Suite struct ReachabilityTests {
    private func story(
        sms isSMSAvailable: Bool = false
    ) async throws -> (server: TestServer, ada: Person, ben: Person) {
        let server = try TestServer(options: { $0.isSMSAvailable = isSMSAvailable })
        try await server.network.serverLife.wake()
        let (ada, ben) = (try await server.armed("Ada"), try await server.person("Ben"))
        try await server.connect(ben, watchesOver: ada)
        return (server, ada, ben)
    }

    private func subscribe(
        _ person: Person, on server: TestServer, to address: String = "https://push.example.org/1",
        as id: PushEndpointID? = nil
    ) async throws -> PushEndpointID {
        let endpoint: PushEndpointID = id ?? server.environment.id()
        let url = try #require(URL(string: address))
        _ = try await server.network.pushSubscriptions.savePushSubscription(
            endpoint, BrowserSubscription(url: url, p256dh: Data([4]), auth: Data([0])),
            of: person.caller)
        return endpoint
    }

    private func reachability(
        of other: Person, for person: Person, on server: TestServer
    ) async throws -> Reachability? {
        try await server.network.contacts.contacts(of: person.caller).first { $0.id == other.id }?
            .reachability
    }

    /// Returns the unconfirmed deliveries, oldest first.
    private func deliveries(
        to person: Person, by channel: DeliveryChannel, on server: TestServer
    ) async throws -> [DeliveryID] {
        try await server.engine.read {
            try $0.values(
                """
                SELECT id FROM deliveries WHERE user_id = $1 AND channel = $2
                    AND received_at IS NULL ORDER BY created_at, id
                """, [.id(person.id), .text(channel.rawValue)])
        }
    }

    private func confirm(_ delivery: DeliveryID, of person: Person, on server: TestServer)
        async throws
    {
        let receipt = ReceiptToken(
            person: person.id.uuid, delivery: delivery.uuid, expiresAt: .distantFuture)
        try await server.network.pushSubscriptions.enterReceipt(
            receipt.text(key: try #require(ServerKey(bytes: Data(repeating: 7, count: 32)))))
    }

    @Test func aReceiptProvesABrowserUntilItsAddressChanges() async throws {
        let (server, ada, ben) = try await story()
        #expect(try await reachability(of: ben, for: ada, on: server) == .unreachable())
        #expect(try await reachability(of: ada, for: ben, on: server) == nil)
        let browser = try await subscribe(ben, on: server)
        #expect(try await reachability(of: ben, for: ada, on: server) == .notProven)
        _ = try await server.raiseAlert(ada)
        let delivery = try #require(
            try await deliveries(to: ben, by: .webPush, on: server).last)
        try await confirm(delivery, of: ben, on: server)
        let proven = try await reachability(of: ben, for: ada, on: server)
        #expect(proven?.state == .proven && proven?.channel == .webPush)
        _ = try await subscribe(ben, on: server, as: browser)
        #expect(try await reachability(of: ben, for: ada, on: server)?.state == .proven)
        _ = try await subscribe(ben, on: server, to: "https://push.example.org/2", as: browser)
        #expect(try await reachability(of: ben, for: ada, on: server) == .notProven)
    }

    @Test func deliveredTextProvesThePhone() async throws {
        let (server, ada, ben) = try await story(sms: true)
        #expect(try await reachability(of: ben, for: ada, on: server) == .notProven)
        _ = try await server.raiseAlert(ada)
        let text = try #require(try await deliveries(to: ben, by: .sms, on: server).last)
        let didChange = try await server.engine.write(about: Subjects([ben.id])) {
            try $0.reportDelivery(text, of: ben.id, attempt: nil, ProviderReport(state: .seen))
        }
        #expect(didChange)
        #expect(try await reachability(of: ben, for: ada, on: server)?.channel == .sms)
        let without = try await server.engine.read {
            try $0.contactData(of: ada.id) { _ in nil }.first?.reachability
        }
        #expect(without == .unreachable())
    }

    /// No message goes to a test number.
    @Test(arguments: [true, false]) func codeProvesTheNewNumber(isSent: Bool) async throws {
        let number = try PhoneNumber("+493012345678")
        let server = try TestServer(options: {
            $0.isSMSAvailable = true
            if !isSent { $0.testNumbers = [number: "123456"] }
        })
        let (ada, ben) = (try await server.armed("Ada"), try await server.person("Ben"))
        try await server.connect(ben, watchesOver: ada)
        #expect(try await reachability(of: ben, for: ada, on: server) == .notProven)
        try await server.network.codes.requestCode(for: number, from: "192.0.2.1")
        let sent = server.environment.codes(on: number).last
        #expect((sent != nil) == isSent)
        _ = try await server.network.phoneNumberChange.changePhoneNumber(
            to: number, code: sent ?? "123456", of: ben.caller)
        let reach = try await reachability(of: ben, for: ada, on: server)
        #expect(reach?.channel == (isSent ? .sms : nil))
    }

    @Test func onlyAnAcceptedResponderHasReachability() async throws {
        let server = try TestServer()
        let (ada, ben) = (try await server.armed("Ada"), try await server.person("Ben"))
        try await server.ask(ben, toWatchOver: ada)
        let contact = try await server.network.contacts.contacts(of: ada.caller).first
        #expect(contact?.requests.isEmpty == false && contact?.reachability == nil)
    }

    // MARK: The weekly test

    @Test func browserSilentForAWeekIsTestedOnce() async throws {
        let (server, _, ben) = try await story()
        _ = try await subscribe(ben, on: server)
        _ = try await subscribe(ben, on: server, to: "https://push.example.org/2")
        server.clock.pass(.days(7) - .milliseconds(1))
        _ = try await server.network.silentEndpoints.testSilentDevices()
        #expect(try await deliveries(to: ben, by: .webPush, on: server).isEmpty)
        server.clock.pass(.milliseconds(1))
        for _ in 1...2 { _ = try await server.network.silentEndpoints.testSilentDevices() }
        let tests = try await deliveries(to: ben, by: .webPush, on: server)
        #expect(tests.count == 2)
        let items = try await server.network.notifications.notifications(
            of: ben.caller, page: .init())
        #expect(items.prefix(2).allSatisfy { $0.title == "Messages reach this device" })
        #expect(items.prefix(2).allSatisfy { $0.readAt != nil })
        // The endpoint that confirms isn't tested for another week.
        server.clock.pass(.days(1))
        try await confirm(try #require(tests.first), of: ben, on: server)
        server.clock.pass(.days(6))
        _ = try await server.network.silentEndpoints.testSilentDevices()
        #expect(try await deliveries(to: ben, by: .webPush, on: server).count == 2)
        server.clock.pass(.days(1))
        _ = try await server.network.silentEndpoints.testSilentDevices()
        #expect(try await deliveries(to: ben, by: .webPush, on: server).count == 3)
    }

    @Test func aTestGoesToNoOtherChannel() async throws {
        let (server, _, ben) = try await story(sms: true)
        _ = try await server.network.notifications.setPreferences(
            NotificationPreferences(muted: [.system]), of: ben.caller)
        _ = try await subscribe(ben, on: server)
        let before = try await deliveries(to: ben, by: .stream, on: server).count
        server.clock.pass(.days(7))
        _ = try await server.network.silentEndpoints.testSilentDevices()
        #expect(try await deliveries(to: ben, by: .webPush, on: server).count == 1)
        #expect(try await deliveries(to: ben, by: .sms, on: server).isEmpty)
        #expect(try await deliveries(to: ben, by: .stream, on: server).count == before)
    }
}
