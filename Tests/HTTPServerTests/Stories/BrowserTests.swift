import API
import Cryptography
import Domain
import Foundation
import Persistence
import Testing

@testable import HTTPServer

@Suite struct BrowserTests {
    private let server: TestServer
    private let ada, ben: Person
    private let url = "https://push.example.org/1"

    init() async throws {
        server = try TestServer()
        try await server.network.serverLife.wake()
        ada = try await server.person("Ada", number: "+4915100000001")
        ben = try await server.person("Ben", number: "+4915100000002")
    }

    private func register(
        _ number: UInt8, url: String? = nil, by person: Person
    ) async throws -> PushEndpointResponse {
        let keys = PushKeys(p256dh: Browser.p256dh, auth: Browser.auth + "==")
        let request = PushEndpointRequest(kind: .webPush, url: url ?? self.url, keys: keys)
        return try await server.call(
            Routes.savePushEndpoint, request, id: "\(id(number) as PushEndpointID)", by: person)
    }

    private func list(_ person: Person) async throws -> [PushEndpoint] {
        try await server.call(Routes.pushEndpoints, by: person).items
    }

    @Test func browserRegistersWithItsKeys() async throws {
        let answer = try await register(9, by: ada)
        #expect(answer.kind == .webPush && answer.signingSecret == nil)
        let listed = try #require(try await list(ada).first)
        #expect(listed.kind == .webPush && listed.url.absoluteString == url)
        #expect(try await list(ben) == [])
    }

