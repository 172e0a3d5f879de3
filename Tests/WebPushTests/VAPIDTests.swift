import Cryptography
import Foundation
import Synchronization
import Testing

@testable import WebPush

@Suite struct VAPIDTests {
    private let key: VAPIDKey

    init() throws {
        let form = try #require(Base64URL.decode(Sender.privateKey))
        key = try #require(VAPIDKey(storedForm: form))
    }

    private struct Claims: Decodable {
        var aud: String
        var exp: Int
        var sub: String
    }

    private func claims(_ authorization: String) throws -> Claims {
        let parts = try #require(authorization.firstMatch(of: #/^vapid t=(.+), k=(.+)$/#)?.output)
        #expect(parts.2 == key.publicKey)
        let token = parts.1.split(separator: ".").map { Base64URL.decode(String($0)) }
        #expect(token.count == 3 && token.last??.count == 64)
        #expect(token[0] == Data(#"{"typ":"JWT","alg":"ES256"}"#.utf8))
        return try JSONDecoder().decode(Claims.self, from: token[1] ?? Data())
    }

    @Test func aKeyIsStoredAndReadBack() throws {
        let new = try #require(VAPIDKey(random: .system))
        #expect(new.storedForm.count == 32 && new.publicKey.utf8.count == 87)
        #expect(VAPIDKey(storedForm: new.storedForm)?.publicKey == new.publicKey)
        #expect(try #require(VAPIDKey(random: .system)).publicKey != new.publicKey)
        // The key of the example in RFC 8291, appendix A.
        #expect(
            key.publicKey
                == "BP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLoc"
                + "InmYWAmS6TlzAC8wEqKK6PBru3jl7A8")
        #expect(VAPIDKey(storedForm: Data(count: 32)) == nil)
        #expect(VAPIDKey(storedForm: new.storedForm.dropLast()) == nil)
        #expect(VAPIDKey(random: RandomBytes { Data(count: $0) }) == nil)
    }

    @Test func aTokenIsForOneOriginAndHalfADay() throws {
        let signer = VAPIDSigner(key: key, contact: try contact(), now: { start })
        let authorization = signer.authorization(for: "https://push.example.net:8443")
        let claims = try claims(#require(authorization))
        #expect(claims.aud == "https://push.example.net:8443")
        #expect(claims.exp == Int(start.timeIntervalSince1970) + 12 * 3_600)
        #expect(claims.sub == "mailto:push@example.com")
    }

    @Test func aTokenIsUsedForSixHours() throws {
        let time = Mutex(start)
        let signer = VAPIDSigner(
            key: key, contact: try contact(), now: { time.withLock(\.self) })
        func token(after seconds: TimeInterval) throws -> String {
            time.withLock { $0 = start.addingTimeInterval(seconds) }
            return try #require(signer.authorization(for: "https://a.example"))
        }
        let first = try token(after: 0)
        #expect(try token(after: 6 * 3_600 - 1) == first)
        let second = try token(after: 6 * 3_600)
        #expect(second != first)
        #expect(try claims(second).exp == Int(start.timeIntervalSince1970) + 18 * 3_600)
        // The clock was set back. The second token would now be valid for more than 12 hours.
        let third = try token(after: 6 * 3_600 - 1)
        #expect(third != second && third != first)
        #expect(try token(after: 6 * 3_600 - 1) == third)
    }

    @Test func originsHaveTokensOfTheirOwnAndTheOldestIsForgotten() throws {
        let time = Mutex(start)
        let signer = VAPIDSigner(
            key: key, contact: try contact(),
            now: {
                time.withLock {
                    $0 += 1
                    return $0
                }
            })
        func token(_ number: Int) throws -> String {
            try #require(signer.authorization(for: "https://\(number).example"))
        }
        let first = try token(0)
        let second = try token(1)
        #expect(first != second)
        for number in 2..<VAPIDSigner.cacheLimit { _ = try token(number) }
        #expect(signer.cachedTokens == VAPIDSigner.cacheLimit)
        #expect(try token(0) == first)
        _ = try token(VAPIDSigner.cacheLimit)
        #expect(signer.cachedTokens == VAPIDSigner.cacheLimit)
        #expect(try token(1) == second)
        #expect(try token(0) != first)
    }

    @Test func noTimeIsTooFar() throws {
        for date in [Date.distantPast, .distantFuture, Date(timeIntervalSince1970: .infinity)] {
            let signer = VAPIDSigner(key: key, contact: try contact(), now: { date })
            let authorization = signer.authorization(for: "https://push.example.net")
            #expect((authorization == nil) == date.timeIntervalSince1970.isInfinite)
        }
    }

    @Test(arguments: [
        "mailto:push@example.com", "mailto:a+b.c@mail.example.co.uk", "https://example.com",
        "https://example.com/contact?a=b", "https://status.example.com:8443/",
    ])
    func aContactIsAnAddress(text: String) { #expect(VAPIDContact(text)?.text == text) }

    @Test(arguments: [
        "", "push@example.com", "mailto:", "mailto:push", "mailto:@example.com",
        "mailto:push@localhost", "mailto:a@b@example.com", "mailto: push@example.com",
        "mailto:<push@example.com>", "mailto:push@example.", "mailto:\"a\"@example.com",
        "http://example.com", "https://", "https://localhost", "https://user@example.com",
        "https://example.com/ä", "https://example.com/a b", "tel:+15550100",
    ])
    func anythingElseIsNoContact(text: String) { #expect(VAPIDContact(text) == nil) }

    @Test func aContactHasAtMost254Characters() {
        let domain = "@example.com"
        let name = String(repeating: "a", count: 254 - "mailto:".count - domain.count)
        #expect(VAPIDContact("mailto:\(name)\(domain)") != nil)
        #expect(VAPIDContact("mailto:\(name)a\(domain)") == nil)
    }
}
