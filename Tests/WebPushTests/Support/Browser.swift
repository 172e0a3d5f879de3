import Cryptography
import Foundation
import Testing
import WebPush

/// The browser that receives the message in the example of RFC 8291, appendix A.
enum Browser {
    static let publicKey =
        "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4"
    static let auth = "BTBZMqHH6r4Tts7J_aSIgg"

    static func subscription(
        endpoint: String = "https://push.example.net/push/JzLQ3raZJfFBR0aqvOMsLrt54w4rJUsV"
    ) throws -> PushSubscription {
        try PushSubscription(endpoint: endpoint, p256dh: publicKey, auth: auth)
    }
}

/// The random bytes of the sender in RFC 8291, appendix A. Returns its key pair if 32 bytes are
/// requested, and its salt otherwise.
enum Sender {
    static let privateKey = "yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw"
    static let salt = "DGv6ra1nlYgDCS1FRnbzlw"

    static let random = RandomBytes { count in
        Base64URL.decode(count == 32 ? privateKey : salt) ?? Data()
    }
}

/// Returns a valid contact.
func contact() throws -> VAPIDContact { try #require(VAPIDContact("mailto:push@example.com")) }

/// The start time of the tests.
let start = Date(timeIntervalSince1970: 1_800_000_000)
