import Cryptography
import Domain
import Foundation
import Persistence
import TestDatabase
import Testing

@testable import SafetyNetwork

/// If a provider rejects a message for good, the drill's next step follows at once, as in an alert.
@Suite struct DrillStepTests {
    private let server: TestServer
    private let ada: Person
    private let ben: Person

    init() async throws {
        server = try TestServer(options: {
            $0.isSMSAvailable = true
            $0.isVoiceAvailable = true
        })
        ada = try await server.armed("Ada")
        ben = try await server.person("Ben")
        try await server.connect(ben, watchesOver: ada)
        for name in ["one", "two"] {
            let url = try #require(URL(string: "https://example.org/\(name)"))
            _ = try await server.network.endpoints.savePushEndpoint(
                server.environment.id(), kind: .webhook, url: url, of: ben.caller)
        }
        try await server.send(.sms)
        try await server.send(.webhook)
        _ = try await server.network.drills.startDrill(server.environment.id(), by: ada.caller)
    }

    /// Attempts the due messages of a channel. The provider rejects all of them for good.
    private func refuse(_ channel: DeliveryChannel, atMost count: Int = 1_000) async throws {
        let now = server.clock.now
        try await server.engine.write(about: .none) { [ben] transaction in
            for delivery in try transaction.leaseDeliveries(
                channels: [channel], lease: .seconds(60), limit: count)
            {
                try transaction.settleDelivery(
                    delivery.record, DeliveryUpdate(.failed, at: now))
            }
            try transaction.advanceSteps(of: [ben.id])
        }
    }

    @Test func smsFollowsWhenEveryPushIsRejected() async throws {
        try await refuse(.webhook, atMost: 1)
        #expect(try await server.send(.sms) == [])
        try await refuse(.webhook)
        #expect(try await server.send(.sms) == ["Ben"])
    }

    /// Returns the token of the drill's call to Ben.
    private func callBen() async throws -> String {
        try await refuse(.webhook)
        try await refuse(.sms)
        try await server.pass(.zero)
        #expect(try await server.send(.voice) == ["Ben"])
        let key = try #require(ServerKey(bytes: Data(repeating: 7, count: 32)))
        return CallToken(
            person: ben.id.uuid, delivery: try await server.delivery(.voice, ben).uuid,
            attempt: 1, expiresAt: server.clock.now.adding(.hours(1))
        ).text(key: key)
    }

    /// Ben ends the role while he listens to the call. Words about an alert would alarm him.
    @Test func callToAFormerResponderSaysThatItIsADrill() async throws {
        let token = try await callBen()
        try await server.network.contacts.removeContact(ada.id, by: ben.caller)
        let calls = server.network.calls
        #expect(try await calls.call(token) == .drillNoLongerAsks)
        #expect(try await calls.takeOn(byCall: token) == .drillNoLongerAsks)
        #expect(try await calls.decline(byCall: token) == .drillNoLongerAsks)
    }

    /// Ada raises an alert while Ben listens to the call.
    @Test func callDuringAnAlertIsNoDrill() async throws {
        let token = try await callBen()
        let calls = server.network.calls
        #expect(try await calls.call(token) == .drill(name: "Ada"))
        let alert = try await server.raiseAlert(ada)
        let answer = try await calls.takeOn(byCall: token)
        #expect(answer == .alertAfterDrill(name: "Ada", .manual) && !answer.takesKeyTwo)
        _ = try await server.endAlert(alert, ada)
        #expect(try await calls.call(token) == .drillIsOver)
    }

    @Test func callFollowsWhenTheSMSIsRejectedToo() async throws {
        try await refuse(.webhook)
        #expect(try await server.send(.voice) == [])
        try await refuse(.sms)
        try await server.pass(.zero)
        #expect(try await server.send(.voice) == ["Ben"])
    }

    @Test func deliveredSMSKeepsTheCallsTime() async throws {
        try await refuse(.webhook)
        try await server.send(.sms)
        try await server.pass(.milliseconds(89_999))
        #expect(try await server.send(.voice) == [])
        try await server.pass(.milliseconds(1))
        #expect(try await server.send(.voice) == ["Ben"])
    }
}
