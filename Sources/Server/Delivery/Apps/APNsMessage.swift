import Cryptography
import Domain
import Foundation
import Persistence

/// A message in the format of Apple's push service (Docs/push-apps.md).
struct APNsMessage {
    /// In bytes.
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
        /// The id of the set of buttons.
        var category: String?
        /// The id of the group. iOS groups messages about the same alert or ping.
        var threadID: String?
        var interruptionLevel: String
        /// 1 lets the app's notification service extension post the receipt.
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
        /// Plays even on a silenced phone.
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

    private init(payload: Data, headers: [(name: String, value: String)]) {
        self.payload = payload
        self.headers = headers
    }

    /// Returns a message that makes the app refresh itself; the person sees nothing. Apple rejects
    /// priority 10 for such a message. Apple stores only the newest message of an app for an
    /// offline device. Expiration 0 keeps Apple from storing this message in place of an alarm.
    /// - Parameter topic: the app's bundle id.
    static func background(topic: String) -> APNsMessage {
        APNsMessage(
            payload: Data(#"{"aps":{"content-available":1}}"#.utf8),
            headers: [
                ("content-type", "application/json"), ("apns-topic", topic),
                ("apns-push-type", "background"), ("apns-priority", "5"),
                ("apns-expiration", "0"),
            ])
    }

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
                interruptionLevel: isAlarm && allowsCritical
                    ? "critical" : delivery.isTimeSensitive ? "time-sensitive" : "active")
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
    /// Whether the message must wake an idle phone: it is about an alert, or asks a question that
    /// expires.
    var isUrgentOnPhones: Bool { isTimeSensitive || purpose == .drill }

    /// Whether iOS shows the message in spite of a Focus or the Scheduled Summary. A drill can
    /// wait. An unanswered question about the person themselves leads to an alert.
    fileprivate var isTimeSensitive: Bool {
        isAboutAlert || [.reminder, .lastCall, .journey, .ping].contains(purpose)
    }
}
