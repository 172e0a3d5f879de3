import Domain
import Foundation
import HTTPClient
import TCPListener
import Testing

@testable import Delivery

@Suite struct GatewayTests {
    private func message(_ text: String = "Ada \"needs\" help & so on\n{secret}") throws
        -> TextMessage
    {
        TextMessage(
            recipient: try PhoneNumber("+4915100000001"), text: text, validity: .minutes(1))
    }

    private func provider(_ file: String) throws -> GatewayProvider {
        GatewayProvider(
            try SMSGateway(file: Data(file.utf8)), sender: "LifeSignal", secret: "hush/1",
            client: HTTPClient(allowsPrivateAddresses: true))
    }

    @Test func urlValuesArePercentEncoded() throws {
        let file = #"{"method": "get", "url": "https://g.example/s?to={to}&t={text}&f={from}"}"#
        let request = try #require(try provider(file).request(for: try message()))
        #expect(request.method == "GET" && request.body.isEmpty)
        #expect(
            request.url.absoluteString == """
                https://g.example/s?to=%2B4915100000001&t=Ada%20%22needs%22%20help%20%26%20so%20on\
                %0A%7Bsecret%7D&f=LifeSignal
                """)
    }

    @Test func formValuesArePercentEncoded() throws {
        let file = #"""
            {"url": "https://g.example/s", "form": {"to": "{to}", "body": "{text}"},
             "headers": {"Authorization": "Bearer {secret}"}}
            """#
        let request = try #require(try provider(file).request(for: try message("a&b=c+d")))
        #expect(
            String(decoding: request.body, as: UTF8.self)
                == "body=a%26b%3Dc%2Bd&to=%2B4915100000001")
        #expect(request.headers.contains { $0 == ("Authorization", "Bearer hush/1") })
        #expect(
            request.headers.contains { $0 == ("Content-Type", "application/x-www-form-urlencoded") }
        )
    }

    @Test func jsonValuesAreEscaped() throws {
        let file = #"""
            {"url": "https://g.example/s",
             "json": {"messages": [{"to": "{to}", "text": "L: {text}", "flash": false, "n": 1}]}}
            """#
        let text = "\"},{\"to\":\"+1900\"}\\"
        let request = try #require(try provider(file).request(for: try message(text)))
        let json = try JSONDecoder().decode(JSONTemplate.self, from: request.body)
        #expect(json.value(at: ["messages", "0", "text"]) == "L: \(text)")
        #expect(json.value(at: ["messages", "0", "to"]) == "+4915100000001")
        #expect(json.value(at: ["messages", "1", "to"]) == nil)
    }

    @Test(
        arguments: [
            (200, #"{"messages":[{"id":42}]}"#, DeliveryResult.accepted(providerID: "42")),
            (202, #"{"messages":[{"id":"a-1"}]}"#, .accepted(providerID: "a-1")),
            (200, "garbage", .accepted(providerID: nil)), (201, "{}", .failed(.http(201))),
            (400, "", .refused(.http(400))), (401, "", .failed(.http(401))),
            (402, "", .failed(.http(402))),
            (429, "", .failed(.http(429))), (503, "", .failed(.http(503))),
            (302, "", .failed(.http(302))), (403, "", .failed(.http(403))),
            (404, "", .failed(.http(404))), (408, "", .failed(.http(408))),
            (425, "", .failed(.http(425))), (405, "", .refused(.http(405))),
            (499, "", .refused(.http(499))), (500, "", .failed(.http(500))),
        ] as [(Int, String, DeliveryResult)])
    func gatewayStatusDecidesTheResult(status: Int, body: String, result: DeliveryResult) throws {
        let provider = try provider(
            #"""
            {"url": "https://g.example/{to}/{text}", "success": [200, 202], "id": "messages.0.id"}
            """#)
        #expect(provider.result(status: status, body: Data(body.utf8)) == result)
    }

    /// Some gateways answer 200 to a wrong password.
    @Test(
        arguments: [
            (#"{"id":42}"#, DeliveryResult.accepted(providerID: "42")),
            (#"{"error":"wrong password"}"#, .failed(.http(200))), ("900", .failed(.http(200))),
            (#"{"id":""}"#, .failed(.http(200))),
        ] as [(String, DeliveryResult)])
    func missingIDIsAFailureIfItIsRequired(body: String, result: DeliveryResult) throws {
        let file = #"{"url": "https://g.example/{to}/{text}", "id": "id", "idRequired": true}"#
        #expect(try provider(file).result(status: 200, body: Data(body.utf8)) == result)
    }

    @Test(arguments: [
        (HTTPClientError.timedOut, true), (.interrupted, true), (.notConnected, false),
        (.refused, false), (.unresolved, false),
    ])
    func providerMayHaveAcceptedOnlySentMessages(error: HTTPClientError, isUncertain: Bool) {
        #expect(DeliveryReason(error).isUncertain == isUncertain)
    }

    @Test func gatewayHas20SecondsToAnswer() throws {
        let provider = try provider(#"{"url": "https://g.example/{to}/{text}"}"#)
        #expect(provider.request(for: try message())?.timeout == .seconds(20))
    }

    @Test func gatewayBackOffIsReturned() async throws {
        let listener = try await Listener(
            answer: Listener.http("429 Too Many", headers: ["Retry-After: 7"]))
        let provider = try provider(
            #"{"url": "http://127.0.0.1:\#(listener.port)/s", "json": {"a": "{to}{text}"}}"#)
        let result = await provider.send(try message())
        #expect(result == .failed(.http(429), after: .seconds(7)))
        try await listener.close()
    }

    @Test func refusalIsShownInOneLine() async throws {
        let text = "{\r\n\t\"error\":  \"no \u{202E}such\u{1B}[2J sender\"\n}"
        let listener = try await Listener(answer: Listener.http("400 Bad", body: text))
        let provider = try provider(
            #"{"url": "http://127.0.0.1:\#(listener.port)/s", "json": {"a": "{to}{text}"}}"#)
        let message = try message()
        let outcome = await ProviderAnswer.recorded { await provider.send(message) }
        #expect(outcome.result == .refused(.http(400)))
        #expect(outcome.words == #"{ "error": "no such [2J sender" }"#)
        try await listener.close()
    }

    @Test func longRefusalIsCutAndAcceptanceOmitted() async throws {
        let long = String(repeating: "é", count: 5_000)
        for (status, words) in [("400 Bad", String(repeating: "é", count: 200)), ("200 OK", "")] {
            let listener = try await Listener(answer: Listener.http(status, body: long))
            let provider = try provider(
                #"{"url": "http://127.0.0.1:\#(listener.port)/s", "json": {"a": "{to}{text}"}}"#)
            let message = try message()
            let outcome = await ProviderAnswer.recorded { await provider.send(message) }
            #expect(outcome.words == words)
            try await listener.close()
        }
    }

    @Test(arguments: [
        ("", "JSON object"), ("[]", "JSON object"), ("{}", "\"url\" is missing"),
        (#"{"url": 1}"#, "wrong kind"),
        (#"{"url": "https://g.example/{to}{text}", "x": 1}"#, "\"x\""),
        (#"{"url": "ftp://g.example/{to}{text}"}"#, "\"url\" must"),
        (#"{"url": "https://{to}.example/{text}"}"#, "host"),
        (#"{"url": "https://u:p@g.example/{to}{text}"}"#, "\"url\" must"),
        (#"{"url": "http://g.example/{to}{text}"}"#, "https, or http to an address of your own"),
        (#"{"url": "HTTP://8.8.8.8/{to}{text}"}"#, "https, or http to an address of your own"),
        (#"{"url": "https://g.example/{to}"}"#, "{text} is missing"),
        (#"{"url": "https://g.example/{text}"}"#, "{to} is missing"),
        (#"{"url": "https://g.example/{to}{text}{nme}"}"#, "{nme} is unknown"),
        (#"{"url": "https://g.example/{to}{text}", "method": "DELETE"}"#, "\"method\""),
        (#"{"url": "https://g.example", "method": "GET", "form": {"a": "{to}{text}"}}"#, "GET"),
        (#"{"url": "https://g.example", "json": {}, "form": {"a": "{to}{text}"}}"#, "not both"),
        (#"{"url": "https://g.example/{to}{text}", "success": [500]}"#, "\"success\""),
        (#"{"url": "https://g.example/{to}{text}", "idRequired": true}"#, "needs \"id\""),
        (#"{"url": "https://g.example/{to}{text}", "headers": {"A": "{text}"}}"#, "can't hold"),
        (#"{"url": "https://g.example/{to}{text}", "headers": {"A": "a\nb"}}"#, "can't be sent"),
        (#"{"url": "https://g.example/{to}{text}", "headers": {"A:": "a"}}"#, "can't be sent"),
    ])
    func invalidGatewayFileIsExplained(file: String, words: String) {
        do {
            _ = try SMSGateway(file: Data(file.utf8))
            Issue.record("it was taken")
        } catch {
            #expect("\(error)".contains(words), "\(error)")
        }
    }

    @Test(arguments: [
        "HTTPS://8.8.8.8", "http://localhost:8000", "http://10.0.0.7", "http://[fd00::1]",
        "http://gateway.lan",
    ])
    func gatewayInTheOwnNetworkNeedsNoTLS(address: String) throws {
        let gateway = try SMSGateway(file: Data(#"{"url": "\#(address)/{to}{text}"}"#.utf8))
        #expect(gateway.host != nil)
    }

    @Test func gatewayTellsWhetherItUsesTheSecret() throws {
        let plain = try SMSGateway(file: Data(#"{"url": "https://g.example/{to}{text}"}"#.utf8))
        #expect(!plain.usesSecret && !plain.usesSender)
        let file = #"{"url": "https://g.example/{to}{text}{from}", "headers": {"K": "{secret}"}}"#
        let other = try SMSGateway(file: Data(file.utf8))
        #expect(other.usesSecret && other.usesSender)
    }
}
