import Cryptography
import Domain
import Foundation
import HTTPClient
import PEMKeys
import Persistence
import TCPListener
import Testing

@testable import Delivery

func appToken(_ environment: APNsEnvironment = .production) throws -> AppToken {
    try AppToken(apns: String(repeating: "a1", count: 32), environment: environment)
}

func sender(_ clock: TestClock = TestClock(), limit: Int = 100) throws -> AppPushSender {
    AppPushSender(
        client: HTTPClient(allowsPrivateAddresses: true), key: try serverKey(),
        health: ProviderHealth(now: { clock.now() }), limit: limit, now: { clock.now() })
}

@Suite struct APNsSignerTests {
    private let clock = TestClock()
    private let signer: APNsSigner

    init() throws {
        let key = try APNsKey(pem: TestKeys.ec, keyID: "ABCDE12345", teamID: "TEAM012345")
        signer = APNsSigner(key, now: { [clock] in clock.now() })
    }

    private func claims(_ token: String) throws -> [String: String] {
        let parts = token.split(separator: ".").map(String.init)
        #expect(parts.count == 3 && Base64URL.decode(parts[2])?.count == 64)
        return try parts.prefix(2).reduce(into: [:]) { claims, part in
            let bytes = try #require(Base64URL.decode(part))
            let object = try JSONSerialization.jsonObject(with: bytes) as? [String: Any]
            for (name, value) in object ?? [:] { claims[name] = "\(value)" }
        }
    }

    @Test func tokenHasKeyTeamAndTime() throws {
        #expect(
            try claims(try #require(signer.token())) == [
                "alg": "ES256", "kid": "ABCDE12345", "iss": "TEAM012345",
                "iat": "\(noon.milliseconds / 1_000)",
            ])
    }

    @Test func tokenIsUsedForFortyMinutes() throws {
        let first = signer.token()
        clock.advance(by: APNsSigner.useTime - .milliseconds(1))
        #expect(signer.token() == first)
        clock.advance(by: .milliseconds(1))
        let second = signer.token()
        #expect(second != first)
        // The token's age is negative after the clock was set back, so the signer makes a new
        // token.
        clock.advance(by: .zero - .minutes(1))
        #expect(signer.token() != second)
    }

    @Test func expiredTokenIsRenewedOnceForAllMessages() throws {
        let first = try #require(signer.token())
        clock.advance(by: .seconds(1))
        let second = try #require(signer.token(after: first))
        #expect(second != first)
        #expect(signer.token(after: first) == second)
        // Apple would also reject another token, so the signer makes none for a while.
        #expect(signer.token(after: second) == nil)
        clock.advance(by: APNsSigner.pauseBetweenRenewals - .milliseconds(1))
        #expect(signer.token(after: second) == nil)
        clock.advance(by: .milliseconds(1))
        #expect(signer.token(after: second) != nil)
        // A clock that was set back doesn't prolong the pause.
        clock.advance(by: .zero - .hours(1))
        let last = try #require(signer.token())
        #expect(signer.token(after: last) != nil)
    }

    @Test func invalidKeyFileNamesTheProblem() {
        let (key, id, team) = (TestKeys.ec, "ABCDE12345", "TEAM012345")
        #expect(throws: AppPushSetupError.noAPNsKey) {
            try APNsKey(pem: TestKeys.rsa, keyID: id, teamID: team)
        }
        #expect(throws: AppPushSetupError.keyID) {
            try APNsKey(pem: key, keyID: "short", teamID: team)
        }
        #expect(throws: AppPushSetupError.teamID) {
            try APNsKey(pem: key, keyID: id, teamID: "TEAM-12345")
        }
    }
}

@Suite struct APNsAnswerTests {
    private func result(
        _ status: Int, _ body: String, registered: Date? = noon
    ) -> DeliveryResult {
        APNsAnswer(status: status, body: Data(body.utf8))
            .result(status: status, pause: .seconds(7), registeredAt: registered)
    }

