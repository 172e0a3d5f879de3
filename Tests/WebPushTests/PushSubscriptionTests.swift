import Cryptography
import Foundation
import SeededGenerator
import Testing
import WebPush

@Suite struct PushSubscriptionTests {
    private func error(
        endpoint: String = "https://push.example.net/a", p256dh: String = Browser.publicKey,
        auth: String = Browser.auth
    ) -> PushSubscriptionError? {
        do {
            _ = try PushSubscription(endpoint: endpoint, p256dh: p256dh, auth: auth)
            return nil
        } catch {
            return error
        }
    }

    @Test func keysAreReadWithAndWithoutPadding() throws {
        let plain = try Browser.subscription()
        let padded = try PushSubscription(
            endpoint: plain.endpoint.absoluteString, p256dh: Browser.publicKey + "=",
            auth: Browser.auth + "==")
        #expect(plain == padded)
        #expect(plain.publicKey.bytes == Base64URL.decode(Browser.publicKey))
        #expect(plain.auth.count == 16)
    }

    @Test(arguments: [
        ("https://push.example.net/a?b=c", "https://push.example.net"),
        ("HTTPS://Push.Example.NET/a", "https://push.example.net"),
        ("https://push.example.net:443/a", "https://push.example.net"),
        ("https://push.example.net:/a", "https://push.example.net"),
        ("https://push.example.net:8443/a", "https://push.example.net:8443"),
        ("https://127.0.0.1:1/a", "https://127.0.0.1:1"),
        ("https://[::1]:65535/a", "https://[::1]:65535"),
        ("https://push.example.net", "https://push.example.net"),
    ])
    func theOriginIsWrittenAsOnTheWeb(endpoint: String, origin: String) throws {
        #expect(try Browser.subscription(endpoint: endpoint).origin == origin)
    }

    @Test(arguments: [
        "http://push.example.net/a", "ftp://push.example.net/a", "push.example.net/a", "https://",
        "https:///a", "https:a", "//push.example.net/a", "javascript:alert(1)",
        "https://user@push.example.net/a", "https://user:pass@push.example.net/a",
        "https://push.example.net/a#b", "https://push.example.net/a b",
        "https://push.example.net\\a",
        "https://push.example.net/a\r\nX: y", "https://push.example.net/ä", "https://:443/a",
        "https://push.example.net:0/a", "https://push.example.net:65536/a",
        "https://push.example.net:99999999999999999999/a", "https://push.example.net:-1/a",
        "https://push.example.net:x/a",
    ])
    func anEndpointIsAnHTTPSURL(endpoint: String) {
        #expect(error(endpoint: endpoint) == .endpoint)
    }

    @Test func aStandInMayHavePlainHTTP() throws {
        let subscription = try PushSubscription(
            endpoint: "http://127.0.0.1:80/a", p256dh: Browser.publicKey, auth: Browser.auth,
            allowsPlainHTTP: true)
        #expect(subscription.origin == "http://127.0.0.1")
        #expect(throws: PushSubscriptionError.endpoint) {
            try PushSubscription(
                endpoint: "ws://127.0.0.1/a", p256dh: Browser.publicKey, auth: Browser.auth,
                allowsPlainHTTP: true)
        }
    }

    @Test func anEndpointHasAtMost2000Characters() {
        let base = "https://push.example.net/"
        let longest = base + String(repeating: "a", count: 2_000 - base.utf8.count)
        #expect(error(endpoint: longest) == nil)
        #expect(error(endpoint: longest + "a") == .endpointLength)
        #expect(error(endpoint: "") == .endpointLength)
    }

    @Test func thePublicKeyIsAPointOnTheCurve() throws {
        let point = try #require(Base64URL.decode(Browser.publicKey))
        func error(_ bytes: Data) -> PushSubscriptionError? {
            self.error(p256dh: Base64URL.encode(bytes))
        }
        #expect(error(point) == nil)
        #expect(error(point.dropLast()) == .p256dhLength)
        #expect(error(point + [0]) == .p256dhLength)
        #expect(error(Data([2]) + point[1...32]) == .p256dhLength)
        #expect(error(Data([6]) + point.dropFirst()) == .p256dhLength)
        #expect(error(point.dropLast() + [point[64] ^ 1]) == .p256dhPoint)
        #expect(self.error(p256dh: "") == .p256dhLength)
        #expect(self.error(p256dh: Browser.publicKey + "==") == .p256dhEncoding)
        #expect(self.error(p256dh: Browser.publicKey.replacing("_", with: "/")) == .p256dhEncoding)
        #expect(self.error(p256dh: String(repeating: "A", count: 1_000_000)) == .p256dhLength)
    }

    @Test func theAuthSecretHas16Bytes() {
        for count in [0, 15, 17, 32, 1_000_000] {
            #expect(error(auth: Base64URL.encode(Data(count: count))) == .authLength)
        }
        #expect(error(auth: Base64URL.encode(Data(count: 16))) == nil)
        #expect(error(auth: Browser.auth + "=") == .authEncoding)
        #expect(error(auth: "BTBZMqHH6r4Tts7J aSIgg") == .authEncoding)
    }

    @Test func errorsNameTheFieldAndShowNoPartOfIt() {
        for error in PushSubscriptionError.allCases {
            let name = error.field.split(separator: ".").last ?? ""
            #expect(error.description.contains(name), "\(error)")
            #expect(error.description.hasSuffix("."), "\(error)")
        }
    }

    @Test func errorNamesTheMutatedField() {
        var generator = SeededGenerator(seed: 7)
        var refused = 0
        for _ in 0..<2_000 {
            func text(_ valid: String) -> String {
                var bytes = Array(valid.utf8)
                for _ in 0..<Int.random(in: 1...3, using: &generator) {
                    let index = Int.random(in: bytes.indices, using: &generator)
                    switch Int.random(in: 0...2, using: &generator) {
                    case 0: bytes[index] = .random(in: 0...255, using: &generator)
                    case 1: bytes.insert(.random(in: 0...255, using: &generator), at: index)
                    default: bytes.removeSubrange(index...)
                    }
                    if bytes.isEmpty { bytes = [0x3D] }
                }
                return String(decoding: bytes, as: UTF8.self)
            }
            let errors = [
                "endpoint": error(endpoint: text("https://push.example.net:443/a?b#c")),
                "keys.p256dh": error(p256dh: text(Browser.publicKey)),
                "keys.auth": error(auth: text(Browser.auth)),
            ]
            for case (let field, let error?) in errors {
                #expect(error.field == field)
                refused += 1
            }
        }
        #expect(refused > 2_000)
    }
}
