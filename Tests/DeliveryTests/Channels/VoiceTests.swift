import Cryptography
import Domain
import Foundation
import HTTPClient
import Persistence
import TCPListener
import Testing

@testable import Delivery

@Suite struct VoiceTests {
    private let callback = URL(string: "https://lifesignal.example/v1/calls/twilio")

    private func channel(_ base: URL) throws -> VoiceChannel {
        VoiceChannel(
            TwilioAPI(
                TwilioAccount(sid: "AC1", authToken: "hush", baseURL: base),
                client: HTTPClient(allowsPrivateAddresses: true)),
            caller: "+15005550006", callback: try #require(callback), key: try serverKey(),
            now: { noon })
    }

    @Test func callRequestsItsWordsFromThisServer() async throws {
        let listener = try await Listener(
            answer: Listener.http("201 Created", body: #"{"sid":"CA1"}"#))
        let channel = try channel(try listener.url("127.0.0.1", ""))
        let result = await channel.send(try delivery(.voice, device: nil, url: nil))
        #expect(result == .accepted(providerID: "CA1"))
        let request = try #require(listener.requests.first.flatMap(ReceivedRequest.init))
        #expect(request.line == "POST /2010-04-01/Accounts/AC1/Calls.json HTTP/1.1")
        let items = try #require(URLComponents(string: "?\(request.body)")?.queryItems)
        func value(_ name: String) -> String? { items.first { $0.name == name }?.value }
        #expect(value("To") == "+4915100000001" && value("From") == "+15005550006")
        for (name, step) in [("Url", CallStep.say), ("StatusCallback", .report)] {
            let url = try #require(value(name))
            #expect(url.hasPrefix("https://lifesignal.example/v1/calls/twilio?"))
            let (found, token) = try #require(CallStep.read(url))
            #expect(found == step)
            let call = try #require(CallToken(token, key: try serverKey()))
            #expect(call.delivery == (id(5) as DeliveryID).uuid && call.attempt == 1)
            #expect(call.expiresAt == noon.adding(.hours(1)))
        }
        #expect(value("Method") == "POST" && value("StatusCallbackMethod") == "POST")
        // Seconds of ringing, and of the whole call.
        #expect(value("Timeout") == "30" && value("TimeLimit") == "180")
        // The request contains the person's number, but no name.
        #expect(!request.body.contains("Ben"))
        try await listener.close()
    }

    /// Twilio may have accepted a call whose answer is late or lost.
    @Test func callIsRepeatedLaterAfterALostAnswer() {
        func next(_ result: DeliveryResult) -> DeliveryResult {
            VoiceChannel.afterLostAnswer(result)
        }
        for reason in [
            DeliveryReason.timeout, DeliveryReason(.interrupted), .http(500), .http(502),
            .http(504),
        ] {
            #expect(next(.failed(reason)) == .failed(reason, after: Ladder.callPatience))
            let longer = DeliveryResult.failed(reason, after: .minutes(1))
            #expect(next(longer) == longer)
        }
        for other in [
            DeliveryResult.failed(DeliveryReason(.notConnected)), .failed(.http(503)),
            .failed(DeliveryReason(.connectionRefused)), .refused(.twilio(21_211)),
            .accepted(providerID: "CA1"),
        ] {
            #expect(next(other) == other)
        }
    }

    @Test func testCallSaysItsWordsByItself() async throws {
        let listener = try await Listener(
            answer: Listener.http("201 Created", body: #"{"sid":"CA2"}"#))
        let channel = try channel(try listener.url("127.0.0.1", ""))
        let result = await channel.call(
            try PhoneNumber("+4915100000001"), saying: "This is <a test>.")
        #expect(result == .accepted(providerID: "CA2"))
        let request = try #require(listener.requests.first.flatMap(ReceivedRequest.init))
        let items = try #require(URLComponents(string: "?\(request.body)")?.queryItems)
        func value(_ name: String) -> String? { items.first { $0.name == name }?.value }
        #expect(value("To") == "+4915100000001" && value("Url") == nil)
        #expect(value("Twiml")?.contains("This is &lt;a test&gt;.") == true)
        try await listener.close()
    }

    @Test(arguments: [
        ("completed", DeliveryReason.noKeyPressed), ("busy", .lineBusy),
        ("no-answer", .noAnswer), ("canceled", .noAnswer), ("failed", .callFailed),
    ])
    func callWithoutAKeyPressHasFailed(status: String, reason: DeliveryReason) {
        #expect(
            CallScript.reasonOfNoAnswer(["CallStatus": status]) == reason)
    }

    @Test func callInProgressIsNotReported() {
        for status in ["queued", "ringing", "in-progress", "unheard-of"] {
            #expect(CallScript.reasonOfNoAnswer(["CallStatus": status]) == nil)
        }
        #expect(CallScript.reasonOfNoAnswer([:]) == nil)
    }

    @Test func callSpeaksTwiceAndEscapesNames() throws {
        let name = "</Say><Dial>+1900</Dial>&\u{7}"
        let text = CallText(.needsHelp(name: name, .missedCheckIn, since: .zero))
        let script = CallScript.say(text, callback: try #require(callback), token: "t&t")
        #expect(script.matches(of: /has not checked in/).count == 2)
        #expect(!script.contains("<Dial>") && !script.contains("\u{7}"))
        #expect(script.matches(of: #/<Gather /#).count == 1 && script.contains("numDigits=\"1\""))
        #expect(!script.contains("t&t"))
        let parser = XMLCheck(script)
        #expect(parser.isWellFormed)
    }

    @Test func textWithoutAChoiceIsSaidOnce() throws {
        let script = CallScript.say(
            CallText(.isTaken(name: "Ben")), callback: try #require(callback), token: "t")
        #expect(script.matches(of: /taken on the alert of Ben/).count == 1)
        #expect(!script.contains("<Gather") && script.contains("<Hangup/>"))
        #expect(XMLCheck(script).isWellFormed)
    }
}

/// Checks that the tags of an XML text are closed in the right order.
private struct XMLCheck {
    let isWellFormed: Bool

    init(_ text: String) {
        var open: [String] = []
        var isGood = true
        for match in text.matches(of: /<(\/?)([A-Za-z]+)([^>]*?)(\/?)>/) {
            let name = String(match.2)
            if !match.1.isEmpty {
                isGood = isGood && open.popLast() == name
            } else if match.4.isEmpty {
                open.append(name)
            }
        }
        isWellFormed = isGood && open.isEmpty
    }
}