    @Test(
        arguments: [
            (200, "", DeliveryResult.accepted(providerID: nil)),
            (400, "BadDeviceToken", .refused(.http(400))),
            (400, "DeviceTokenNotForTopic", .refused(.http(400))),
            (400, "TopicDisallowed", .failed(.credentials(400), after: .seconds(7))),
            (400, "BadCertificate", .failed(.credentials(400), after: .seconds(7))),
            (400, "BadTopic", .failed(.credentials(400), after: .seconds(7))),
            (400, "InvalidPushType", .failed(.credentials(400), after: .seconds(7))),
            (400, "MissingTopic", .failed(.credentials(400), after: .seconds(7))),
            (401, "", .failed(.credentials(401), after: .seconds(7))),
            (405, "MethodNotAllowed", .failed(.credentials(405), after: .seconds(7))),
            (408, "", .failed(.http(408), after: .seconds(7))),
            (425, "", .failed(.http(425), after: .seconds(7))), (499, "", .refused(.http(499))),
            (403, "InvalidProviderToken", .failed(.credentials(403), after: .seconds(7))),
            (403, "ExpiredProviderToken", .failed(.credentials(403), after: .seconds(7))),
            (404, "BadPath", .failed(.credentials(404), after: .seconds(7))),
            (413, "PayloadTooLarge", .refused(.http(413))),
            (429, "TooManyRequests", .failed(.http(429), after: .seconds(7))),
            (429, "TooManyProviderTokenUpdates", .failed(.http(429), after: .seconds(7))),
            (500, "InternalServerError", .failed(.http(500), after: .seconds(7))),
            (503, "Shutdown", .failed(.http(503), after: .seconds(7))),
        ] as [(Int, String, DeliveryResult)])
    func apnsReasonDecidesTheResult(status: Int, reason: String, expected: DeliveryResult) {
        #expect(result(status, #"{"reason":"\#(reason)"}"#) == expected)
    }

    @Test func endedTokenIsKeptIfRegisteredSince() {
        let body = #"{"reason":"Unregistered","timestamp":\#(noon.milliseconds)}"#
        #expect(result(410, body) == .ended(.http(410), at: noon))
        #expect(
            result(410, body, registered: noon.adding(.milliseconds(1)))
                == .failed(.http(410), after: .seconds(7)))
        let (tooLate, tooEarly) = (#"{"timestamp":32503680000001}"#, #"{"timestamp":-1}"#)
        for text in ["", "garbage", #"{"timestamp":9223372036854775807}"#, tooLate, tooEarly] {
            #expect(result(410, text) == .ended(.http(410)))
        }
    }
}

@Suite struct APNsChannelTests {
    private let clock = TestClock()

    private func channel(_ base: URL, allowsCritical: Bool = false) throws -> APNsChannel {
        let key = try APNsKey(pem: TestKeys.ec, keyID: "ABCDE12345", teamID: "TEAM012345")
        return APNsChannel(
            .init(
                key: key, topic: "org.example.app", productionURL: base, sandboxURL: base,
                allowsCritical: allowsCritical), sender: try sender(clock))
    }

    private func delivery(
        purpose: DeliveryPurpose = .alertBegin, title: String = "Ben needs help"
    ) throws -> LeasedDelivery {
        var delivery = try DeliveryTests.delivery(
            .apns, url: try appToken().url.absoluteString, title: title)
        delivery.purpose = purpose
        delivery.alertOwner = id(2)
        return delivery
    }

