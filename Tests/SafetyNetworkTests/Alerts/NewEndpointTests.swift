import Domain
import Foundation
import Persistence
import TestDatabase
import Testing

@testable import SafetyNetwork

/// Ben registers endpoints while Ada's alert is open.
@Suite struct NewEndpointTests {
    private let server: TestServer
    private let ada: Person
    private let ben: Person
    private let cleo: Person

    init() async throws {
        server = try TestServer()
        ada = try await server.person("Ada")
        ben = try await server.person("Ben")
        cleo = try await server.person("Cleo")
        for responder in [ben, cleo] { try await server.connect(responder, watchesOver: ada) }
    }

    private func alarms(at endpoint: PushEndpointID) async throws -> Int {
        let ben = ben.id
        return try await server.engine.read {
            try $0.count(
                """
                SELECT COUNT(*) FROM deliveries
                WHERE purpose IN ('alertBegin', 'alertRepeat') AND device_id = $1 AND user_id = $2
                """, [.id(endpoint), .id(ben)])
        }
    }

    /// The browser's former address refuses the alarm, and the browser gets another one.
    @Test(arguments: [false, true])
    func renewedBrowserIsAlarmed(isSameID: Bool) async throws {
        try await server.network.serverLife.wake()
        let id: PushEndpointID = server.environment.id()
        func subscribe(_ id: PushEndpointID, _ number: Int) async throws {
            let url = try #require(URL(string: "https://push.example.org/\(number)"))
            _ = try await server.network.pushSubscriptions.savePushSubscription(
                id, BrowserSubscription(url: url, p256dh: Data([4]), auth: Data([0])),
                of: ben.caller)
        }
        try await subscribe(id, 1)
        _ = try await server.raiseAlert(ada)
        let now = server.clock.now
        let isFailed = try await server.engine.write(about: Subjects([ben.id])) { transaction in
            let taken = try transaction.leaseDeliveries(
                channels: [.webPush], lease: .seconds(60), limit: 100)
            for delivery in taken {
                try transaction.settleDelivery(
                    delivery.record, DeliveryUpdate(.failed, reason: .http(410), at: now))
            }
            return taken.contains { $0.purpose == .alertBegin }
        }
        #expect(isFailed)
        server.clock.pass(.seconds(3))
        let next = isSameID ? id : server.environment.id()
        try await subscribe(next, 2)
        #expect(try await alarms(at: next) == (isSameID ? 2 : 1))
        #expect(try await server.send(.webPush).contains("Ben"))
        // Another page of the browser registers it again.
        try await subscribe(next, 2)
        #expect(try await alarms(at: next) == (isSameID ? 2 : 1))
    }

    @Test func webhookOfAnUnreachedResponderIsAlarmed() async throws {
        _ = try await server.raiseAlert(ada)
        let first = try await server.addWebhook(to: ben)
        #expect(try await alarms(at: first) == 1)
        // The first webhook's alarm still waits.
        let second = try await server.addWebhook(to: ben)
        #expect(try await alarms(at: second) == 0)
        #expect(try await server.send(.webhook).contains("Ben"))
        let third = try await server.addWebhook(to: ben)
        #expect(try await alarms(at: third) == 0)
    }

    @Test func appIsAlarmed() async throws {
        let server = try TestServer(options: { $0.pushKinds = [.apns] })
        let (ada, ben) = (try await server.person("Ada"), try await server.person("Ben"))
        try await server.connect(ben, watchesOver: ada)
        _ = try await server.raiseAlert(ada)
        let token = try AppToken(
            apns: String(repeating: "ab", count: 32), environment: .production)
        _ = try await server.network.appEndpoints.saveAppEndpoint(
            server.environment.id(), token, of: ben.caller)
        #expect(try await server.send(.apns) == ["Ben"])
    }

    @Test(arguments: ["opened", "refused", "taken on", "ended"])
    func answeredAndEndedAlertsAreNoAlarm(state: String) async throws {
        let alert = try await server.raiseAlert(ada)
        let id = try alert.typedID
        server.clock.pass(.seconds(1))
        switch state {
        case "opened": try await server.network.climbing.markAlertOpened(id, by: ben.caller)
        case "refused":
            _ = try await server.network.responding.declineAlert(id, by: ben.caller)
        case "taken on": _ = try await server.acknowledge(alert, cleo)
        default: _ = try await server.endAlert(alert, ada)
        }
        let webhook = try await server.addWebhook(to: ben)
        #expect(try await alarms(at: webhook) == 0)
    }

    @Test func waitingTextNeedsNoAlarm() async throws {
        let server = try TestServer(options: { $0.isSMSAvailable = true })
        let (ada, ben) = (try await server.person("Ada"), try await server.person("Ben"))
        try await server.connect(ben, watchesOver: ada)
        _ = try await server.raiseAlert(ada)
        _ = try await server.addWebhook(to: ben)
        #expect(try await server.send(.webhook) == [])
        #expect(try await server.send(.sms) == ["Ben"])
    }
}
