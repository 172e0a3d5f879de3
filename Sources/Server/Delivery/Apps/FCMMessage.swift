import Cryptography
import Domain
import Foundation
import Persistence

/// A message in the format of Firebase Cloud Messaging (Docs/push-apps.md). It has only data, so
/// that Android passes it to the app in the background. The app shows it and posts the receipt.
struct FCMMessage: Encodable {
    /// In bytes.
    static let dataLimit = 4_000

    struct Message: Encodable {
        var token: String
        var data: [String: String]
        var android: Android
    }

    struct Android: Encodable {
        var priority: String
        /// The time to live in seconds, such as `86400s`.
        var ttl: String
        var collapseKey: String?

        enum CodingKeys: String, CodingKey {
            case priority, ttl
            case collapseKey = "collapse_key"
        }
    }

    var message: Message

    init(_ delivery: LeasedDelivery, to token: AppToken, key: ServerKey, at now: Date) throws {
        var content = PushPayload(delivery, key: key)
        func encoded() throws -> String {
            String(decoding: try WireJSON.encoder().encode(content), as: UTF8.self)
        }
        var text = try encoded()
        while text.utf8.count > Self.dataLimit, content.body.count > 1 {
            content.body = content.body.prefix(content.body.count / 2) + "…"
            text = try encoded()
        }
        let seconds = max(0, delivery.record.usefulUntil.since(now).milliseconds / 1_000)
        message = Message(
            token: token.text, data: ["lifesignal": text],
            android: Android(
                priority: delivery.isUrgentOnPhones ? "HIGH" : "NORMAL", ttl: "\(seconds)s",
                collapseKey: PushPayload.topic(of: delivery, key: key)))
    }
}