    @Test func apnsMessageHasHeadersButtonAndReceipt() async throws {
        let listener = try await Listener(answer: Listener.http("200 OK"))
        let channel = try channel(try listener.url("127.0.0.1", ""))
        #expect(await channel.send(try delivery()) == .accepted(providerID: nil))
        let request = try #require(listener.requests.first.flatMap(ReceivedRequest.init))
        #expect(request.line == "POST /3/device/\(try appToken().text) HTTP/1.1")
        #expect(request.headers["apns-topic"] == "org.example.app")
        #expect(request.headers["apns-push-type"] == "alert")
        #expect(request.headers["apns-priority"] == "10")
        #expect(
            request.headers["apns-expiration"]
                == "\(noon.adding(.hours(24)).milliseconds / 1_000)")
        #expect(request.headers["apns-collapse-id"]?.utf8.count == 22)
        #expect(request.headers["authorization"]?.hasPrefix("bearer ") == true)
        let body = try #require(
            try JSONSerialization.jsonObject(with: Data(request.body.utf8)) as? [String: Any])
        let aps = try #require(body["aps"] as? [String: Any])
        #expect(aps["interruption-level"] as? String == "time-sensitive")
        #expect(aps["mutable-content"] as? Int == 1)
        #expect(aps["category"] as? String == "acknowledgeAlert")
        #expect(aps["sound"] as? String == "default")
        let alert = try #require(aps["alert"] as? [String: String])
        #expect(alert["title"] == "Ben needs help")
        let data = try #require(body["lifesignal"] as? [String: Any])
        #expect((data["receipt"] as? String)?.utf8.count == ReceiptToken.textLength)
        try await listener.close()
    }

    @Test func onlyAlarmsOfEntitledAppsAreCritical() throws {
        func text(_ purpose: DeliveryPurpose, _ allowsCritical: Bool) throws -> String {
            let message = try APNsMessage(
                delivery(purpose: purpose), key: serverKey(), topic: "a",
                allowsCritical: allowsCritical)
            return String(decoding: message.payload, as: UTF8.self)
        }
        let mark = #""interruption-level":"critical""#
        #expect(try text(.alertBegin, true).contains(mark))
        #expect(try text(.alertRepeat, true).contains(#""critical":1"#))
        #expect(try !text(.alertBegin, false).contains(mark))
        #expect(try !text(.alertEnd, true).contains(mark))
    }

    /// A Focus hides `active` messages, and the app removes its own reminder for the server's.
    @Test(arguments: DeliveryPurpose.allCases)
    func questionsToThePersonAreTimeSensitive(purpose: DeliveryPurpose) throws {
        var sent = try delivery(purpose: purpose)
        sent.record.notification.type = .system
        sent.alertOwner = nil
        let message = try APNsMessage(
            sent, key: serverKey(), topic: "a", allowsCritical: false)
        let text = String(decoding: message.payload, as: UTF8.self)
        let level =
            [.reminder, .lastCall, .journey, .ping].contains(purpose)
            ? "time-sensitive" : "active"
        #expect(text.contains(#""interruption-level":"\#(level)""#))
    }

    /// For an offline device, Apple stores only the newest message of each app. A stored refresh
    /// would replace an alarm.
    @Test func refreshIsSilentAndNeverStored() async throws {
        let listener = try await Listener(answer: Listener.http("200 OK"))
        let channel = try channel(try listener.url("127.0.0.1", ""))
        #expect(await channel.refresh(try appToken()) == .accepted(providerID: nil))
        let request = try #require(listener.requests.first.flatMap(ReceivedRequest.init))
        #expect(request.line == "POST /3/device/\(try appToken().text) HTTP/1.1")
        #expect(request.headers["apns-topic"] == "org.example.app")
        #expect(request.headers["apns-push-type"] == "background")
        #expect(request.headers["apns-priority"] == "5")
        #expect(request.headers["apns-expiration"] == "0")
        #expect(request.headers["apns-collapse-id"] == nil)
        #expect(request.body == #"{"aps":{"content-available":1}}"#)
        let android = try AppToken(fcm: "token:of-an_android.device")
        #expect(await channel.refresh(android) == .refused(.endpointRemoved))
        #expect(listener.requests.count == 1)
        try await listener.close()
    }

    @Test func longTextIsTruncatedToTheLimit() throws {
        var sent = try delivery(title: String(repeating: "ä", count: 300))
        sent.record.notification.body = String(repeating: "wörter ", count: 900)
        let message = try APNsMessage(
            sent, key: serverKey(), topic: "a", allowsCritical: false)
        #expect(message.payload.count <= APNsMessage.payloadLimit)
        #expect(message.payload.count > 1_000)
    }

    @Test func expiredTokenIsRetriedWithOneNewToken() async throws {
        let listener = try await Listener(
            answer: Listener.http("403 Forbidden", body: #"{"reason":"ExpiredProviderToken"}"#))
        let channel = try channel(try listener.url("127.0.0.1", ""))
        #expect(await channel.send(try delivery()) == .failed(.credentials(403)))
        let tokens = listener.requests.compactMap(ReceivedRequest.init).map {
            $0.headers["authorization"]
        }
        #expect(tokens.count == 2 && tokens[0] != tokens[1])
        #expect(await channel.send(try delivery()) == .failed(.credentials(403)))
        #expect(listener.requests.count == 3)
        try await listener.close()
    }

    @Test func apnsChannelRejectsAnAndroidToken() async throws {
        let listener = try await Listener(answer: Listener.http("200 OK"))
        var sent = try delivery()
        sent.url = try AppToken(fcm: "token:of-an_android.device").url
        let channel = try channel(try listener.url("127.0.0.1", ""))
        #expect(await channel.send(sent) == .refused(.endpointRemoved))
        #expect(listener.connections == 0)
        try await listener.close()
    }

    @Test func credentialsAndMissingResponsesWarnTheOperator() async throws {
        let health = ProviderHealth(name: "apps", now: { [clock] in clock.now() })
        let sender = AppPushSender(
            client: HTTPClient(allowsPrivateAddresses: true), key: try serverKey(),
            health: health, limit: 10, now: { [clock] in clock.now() })
        func note(_ result: DeliveryResult) async {
            _ = await sender.send(to: "apple", for: id(1)) { result }
            clock.advance(by: .minutes(1))
            _ = await sender.send(to: "apple", for: id(1)) { result }
        }
        await note(.refused(.http(400)))
        await note(.failed(.http(503)))
        #expect(health.warning == nil)
        await note(.failed(.credentials(403)))
        #expect(health.warning?.contains("credentials-403") == true)
        await note(.accepted(providerID: nil))
        #expect(health.warning == nil)
        let kinds: [DeliveryReason.Kind] = [
            .timeout, .notConnected, .unresolved, .offline, .connectionRefused, .insecure,
            .interrupted,
        ]
        for kind in kinds {
            await note(.failed(DeliveryReason(kind)))
            #expect(health.warning?.contains(kind.rawValue) == true)
            await note(.accepted(providerID: nil))
        }
        for reason in [DeliveryReason.serviceFailing, .other, .http(429)] {
            await note(.failed(reason))
        }
        #expect(health.warning == nil)
    }
    /// A 5xx status to one person, or to a refresh without a person, may be about one endpoint.
    @Test(
        arguments: [
            ([id(1), id(2), id(3)], true), ([id(1), id(2), id(1)], false),
            ([nil, nil, nil], false),
        ] as [([UserID?], Bool)])
    func serverErrorsToThreePeopleWarnTheOperator(
        people: [UserID?], isInTrouble: Bool
    ) async throws {
        let health = ProviderHealth(name: "apps", now: { [clock] in clock.now() })
        let sender = AppPushSender(
            client: HTTPClient(allowsPrivateAddresses: true), key: try serverKey(),
            health: health, limit: 10, now: { [clock] in clock.now() })
        func note(_ result: DeliveryResult) async {
            for _ in 1...2 {
                for person in people {
                    _ = await sender.send(to: "apple", for: person) { result }
                }
                clock.advance(by: .minutes(1))
            }
        }
        await note(.failed(.http(429)))
        #expect(!health.isFailing)
        await note(.failed(.http(503)))
        #expect(health.isFailing == isInTrouble)
        _ = await sender.send(to: "apple", for: id(9)) { .accepted(providerID: nil) }
        #expect(!health.isFailing && health.warning == nil)
    }
}
