import Cryptography
import Domain
import Foundation
import HTTPClient
import PEMKeys
import Persistence
import TCPListener
import Testing

@testable import Delivery

private func account(_ tokenURL: String, changing: [String: String?] = [:]) throws -> GoogleAccount
{
    var file: [String: String] = [
        "type": "service_account", "project_id": "lifesignal-1", "private_key_id": "key1",
        "private_key": TestKeys.rsa, "client_email": "push@lifesignal-1.example.com",
        "token_uri": tokenURL,
    ]
    for (name, value) in changing { file[name] = value }
    return try GoogleAccount(file: JSONSerialization.data(withJSONObject: file))
}

@Suite struct GoogleAccountTests {
    @Test func invalidCredentialsFileNamesTheField() throws {
        let url = "https://oauth2.googleapis.com/token"
        #expect(throws: AppPushSetupError.noServiceAccount) {
            try GoogleAccount(file: Data("garbage".utf8))
        }
        #expect(throws: AppPushSetupError.noServiceAccount) {
            try account(url, changing: ["type": "authorized_user"])
        }
        for (name, value) in [
            ("project_id", "../x"), ("private_key", TestKeys.ec), ("client_email", "nobody"),
            ("private_key_id", ""), ("token_uri", "file:///etc/passwd"),
        ] {
            #expect(throws: AppPushSetupError.field(name)) {
                try account(url, changing: [name: value])
            }
        }
    }

    @Test func tokenRequestIsSignedForAnHour() throws {
        let request = try #require(
            try account("https://oauth2.googleapis.com/token").tokenRequest(at: noon))
        let form = String(decoding: request.body, as: UTF8.self)
        #expect(form.hasPrefix("grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer&"))
        let parts = form.split(separator: "=").last?.split(separator: ".") ?? []
        let claims = try #require(parts.count == 3 ? Base64URL.decode(String(parts[1])) : nil)
        let text = String(decoding: claims, as: UTF8.self)
        let seconds = noon.milliseconds / 1_000
        #expect(text.contains("\"iat\":\(seconds)") && text.contains("\"exp\":\(seconds + 3_600)"))
        #expect(text.contains(GoogleAccount.scope))
        #expect(text.contains(#""iss":"push@lifesignal-1.example.com""#))
        #expect(text.contains(#""aud":"https://oauth2.googleapis.com/token""#))
        let header = try #require(Base64URL.decode(String(parts[0])))
        #expect(
            String(decoding: header, as: UTF8.self) == #"{"alg":"RS256","kid":"key1","typ":"JWT"}"#)
    }

    @Test func tokenRequestNamesItsScope() throws {
        let request = try #require(
            try account("https://oauth2.googleapis.com/token").tokenRequest(
                at: noon, scope: GoogleAccount.firestoreScope))
        let form = String(decoding: request.body, as: UTF8.self)
        let claims = form.split(separator: ".").dropFirst().first.flatMap {
            Base64URL.decode(String($0))
        }
        let text = String(decoding: try #require(claims), as: UTF8.self)
        #expect(text.contains(#""scope":"\#(GoogleAccount.firestoreScope)""#))
    }
}

@Suite struct GoogleTokensTests {
    private let clock = TestClock()

    private func tokens(_ listener: Listener) throws -> GoogleTokens {
        GoogleTokens(
            try account(try listener.url("127.0.0.1", "/token").absoluteString),
            client: HTTPClient(allowsPrivateAddresses: true), now: { [clock] in clock.now() })
    }

