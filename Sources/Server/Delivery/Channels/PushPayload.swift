import Cryptography
import Domain
import Foundation
import Persistence
import WebPush

extension LeasedDelivery {
    var isAboutAlert: Bool { record.notification.type == .alert || alertOwner != nil }
}

/// The JSON that a service worker or app receives (Docs/web-push.md). About people, it contains no
/// more than the notification, and never the emergency note.
struct PushPayload: Encodable, Equatable {
    var version = 1
    var id: NotificationID
    /// The recipient. A browser acts only if it is signed in to this account.
    var recipientID: UserID
    var type: NotificationType
    var title: String
    var body: String
    var createdAt: Date
    /// The message's expiry.
    var usefulUntil: Date
    var aboutUserID: UserID?
    var alertID: AlertID?
    var pingID: PingID?
    /// The buttons on the notification.
    var actions: [PushAction]
    /// The token for `POST /v1/receipts`.
    var receipt: String

    /// How long a receipt is valid after the message's expiry. The device may be offline and send
    /// the receipt late.
    static let receiptPatience: Duration = .days(1)

    init(_ delivery: LeasedDelivery, key: ServerKey) {
        let (record, item) = (delivery.record, delivery.record.notification)
        id = item.id
        recipientID = record.userID
        type = item.type
        title = item.title
        body = item.body
        createdAt = item.createdAt
        usefulUntil = record.usefulUntil
        aboutUserID = item.aboutUserID
        alertID = item.alertID
        pingID = item.pingID
        actions = Self.actions(for: delivery)
        receipt = ReceiptToken(
            person: record.userID.uuid, delivery: record.id.uuid,
            expiresAt: record.usefulUntil.adding(Self.receiptPatience)
        ).text(key: key)
    }

    static func actions(for delivery: LeasedDelivery) -> [PushAction] {
        switch delivery.purpose {
        case .alertBegin, .alertRepeat, .alertNews, .alertUntaken:
            let isOwn = delivery.alertOwner == nil || delivery.alertOwner == delivery.record.userID
            return isOwn ? [] : [.acknowledgeAlert, .declineAlert]
        case .reminder, .lastCall: return [.checkIn]
        case .journey: return [.arrived, .later]
        case .ping: return [.respondToPing]
        case .drill: return [.confirmDrill]
        case .alertEnd, .test, .other: return []
        }
    }

    /// Returns the topic under which a newer message replaces an undelivered one; nil for no
    /// replacement. A topic has 22 characters and is different for each person.
    static func topic(of delivery: LeasedDelivery, key: ServerKey) -> String? {
        subject(of: delivery).map {
            Base64URL.encode(key.pushTopic(person: delivery.record.userID.uuid, subject: $0))
        }
    }

    private static func subject(of delivery: LeasedDelivery) -> String? {
        let item = delivery.record.notification
        if let alert = item.alertID { return "alert \(alert)" }
        if let ping = item.pingID { return "ping \(ping)" }
        if delivery.purpose == .journey { return "journey" }
        return [.reminder, .lastCall].contains(delivery.purpose) ? "reminder" : nil
    }

    static func message(
        for delivery: LeasedDelivery, key: ServerKey, at now: Date
    ) throws -> PushMessage {
        let record = delivery.record
        let topic = topic(of: delivery, key: key).flatMap { PushMessage.Topic($0) }
        return PushMessage(
            payload: try WireJSON.encoder().encode(PushPayload(delivery, key: key)),
            timeToLive: record.usefulUntil.since(now),
            urgency: delivery.isAboutAlert || delivery.purpose == .drill ? .high : .normal,
            topic: topic)
    }
}
