import Cryptography
import Domain
import Foundation
import Persistence

/// A message as Apple's push service takes it (Docs/push-apps.md).
struct APNsMessage {
    /// Bytes.
    static let payloadLimit = 4_096

    private struct Payload: Encodable {
        var aps: APS
        var lifesignal: PushPayload
    }

    private struct APS: Encodable {
        struct Alert: Encodable {
            var title: String
            var body: String
        }

        var alert: Alert
        var sound: Sound
        /// The buttons.
        var category: String?
        /// Messages about one subject lie together.
        var threadID: String?
        var interruptionLevel: String
        /// Lets the app's notification service extension post the receipt.
        var mutableContent = 1

        enum CodingKeys: String, CodingKey {
            case alert, sound, category
            case threadID = "thread-id"
            case interruptionLevel = "interruption-level"
            case mutableContent = "mutable-content"
        }
    }

    private enum Sound: Encodable {
        case standard
        /// Heard by a phone that is silenced.
        case critical

        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            switch self {
            case .standard: try container.encode("default")
            case .critical: try container.encode(Critical())
            }
        }

        private struct Critical: Encodable {
            var critical = 1
            var name = "default"
            var volume = 1
        }
    }

    var payload: Data
    var headers: [(name: String, value: String)]

    /// - Parameters:
    ///   - topic: the app's bundle id.
    ///   - allowsCritical: Apple has entitled the app to critical alerts.
    init(
        _ delivery: LeasedDelivery, key: ServerKey, topic: String, allowsCritical: Bool
    ) throws {
        let collapse = PushPayload.topic(of: delivery, key: key)
        var content = PushPayload(delivery, key: key)
        let isAlarm = [.alertBegin, .alertRepeat].contains(delivery.purpose)
        func encode() throws -> Data {
            let aps = APS(
                alert: .init(title: content.title, body: content.body),
                sound: isAlarm && allowsCritical ? .critical : .standard,
                category: content.actions.first?.rawValue, threadID: collapse,
                interruptionLevel: !delivery.isAboutAlert
                    ? "active" : isAlarm && allowsCritical ? "critical" : "time-sensitive")
            return try WireJSON.encoder().encode(Payload(aps: aps, lifesignal: content))
        }
        payload = try encode()
        while payload.count > Self.payloadLimit, content.body.count > 1 {
            content.body = content.body.prefix(content.body.count / 2) + "…"
            payload = try encode()
        }
        headers = [
            ("content-type", "application/json"), ("apns-topic", topic),
            ("apns-push-type", "alert"),
            ("apns-priority", delivery.isUrgentOnPhones ? "10" : "5"),
            ("apns-expiration", String(delivery.record.usefulUntil.milliseconds / 1_000)),
            ("apns-id", delivery.record.id.description.lowercased()),
        ]
        if let collapse { headers.append(("apns-collapse-id", collapse)) }
    }
}

extension LeasedDelivery {
    /// It must not wait until the phone is used: an alert, or a question that runs out.
    var isUrgentOnPhones: Bool { isAboutAlert || [.reminder, .ping, .drill].contains(purpose) }
}