    @Test func invalidSubscriptionNamesTheField() async throws {
        func answer(_ url: String, _ keys: String) async throws -> String {
            try await server.send(
                "PUT", "/v1/devices/\(id(9) as PushEndpointID)",
                .json(#"{"kind":"webPush","url":"\#(url)"\#(keys)}"#), token: ada.token
            ).text
        }
        func keys(_ p256dh: String, _ auth: String) -> String {
            #","keys":{"p256dh":"\#(p256dh)","auth":"\#(auth)"}"#
        }
        let good = keys(Browser.p256dh, Browser.auth)
        #expect(try await answer(url, "").contains(#""field":"keys""#))
        #expect(try await answer("http://push.example.org", good).contains(#""field":"url""#))
        let noPoint = "BA" + String(repeating: "A", count: 85)
        #expect(
            try await answer(url, keys(noPoint, Browser.auth)).contains(#""keys.p256dh""#))
        #expect(try await list(ada) == [])
    }

    @Test func pushKeyIsTheSameForAllAndPermanent() async throws {
        let key = try await server.call(Routes.pushKey, by: ada).publicKey
        #expect(Base64URL.decode(key)?.count == 65)
        #expect(try await server.call(Routes.pushKey, by: ben).publicKey == key)
        try await server.network.serverLife.wake()
        #expect(try await server.call(Routes.pushKey, by: ada).publicKey == key)
    }

    @Test func browserMovesToItsLatestUser() async throws {
        _ = try await register(9, by: ada)
        _ = try await register(8, by: ben)
        #expect(try await list(ada) == [])
        #expect(try await list(ben).map(\.id) == [id(8)])
        let news = try await server.call(Routes.notifications, by: ada).items
        #expect(news.map(\.title) == ["A browser gets no more messages"])
        #expect(news.first?.body.hasPrefix("Another account gets its messages") == true)
        _ = try await register(7, by: ben)
        #expect(try await list(ben).map(\.id) == [id(7)])
        #expect(try await server.call(Routes.notifications, by: ben).items == [])
    }

    /// A stranger who learned the address doesn't know the keys.
    @Test(arguments: [true, false])
    func otherKeysDontTakeTheBrowser(isAuthTheSame: Bool) async throws {
        _ = try await register(9, by: ada)
        let keys =
            isAuthTheSame
            ? PushKeys(p256dh: Browser.serverPoint, auth: Browser.auth)
            : PushKeys(p256dh: Browser.p256dh, auth: "AAAAAAAAAAAAAAAAAAAAAA")
        let request = PushEndpointRequest(kind: .webPush, url: url, keys: keys)
        let path = "/v1/devices/\(id(8) as PushEndpointID)"
        func status(_ person: Person) async throws -> Int {
            try await server.send("PUT", path, try .json(request), token: person.token).status
        }
        #expect(try await status(ben) == 409)
        #expect(try await list(ada).map(\.id) == [id(9)])
        #expect(try await list(ben) == [])
        #expect(try await server.call(Routes.notifications, by: ada).items == [])
        // The user's own session may replace the keys, and an address without a user is free.
        #expect(try await status(ada) == 200)
        #expect(try await list(ada).map(\.id) == [id(8)])
        try await server.call(
            Routes.deletePushEndpoint, id: "\(id(8) as PushEndpointID)", by: ada)
        #expect(try await status(ben) == 200)
    }

    @Test func newSubscriptionReplacesTheOldURL() async throws {
        _ = try await register(9, by: ada)
        _ = try await register(9, url: "https://push.example.org/2", by: ada)
        #expect(try await list(ada).map(\.url.absoluteString) == ["https://push.example.org/2"])
        _ = try await register(8, by: ben)
        #expect(try await list(ada).count == 1)
    }

    @Test func endpointIDHasOneKind() async throws {
        _ = try await register(9, by: ada)
        let hook = try #require(URL(string: "https://example.org/hook"))
        _ = try await server.network.endpoints.savePushEndpoint(
            id(9), kind: .webhook, url: hook, of: ada.caller)
        #expect(try await list(ada).map(\.kind) == [.webhook])
        _ = try await register(9, by: ada)
        #expect(try await list(ada).map(\.kind) == [.webPush])
        try await server.call(
            Routes.deletePushEndpoint, id: "\(id(9) as PushEndpointID)", by: ada)
        #expect(try await list(ada) == [])
    }

    @Test func endpointIsRemovedWithItsSession() async throws {
        _ = try await register(9, by: ada)
        try await server.call(Routes.signOut, by: ada)
        let again = try await server.signIn("+4915100000001")
        #expect(try await list(again) == [])
        _ = try await register(8, by: ben)
        #expect(try await list(ben).count == 1)
    }

    @Test func userHasAtMostTwentyEndpoints() async throws {
        for number in 1...UInt8(PushEndpoint.limit) {
            _ = try await register(number, url: "\(url)/\(number)", by: ada)
        }
        let keys = PushKeys(p256dh: Browser.p256dh, auth: Browser.auth)
        let answer = try await server.send(
            "PUT", "/v1/devices/\(id(99) as PushEndpointID)",
            try .json(PushEndpointRequest(kind: .webPush, url: url, keys: keys)), token: ada.token)
        #expect(answer.status == 422)
    }

    // MARK: Receipts

    /// Raises an alert of Ada's. Returns the alert and the receipt token of its message to Ben's
    /// browser.
    private func alertOnItsWay() async throws -> (alert: AlertID, token: String) {
        try await server.connect(responder: ben, dependent: ada)
        _ = try await register(9, by: ben)
        let alert: AlertID = id(1)
        _ = try await server.network.alerts.raiseAlert(alert, by: ada.caller)
        let delivery: DeliveryID? = try await server.database.read {
            try $0.value("SELECT id FROM deliveries WHERE channel = 'webPush' LIMIT 1", [])
        }
        let token = ReceiptToken(
            person: ben.id.uuid, delivery: try #require(delivery).uuid,
            expiresAt: server.clock.now().adding(.minutes(10)))
        return (alert, token.text(key: try TestServer.key()))
    }

    private func line(_ alert: AlertID) async throws -> AlertRecord.LedgerEntry {
        let record = try await server.call(Routes.alert, id: "\(alert)", by: ada)
        return try #require(record.ledger.first { $0.channel == .webPush })
    }

    @Test func receiptIsRecordedOnce() async throws {
        let (alert, token) = try await alertOnItsWay()
        #expect(try await line(alert).state == .queued)
        let time = server.clock.now()
        for _ in 1...2 {
            try await server.call(Routes.receipt, ReceiptRequest(token: token), by: nil)
            server.clock.advance(by: .seconds(5))
        }
        let line = try await line(alert)
        #expect(line.state == .received && line.receivedTime == time && line.reason == nil)
    }

    @Test func acknowledgementOutranksAReceipt() async throws {
        let (alert, token) = try await alertOnItsWay()
        _ = try await server.network.responding.acknowledgeAlert(alert, by: ben.caller)
        try await server.call(Routes.receipt, ReceiptRequest(token: token), by: nil)
        #expect(try await line(alert).state == .acknowledged)
    }

    @Test func wrongOrExpiredReceiptIsRejected() async throws {
        let (alert, token) = try await alertOnItsWay()
        let other = String(token.dropLast(2)) + (token.hasSuffix("AA") ? "BB" : "AA")
        for wrong in [other, "", "abc"] {
            let answer = try await server.send(
                "POST", "/v1/receipts", .json(#"{"token":"\#(wrong)"}"#))
            #expect(answer.status == 422)
        }
        server.clock.advance(by: .minutes(10))
        let late = try await server.send(
            "POST", "/v1/receipts", try .json(ReceiptRequest(token: token)))
        #expect(late.status == 422)
        #expect(try await line(alert).state == .queued)
    }
}
