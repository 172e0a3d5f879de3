import Cryptography
import Foundation
import HTTPClient
import TCPListener
import Testing

@testable import WebPush

@Suite struct PushRequestTests {
    private let builder: PushRequestBuilder

    init() throws {
        let key = try #require(VAPIDKey(random: .system))
        builder = PushRequestBuilder(
            signer: VAPIDSigner(key: key, contact: try contact(), now: { start }))
    }

    private func headers(_ message: PushMessage) throws -> [String: String] {
        let request = try builder.request(for: message, to: Browser.subscription())
        return Dictionary(uniqueKeysWithValues: request.headers.map { ($0.name, $0.value) })
    }

    @Test func aRequestHasTheHeadersOfTheStandards() throws {
        let topic = try #require(PushMessage.Topic("alert_-1"))
        let message = PushMessage(
            payload: Data("{}".utf8), timeToLive: .seconds(90), urgency: .high, topic: topic)
        let request = try builder.request(for: message, to: Browser.subscription())
        #expect(request.method == "POST")
        #expect(request.url == (try Browser.subscription().endpoint))
        #expect(request.body.count == 1_127)
        var headers = Dictionary(uniqueKeysWithValues: request.headers.map { ($0.name, $0.value) })
        let authorization = headers.removeValue(forKey: "Authorization")
        #expect(authorization?.hasPrefix("vapid t=ey") == true)
        #expect(
            headers == [
                "Content-Type": "application/octet-stream", "Content-Encoding": "aes128gcm",
                "TTL": "90", "Urgency": "high", "Topic": "alert_-1",
            ])
        #expect(try self.headers(PushMessage(payload: Data(), timeToLive: .zero))["Topic"] == nil)
    }

    @Test(arguments: [
        (Duration.zero, "0"), (.milliseconds(1), "1"), (.milliseconds(1_001), "2"),
        (.seconds(-1), "0"), (.milliseconds(-1), "0"), (.seconds(2_419_200), "2419200"),
        (.milliseconds(2_419_200_001), "2419200"), (.seconds(2_419_201), "2419200"),
        (.seconds(Int64.max), "2419200"), (.seconds(Int64.min), "0"),
        (.seconds(Int64.max) * 10, "2419200"), (.seconds(Int64.min) * 10, "0"),
    ])
    func theTimeToLiveIsInWholeSecondsUpTo28Days(time: Duration, header: String) throws {
        #expect(try headers(PushMessage(payload: Data(), timeToLive: time))["TTL"] == header)
    }

    @Test func urgenciesHaveTheWordsOfTheStandard() {
        #expect(
            PushMessage.Urgency.allCases.map(\.rawValue) == ["very-low", "low", "normal", "high"])
    }

    @Test(arguments: [
        ("a", true), ("AZaz09-_", true), (String(repeating: "a", count: 32), true),
        (String(repeating: "a", count: 33), false), ("", false), ("a=", false), ("a+", false),
        ("a b", false), ("a\r\n", false), ("ä", false),
    ])
    func aTopicHas1To32CharactersOfBase64URL(text: String, isValid: Bool) {
        #expect((PushMessage.Topic(text) != nil) == isValid)
    }

    @Test func aPayloadThatIsTooLargeMakesNoRequest() {
        #expect(throws: PushRequestError.payloadTooLarge) {
            try builder.request(
                for: PushMessage(payload: Data(count: 3_994), timeToLive: .zero),
                to: Browser.subscription())
        }
    }

    @Test func ofAnAnswerLittleIsRead() throws {
        let message = PushMessage(
            payload: Data("hello".utf8), timeToLive: .seconds(60), urgency: .high)
        #expect(
            try builder.request(for: message, to: Browser.subscription()).responseLimit
                == 64 * 1024)
    }

    @Test func theHTTPClientSendsARequestAsItIs() async throws {
        let listener = try await Listener(
            answer: Listener.http("429 Too Many Requests", headers: ["Retry-After: 7"]))
        let subscription = try PushSubscription(
            endpoint: listener.url("127.0.0.1", "/push?a=b").absoluteString,
            p256dh: Browser.publicKey, auth: Browser.auth, allowsPlainHTTP: true)
        let response = try await HTTPClient(allowsPrivateAddresses: true).send(
            builder.request(
                for: PushMessage(payload: Data(), timeToLive: .zero), to: subscription))
        #expect(
            PushAnswer(status: response.status, headers: response.headers, now: start)
                == .later(after: .seconds(7)))
        let lines = try #require(listener.requests.first).components(separatedBy: "\r\n")
        #expect(lines.first == "POST /push?a=b HTTP/1.1")
        for line in [
            "TTL: 0", "Urgency: normal", "Content-Encoding: aes128gcm", "Content-Length: 1127",
        ] {
            #expect(lines.contains(line), "\(line)")
        }
        // If the request had no type, libcurl would add one of its own.
        #expect(
            lines.filter { $0.lowercased().hasPrefix("content-type:") }
                == ["Content-Type: application/octet-stream"])
        try await listener.close()
    }
}
