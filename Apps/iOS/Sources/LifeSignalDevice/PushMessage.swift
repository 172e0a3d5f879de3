import Domain
import Foundation

/// The server's fields in a push message. They are in the object `lifesignal`, beside `aps`
/// (Docs/push-apps.md).
public struct PushMessage: Equatable, Sendable {
    public var notificationID: NotificationID?
    /// Nil if the server doesn't name it, or names one that this version doesn't know.
    public var type: NotificationType?
    /// The recipient. An action counts only while this user is signed in.
    public var recipientID: UserID?
    public var aboutUserID: UserID?
    public var alertID: AlertID?
    public var pingID: PingID?
    /// The buttons that this version knows.
    public var actions: [PushAction] = []
    /// The token for `POST /v1/receipts`.
    public var receipt: String?

    public var isAboutOwnAlert: Bool {
        alertID != nil && aboutUserID != nil && aboutUserID == recipientID
    }

    /// Nil for a message from elsewhere, such as this device's own reminders.
    public init?(_ userInfo: [AnyHashable: Any]) {
        guard let fields = userInfo["lifesignal"] as? [String: Any] else { return nil }
        func text(_ key: String) -> String? { fields[key] as? String }
        notificationID = text("id").flatMap { NotificationID($0) }
        type = text("type").flatMap { NotificationType(rawValue: $0) }
        recipientID = text("recipientID").flatMap { UserID($0) }
        aboutUserID = text("aboutUserID").flatMap { UserID($0) }
        alertID = text("alertID").flatMap { AlertID($0) }
        pingID = text("pingID").flatMap { PingID($0) }
        actions = (fields["actions"] as? [String] ?? []).compactMap { PushAction(rawValue: $0) }
        receipt = text("receipt")
    }

    /// The fields as the server sends them, for this device's notification about the same subject.
    /// Lacks the receipt, which the device sends only once.
    public var userInfo: [AnyHashable: Any] {
        let fields: [String: String?] = [
            "id": notificationID?.description, "type": type?.rawValue,
            "recipientID": recipientID?.description, "aboutUserID": aboutUserID?.description,
            "alertID": alertID?.description, "pingID": pingID?.description,
        ]
        var all: [String: Any] = fields.compactMapValues(\.self)
        if !actions.isEmpty { all["actions"] = actions.map(\.rawValue) }
        return ["lifesignal": all]
    }
}
