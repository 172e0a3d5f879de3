import Domain
import Foundation
import Persistence
import TestDatabase
import Testing

@testable import SafetyNetwork

/// Ada's reminder goes to her webhook. If that refuses it and is removed, an SMS follows.
@Suite struct ReminderTextTests {
    private let server: TestServer
    private let ada: Person
    private let webhook: PushEndpointID

    init() async throws {
        server = try TestServer(options: { $0.isSMSAvailable = true })
        ada = try await server.armed("Ada")
        webhook = try await server.addWebhook(to: ada)
    }

    /// The webhook refuses what is due, and is removed.
    private func loseWebhook() async throws {
        let url = try #require(URL(string: "https://ada.example"))
        let notice = EndpointNotice(
            news: .givenUp, userID: ada.id, url: url, reason: .http(410))
        let now = server.clock.now
        try await server.engine.write(about: Subjects([ada.id])) {
            [ada, server, webhook] transaction in
            let due = try transaction.leaseDeliveries(
                channels: [.webhook], lease: .seconds(60), limit: 100)
            for delivery in due where delivery.record.pushEndpointID == webhook {
                try transaction.settleDelivery(
                    delivery.record, DeliveryUpdate(.failed, reason: .http(410), at: now))
            }
            try transaction.forgetPushEndpoint(webhook, of: ada.id)
            try server.network.endpoints.notifyOwner(notice, in: transaction)
        }
    }

    @Test func refusedReminderIsTexted() async throws {
        try await server.pass(.hours(22))
        #expect(try await server.takeSMS() == [])
        try await loseWebhook()
        #expect(try await server.takeSMS() == ["Check in soon"])
    }

    @Test func checkInCancelsTheText() async throws {
        try await server.pass(.hours(22))
        try await loseWebhook()
        try await server.checkIn(ada)
        #expect(try await server.takeSMS() == [])
    }

    @Test(arguments: ["taken", "read", "other webhook", "checked in", "stopped", "last call"])
    func reminderIsNotTexted(state: String) async throws {
        if state == "other webhook" { _ = try await server.addWebhook(to: ada) }
        try await server.pass(.hours(22))
        switch state {
        case "taken": _ = try await server.send(.webhook)
        case "read": _ = try await server.news(of: ada)
        case "checked in": try await server.checkIn(ada)
        case "stopped": try await server.network.textAnswers.stopTexts(to: ada.number)
        case "last call":
            try await server.pass(.hours(1) + .minutes(30))
            try await server.pass(.minutes(20))
        default: break
        }
        _ = try await server.takeSMS()
        server.clock.pass(.seconds(1))
        try await loseWebhook()
        #expect(try await server.takeSMS() == [])
    }
}
