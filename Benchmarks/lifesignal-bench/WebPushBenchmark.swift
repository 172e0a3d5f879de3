import Cryptography
import Foundation
import WebPush

enum WebPushBenchmark {
    static func run(into table: inout Table) throws {
        guard let browser = P256.PrivateKey(random: .system), let key = VAPIDKey(random: .system),
            let contact = VAPIDContact("mailto:push@example.com")
        else { throw BenchError("there is no key") }
        let subscription = try PushSubscription(
            endpoint: "https://push.example.net/a",
            p256dh: Base64URL.encode(browser.publicKey.bytes),
            auth: Base64URL.encode(RandomBytes.system(16)))
        let payload = Data(repeating: 7, count: 500)
        let encrypt = try time {
            _ = try PushEncryption.encrypt(payload, for: subscription, random: .system)
        }
        let derive = try time {
            guard browser.sharedSecret(with: browser.publicKey) != nil else {
                throw BenchError("there is no common secret")
            }
        }
        let sign = try time {
            let signer = VAPIDSigner(key: key, contact: contact, now: { Date() })
            guard signer.authorization(for: subscription.origin) != nil else {
                throw BenchError("there is no signature")
            }
        }
        table.add(
            "Web Push: encrypt a message of 500 bytes (median of 2,000)", milliseconds(encrypt),
            goal: "≤ 0.30 ms", isMet: encrypt <= 0.0003)
        table.add("Web Push: one ECDH on P-256, part of it", milliseconds(derive))
        table.add("Web Push: sign a token, once in 6 hours and service", milliseconds(sign))
    }

    private static func time(_ work: () throws -> Void) rethrows -> Double {
        var times: [Double] = []
        for _ in 0..<2_000 {
            let start = ContinuousClock.now
            try work()
            times.append((ContinuousClock.now - start) / .seconds(1))
        }
        return times.median
    }
}