    private func listener(_ lifetime: Int = 3_600) async throws -> Listener {
        try await Listener(
            answer: Listener.http(
                "200 OK", body: #"{"access_token":"abc","expires_in":\#(lifetime)}"#))
    }

    @Test func accessTokenIsUsedUntilFiveMinutesBeforeExpiry() async throws {
        let listener = try await listener()
        let tokens = try tokens(listener)
        #expect(try await tokens.token() == "abc")
        clock.advance(by: .hours(1) - GoogleTokens.margin - .milliseconds(1))
        _ = try await tokens.token()
        #expect(listener.requests.count == 1)
        clock.advance(by: .milliseconds(1))
        _ = try await tokens.token()
        #expect(listener.requests.count == 2)
        try await listener.close()
    }

    @Test func concurrentCallersShareOneTokenRequest() async throws {
        let listener = try await listener()
        let tokens = try tokens(listener)
        try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<50 { group.addTask { try await tokens.token() } }
            for try await token in group { #expect(token == "abc") }
        }
        #expect(listener.requests.count == 1)
        try await listener.close()
    }

    @Test func rejectedAccessTokenIsRenewedOncePerMinute() async throws {
        let listener = try await listener()
        let tokens = try tokens(listener)
        let token = try await tokens.token()
        _ = try await tokens.token(after: token)
        #expect(listener.requests.count == 2)
        await #expect(throws: GoogleTokens.Failure(reason: .credentials(401), pause: .zero)) {
            _ = try await tokens.token(after: token)
        }
        #expect(listener.requests.count == 2)
        clock.advance(by: GoogleTokens.pauseBetweenRenewals)
        _ = try await tokens.token(after: token)
        #expect(listener.requests.count == 3)
        try await listener.close()
    }

    @Test(arguments: [
        ("400 Bad Request", #"{"error":"invalid_grant"}"#, DeliveryReason.credentials(400)),
        ("401 Unauthorized", "", .credentials(401)), ("503 Busy", "", .http(503)),
        ("200 OK", "garbage", .http(502)),
        ("200 OK", #"{"access_token":"a b","expires_in":60}"#, .http(502)),
        ("200 OK", #"{"access_token":"ab","expires_in":0}"#, .http(502)),
    ])
    func tokenFailureIsCachedForASecond(
        status: String, body: String, reason: DeliveryReason
    ) async throws {
        let listener = try await Listener(answer: Listener.http(status, body: body))
        let tokens = try tokens(listener)
        for _ in 0..<3 {
            await #expect(throws: GoogleTokens.Failure(reason: reason, pause: .zero)) {
                _ = try await tokens.token()
            }
        }
        #expect(listener.requests.count == 1)
        clock.advance(by: GoogleTokens.pauseAfterFailure)
        _ = try? await tokens.token()
        #expect(listener.requests.count == 2)
        try await listener.close()
    }
}

@Suite struct FCMAnswerTests {
    private static func failure(_ code: String) -> String {
        """
        {"error":{"details":[{"@type":"type.googleapis.com/google.rpc.BadRequest"},\
        {"@type":"type.googleapis.com/google.firebase.fcm.v1.FcmError","errorCode":"\(code)"}]}}
        """
    }

    @Test(
        arguments: [
            (200, #"{"name":"projects/p/messages/1"}"#, DeliveryResult.accepted(providerID: nil)),
            (200, "garbage", .failed(.http(200), after: .seconds(7))),
            (404, failure("UNREGISTERED"), .ended(.http(404))),
            // A 404 without an error code means that the project doesn't exist.
            (404, "{}", .failed(.credentials(404), after: .seconds(7))),
            (400, failure("INVALID_ARGUMENT"), .refused(.http(400))),
            (400, "{}", .refused(.http(400))),
            (403, failure("SENDER_ID_MISMATCH"), .refused(.http(403))),
            (403, "{}", .failed(.credentials(403), after: .seconds(7))),
            (
                401, failure("THIRD_PARTY_AUTH_ERROR"),
                .failed(.credentials(401), after: .seconds(7))
            ),
            (401, "{}", .failed(.credentials(401), after: .seconds(7))),
            (429, failure("QUOTA_EXCEEDED"), .failed(.http(429), after: .seconds(7))),
            (503, failure("UNAVAILABLE"), .failed(.http(503), after: .seconds(7))),
            (500, failure("INTERNAL"), .failed(.http(500), after: .seconds(7))),
            (502, "<html>", .failed(.http(502), after: .seconds(7))),
            (408, "{}", .failed(.http(408), after: .seconds(7))),
            (425, "{}", .failed(.http(425), after: .seconds(7))),
            (429, "{}", .failed(.http(429), after: .seconds(7))),
            (500, "{}", .failed(.http(500), after: .seconds(7))), (499, "{}", .refused(.http(499))),
        ] as [(Int, String, DeliveryResult)])
    func fcmErrorCodeDecidesTheResult(status: Int, body: String, expected: DeliveryResult) {
        let answer = FCMAnswer(status: status, body: Data(body.utf8))
        #expect(answer.result(status: status, pause: .seconds(7)) == expected)
    }

    @Test func fcmMessageHasDataAndExpiry() throws {
        let token = try AppToken(fcm: "token:of-an_android.device")
        var sent = try delivery(.fcm, url: token.url.absoluteString)
        sent.record.notification.body = String(repeating: "wörter ", count: 900)
        let message = try FCMMessage(
            sent, to: token, key: serverKey(), at: noon.adding(.hours(1))
        ).message
        #expect(message.token == token.text && message.android.priority == "HIGH")
        #expect(message.android.ttl == "82800s" && message.android.collapseKey?.count == 22)
        let data = try #require(message.data["lifesignal"])
        #expect(data.utf8.count <= FCMMessage.dataLimit && data.contains("\"receipt\""))
        sent.record.notification.type = .system
        sent.alertOwner = nil
        let normal = try FCMMessage(sent, to: token, key: serverKey(), at: noon).message
        #expect(normal.android.priority == "NORMAL")
    }
}
