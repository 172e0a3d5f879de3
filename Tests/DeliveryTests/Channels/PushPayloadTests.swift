import Cryptography
import Domain
import Foundation
import HTTPClient
import Persistence
import TCPListener
import Testing
import WebPush

@testable import Delivery

@Suite struct PushPayloadTests {
    private func payload(
        _ purpose: DeliveryPurpose, owner: UserID? = nil
    ) throws -> PushPayload {
        var delivery = try DeliveryTests.delivery(.webPush)
        delivery.purpose = purpose
        delivery.alertOwner = owner
        return PushPayload(delivery, key: try serverKey())
    }

    @Test func buttonsDependOnPurposeAndRecipient() throws {
        let answers: [PushAction] = [.acknowledgeAlert, .declineAlert]
        #expect(try payload(.alertBegin, owner: id(2)).actions == answers)
        #expect(try payload(.alertNews, owner: id(2)).actions == answers)
        #expect(try payload(.alertEnd, owner: id(2)).actions == [])
        #expect(try payload(.alertNews, owner: id(1)).actions == [])
        #expect(try payload(.reminder).actions == [.checkIn])
        #expect(try payload(.ping).actions == [.respondToPing])
        #expect(try payload(.drill).actions == [.confirmDrill])
        #expect(try payload(.test).actions == [])
        #expect(try payload(.other).actions == [])
    }

    @Test func receiptContainsTheDelivery() throws {
        let key = try serverKey()
        let token = try #require(ReceiptToken(try payload(.other).receipt, key: key))
        #expect(token.person == (id(1) as UserID).uuid)
        #expect(token.delivery == (id(5) as DeliveryID).uuid)
        #expect(token.expiresAt == noon.adding(.hours(24 + 24)))
    }

    @Test func topicIsPerAlertAndPerson() throws {
        let key = try serverKey()
        var delivery = try DeliveryTests.delivery(.webPush)
        func topic() throws -> String? {
            try PushPayload.message(for: delivery, key: key, at: noon).topic?.text
        }
        let first = try #require(try topic())
        delivery.record.notification.title = "Ben ended the alert"
        delivery.record.id = id(6)
        #expect(try topic() == first)
        delivery.record.userID = id(2)
        #expect(try topic() != first)
        delivery.record.userID = id(1)
        delivery.record.notification.alertID = id(99)
        #expect(try topic() != first)
        delivery.record.notification.alertID = nil
        #expect(try topic() == nil)
    }
}
