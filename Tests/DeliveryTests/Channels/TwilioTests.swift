import Cryptography
import Domain
import Foundation
import HTTPClient
import Persistence
import TCPListener
import Testing

@testable import Delivery

@Suite struct TwilioTests {
    private func provider(
        sender: String = "+15005550006", callback: String? = nil, base: URL? = nil
    ) throws -> TwilioProvider {
        let server = try #require(base ?? URL(string: "https://api.twilio.com"))
        return TwilioProvider(
            TwilioAPI(
                TwilioAccount(sid: "AC123", authToken: "hush", baseURL: server),
                client: HTTPClient(allowsPrivateAddresses: true)),
            sender: sender, statusCallback: callback.flatMap { URL(string: $0) })
    }

    private func message(
        _ validity: Duration = .minutes(30), text: String = "Ada needs help. Ça & là +1"
    ) throws -> TextMessage {
        TextMessage(recipient: try PhoneNumber("+4915100000001"), text: text, validity: validity)
    }

    private func value(_ name: String, _ fields: [(String, String)]) -> String? {
        fields.first { $0.0 == name }?.1
    }

    @Test(arguments: [
        (Duration.zero, "60"), (.seconds(59), "60"), (.minutes(1), "60"), (.seconds(119), "60"),
        (.minutes(2), "120"), (.minutes(30), "1800"),
        (.minutes(599), "35940"), (.minutes(600), "36000"), (.minutes(601), "36000"),
        (.days(7), "36000"), (.seconds(-5), "60"),
    ])
    func validityIsInSecondsWithinTheAPIsRange(validity: Duration, seconds: String) throws {
        #expect(
            value("ValidityPeriod", try provider().fields(for: try message(validity))) == seconds)
    }

    @Test func senderIsANumberOrAMessagingService() throws {
        let number = try provider().fields(for: try message())
        #expect(
            value("From", number) == "+15005550006" && value("MessagingServiceSid", number) == nil)
        let service = try provider(sender: "MG123").fields(for: try message())
        #expect(value("MessagingServiceSid", service) == "MG123" && value("From", service) == nil)
    }

    @Test func callbackIsRequestedOnlyWithAPublicURL() throws {
        #expect(value("StatusCallback", try provider().fields(for: try message())) == nil)
        let asked = try provider(callback: "https://lifesignal.example/v1/sms/twilio").fields(
            for: try message())
        #expect(value("StatusCallback", asked) == "https://lifesignal.example/v1/sms/twilio")
    }

    @Test func callbackURLContainsTheTry() throws {
        let origin = DeliveryOrigin(user: id(1), delivery: id(5), attempt: 2)
        var message = try message()
        message.origin = .delivery(origin)
        let base = "https://lifesignal.example/v1/sms/twilio"
        let url = try #require(
            value("StatusCallback", try provider(callback: base).fields(for: message)))
        #expect(url == "\(base)?user=\(id(1) as UserID)&delivery=\(id(5) as DeliveryID)&attempt=2")
        #expect(MessageOrigin(url: url) == .delivery(origin))
        for other in [base, base + "?user=x&delivery=y&attempt=1", "::"] {
            #expect(MessageOrigin(url: other) == nil)
        }
    }

    @Test func callbackURLContainsTheInvitation() throws {
        let origin = MessageOrigin.invitation(id(3))
        var message = try message()
        message.origin = origin
        let base = "https://lifesignal.example/v1/sms/twilio"
        let url = try #require(
            value("StatusCallback", try provider(callback: base).fields(for: message)))
        #expect(url == "\(base)?invitation=\(id(3) as InvitationMessageID)")
        #expect(MessageOrigin(url: url) == origin)
        #expect(MessageOrigin(url: base + "?invitation=x") == nil)
    }

    @Test func requestMatchesTheTwilioAPI() async throws {
        let listener = try await Listener(
            answer: Listener.http("201 Created", body: #"{"sid":"SM42","status":"queued"}"#))
        let base = try #require(URL(string: "http://127.0.0.1:\(listener.port)"))
        let provider = try provider(callback: "https://lifesignal.example/cb?x=1", base: base)
        #expect(await provider.send(try message()) == .accepted(providerID: "SM42"))
        let request = try #require(listener.requests.first.flatMap(ReceivedRequest.init))
        #expect(request.line == "POST /2010-04-01/Accounts/AC123/Messages.json HTTP/1.1")
        #expect(request.headers["content-type"] == "application/x-www-form-urlencoded")
        #expect(
            request.headers["authorization"]
                == "Basic \(Data("AC123:hush".utf8).base64EncodedString())")
        let fields = try #require(URLComponents(string: "?\(request.body)")?.queryItems)
        #expect(fields.first { $0.name == "To" }?.value == "+4915100000001")
        #expect(fields.first { $0.name == "Body" }?.value == "Ada needs help. Ça & là +1")
        #expect(
            fields.first { $0.name == "StatusCallback" }?.value
                == "https://lifesignal.example/cb?x=1")
        try await listener.close()
    }

    @Test(
        arguments: [
            (200, #"{"sid":"SM1"}"#, DeliveryResult.accepted(providerID: "SM1")),
            (201, "{}", .accepted(providerID: nil)), (201, "oops", .accepted(providerID: nil)),
            (400, #"{"code":21606}"#, .failed(.twilio(21_606))),
            (400, #"{"code":21408}"#, .failed(.twilio(21_408))),
            (400, #"{"code":21212}"#, .failed(.twilio(21_212))),
            (400, #"{"code":21603}"#, .failed(.twilio(21_603))),
            (400, #"{"code":21659}"#, .failed(.twilio(21_659))),
            (400, #"{"code":21660}"#, .failed(.twilio(21_660))),
            (400, #"{"code":21608}"#, .failed(.twilio(21_608))),
            (400, #"{"code":21703}"#, .failed(.twilio(21_703))),
            (400, #"{"code":21704}"#, .failed(.twilio(21_704))),
            (400, #"{"code":21210}"#, .failed(.twilio(21_210))),
            (400, #"{"code":21215}"#, .failed(.twilio(21_215))),
            (400, #"{"code":21219}"#, .failed(.twilio(21_219))),
            (400, #"{"code":21610}"#, .refused(.twilio(21_610))),
            (299, "", .accepted(providerID: nil)), (300, "", .failed(.http(300))),
            (405, "", .refused(.http(405))), (499, "", .refused(.http(499))),
            (400, #"{"code":21211}"#, .refused(.twilio(21_211))), (400, "", .refused(.http(400))),
            (401, "", .failed(.http(401))), (401, #"{"code":20003}"#, .failed(.twilio(20_003))),
            (402, "", .failed(.http(402))), (403, "{}", .failed(.http(403))),
            (404, "", .failed(.http(404))),
            (408, "", .failed(.http(408))), (429, #"{"code":20429}"#, .failed(.twilio(20_429))),
            (500, "", .failed(.http(500))), (503, "", .failed(.http(503))),
            (500, #"{"code":20500}"#, .failed(.http(500))),
            (503, #"{"code":20503}"#, .failed(.twilio(20_503))),
            (302, "", .failed(.http(302))),
        ] as [(Int, String, DeliveryResult)])
    func twilioStatusDecidesTheResult(status: Int, body: String, result: DeliveryResult) {
        #expect(TwilioAPI.result(status: status, body: Data(body.utf8)) == result)
    }

    @Test func twilioHas20SecondsToAnswer() throws {
        let api = TwilioAPI(
            TwilioAccount(
                sid: "AC123", authToken: "hush",
                baseURL: try #require(URL(string: "https://api.twilio.com"))),
            client: HTTPClient(allowsPrivateAddresses: true))
        for resource in [TwilioAPI.Resource.messages, .calls] {
            #expect(api.request([], to: resource).timeout == .seconds(20))
        }
    }

    @Test func unreachableTwilioIsRetried() async throws {
        let listener = try await Listener(answer: nil)
        let base = try #require(URL(string: "http://127.0.0.1:\(listener.port)"))
        try await listener.close()
        guard case .failed = await (try provider(base: base)).send(try message()) else {
            throw Unexpected()
        }
    }

    @Test func alertTextIsOneSentenceWithTheServersValidity() async throws {
        let listener = try await Listener(
            answer: Listener.http("201 Created", body: #"{"sid":"SM1"}"#))
        let base = try #require(URL(string: "http://127.0.0.1:\(listener.port)"))
        let channel = SMSChannel(provider: try provider(base: base), validity: .minutes(30))
        #expect(
            await channel.send(try delivery(.sms, device: nil, url: nil))
                == .accepted(providerID: "SM1"))
        let request = try #require(listener.requests.first.flatMap(ReceivedRequest.init))
        let fields = try #require(URLComponents(string: "?\(request.body)")?.queryItems)
        #expect(
            fields.first { $0.name == "Body" }?.value
                == "LifeSignal: Ben needs help. Ben raised an alert at 12:00 UTC.")
        #expect(fields.first { $0.name == "ValidityPeriod" }?.value == "1800")
        try await listener.close()
    }

    @Test func codeTextExpiresWithTheCode() throws {
        let message = TextMessage.signInCode("000042", for: try PhoneNumber("+4915100000001"))
        #expect(message.validity == .minutes(5))
        #expect(message.text.hasPrefix("000042 is your LifeSignal code."))
        #expect(message.text.utf8.count <= 160)
    }
}

@Suite struct TwilioCallbackTests {
    private let url = "https://mycompany.com/myapp.php?foo=1&bar=2"
    private let fields = [
        (name: "To", value: "+18005551212"), (name: "CallSid", value: "CA1234567890ABCDE"),
        (name: "From", value: "+14158675309"),
        (name: "Digits", value: "1234"), (name: "Caller", value: "+14158675309"),
    ]

    @Test func signatureMatchesTwiliosExample() {
        #expect(
            TwilioCallback.isSigned(
                "RSOYDt4T1cUTdK1PDd93/VVr8B8=", url: url, fields: fields, authToken: "12345"))
        #expect(
            TwilioCallback.isSigned(
                "RSOYDt4T1cUTdK1PDd93/VVr8B8=", url: url, fields: fields.reversed(),
                authToken: "12345"))
    }

    /// Twilio signs some URLs with their port and others without.
    @Test(arguments: [
        "https://a.example/x?y=1", "https://a.example:443/x?y=1", "https://a.example:8443/x",
        "http://a.example/x", "https://[::1]:8443/x", "https://[::1]/x",
    ])
    func signatureIsValidWithAndWithoutThePort(url: String) throws {
        let bare = url.replacing(#/(\]|[a-z]):\d+/#) { "\($0.output.1)" }
        let port = url.firstMatch(of: #/(?:\]|[a-z]):(\d+)/#).map { ":\($0.output.1)" }
        let standard = port ?? (url.hasPrefix("https") ? ":443" : ":80")
        let host = try #require(URL(string: bare)?.host(percentEncoded: false))
        let name = host.contains(":") ? "[\(host)]" : host
        let full = bare.replacing(name, with: name + standard)
        for signed in [bare, full] {
            let text =
                signed + fields.sorted { $0.name < $1.name }.map { $0.name + $0.value }.joined()
            let mac = Digest.hmacSHA1(Data(text.utf8), key: Data("12345".utf8))
            #expect(
                TwilioCallback.isSigned(
                    mac.base64EncodedString(), url: url, fields: fields, authToken: "12345"),
                "\(signed)")
        }
    }

    @Test func changedRequestsHaveAnInvalidSignature() {
        let right = "RSOYDt4T1cUTdK1PDd93/VVr8B8="
        #expect(!TwilioCallback.isSigned(right, url: url + "3", fields: fields, authToken: "12345"))
        #expect(!TwilioCallback.isSigned(right, url: url, fields: fields, authToken: "12346"))
        #expect(
            !TwilioCallback.isSigned(
                right, url: url, fields: Array(fields.dropLast()), authToken: "12345"))
        for wrong in ["", "RSOYDt4T1cUTdK1PDd93/VVr8B8", "rSOYDt4T1cUTdK1PDd93/VVr8B8=", "????"] {
            #expect(
                !TwilioCallback.isSigned(wrong, url: url, fields: fields, authToken: "12345"),
                "\(wrong)")
        }
    }

    @Test(
        arguments: [
            ("delivered", DeliveryState.seen), ("read", .seen), ("sent", .accepted),
            ("undelivered", .failed), ("failed", .failed), ("canceled", .failed),
            ("queued", nil), ("accepted", nil), ("sending", nil), ("scheduled", nil), ("", nil),
            ("DELIVERED", nil),
        ] as [(String, DeliveryState?)])
    func callbackStatusMapsToADeliveryState(status: String, state: DeliveryState?) {
        #expect(TwilioCallback.state(forStatus: status) == state)
    }

    @Test func failureReportHasAReason() {
        let fields = ["MessageSid": "SM1", "MessageStatus": "undelivered", "ErrorCode": "30003"]
        let report = ProviderReport(state: .failed, reason: .twilio(30_003), providerID: "SM1")
        #expect(TwilioCallback.report(fields) == report)
        #expect(TwilioCallback.report(["MessageStatus": "failed"])?.reason == .other)
        #expect(TwilioCallback.report(["MessageStatus": "queued"]) == nil)
    }
}
