import Foundation

public enum NotificationType: String, GrowingEnum, Sendable, CaseIterable {
    public static let fallback = system

    case alert, ping, checkIn, contactAdded, contactRemoved, roleChanged, system
}

public struct NotificationItem: Codable, Equatable, Sendable, Identifiable {
    public var id: NotificationID
    public var type: NotificationType
    public var title: String
    public var body: String
    public var createdAt: Date
    public var readAt: Date?
    /// A tap on the message opens what it is about: a user, an alert or a ping.
    public var aboutUserID: UserID?
    public var alertID: AlertID?
    public var pingID: PingID?
    /// The session of the user's account that caused the message. The user can end it if they don't
    /// recognise it.
    public var sessionID: SessionID?
    /// nil in messages that were made before servers stored kinds. Rules use `isOf`.
    public var kind: NotificationKind?

    public init(
        id: NotificationID, type: NotificationType, title: String, body: String, createdAt: Date,
        readAt: Date? = nil,
        aboutUserID: UserID? = nil, alertID: AlertID? = nil, pingID: PingID? = nil,
        sessionID: SessionID? = nil, kind: NotificationKind? = nil
    ) {
        self.id = id
        self.type = type
        self.title = title
        self.body = body
        self.createdAt = createdAt
        self.readAt = readAt
        self.aboutUserID = aboutUserID
        self.alertID = alertID
        self.pingID = pingID
        self.sessionID = sessionID
        self.kind = kind
    }
}

extension NotificationItem {
    /// Returns the notification as the device of this session shows it. News of the session itself
    /// is without the offer and the advice to end it, and nil if it is only for the other devices.
    public func shown(to session: SessionID) -> NotificationItem? {
        guard sessionID == session else { return self }
        guard isOf(.lastingChange) else { return nil }
        var item = self
        item.sessionID = nil
        if item.body.hasSuffix(NotificationText.ifNotYou) {
            item.body.removeLast(NotificationText.ifNotYou.count)
            item.body += NotificationText.ifNotYouHere
        }
        return item
    }
}

public struct NotificationPreferences: Codable, Equatable, Sendable {
    public private(set) var muted: Set<NotificationType>

    /// Throws `invalidArgument` if alerts are among the muted types.
    public init(muted: Set<NotificationType>) throws(CommandError) {
        guard !muted.contains(.alert) else {
            throw .invalidArgument(field: "muted", RefusalWords.muted.message)
        }
        self.muted = muted
    }

    public static let standard = NotificationPreferences()
    private init() { muted = [] }

    public func allows(_ type: NotificationType) -> Bool { type == .alert || !muted.contains(type) }

    /// Returns the present preferences with the choice for this type.
    /// - Parameter type: the type that the person muted or unmuted; nil for all.
    public func merged(
        only type: NotificationType?, into present: NotificationPreferences
    ) -> NotificationPreferences {
        guard let type else { return self }
        var merged = present
        merged.muted.remove(type)
        if muted.contains(type) { merged.muted.insert(type) }
        return merged
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        if decoder.isTolerant {
            // Leaves out unknown types. Otherwise the fallback type would look muted.
            let texts = try container.decode([String].self, forKey: .muted)
            try self.init(muted: Set(texts.compactMap(NotificationType.init)).subtracting([.alert]))
            return
        }
        let types = try container.decode([NotificationType].self, forKey: .muted)
        guard Set(types).count == types.count else {
            throw CommandError.invalidArgument(field: "muted", "Give each type only once.")
        }
        try self.init(muted: Set(types))
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(muted.sorted { $0.rawValue < $1.rawValue }, forKey: .muted)
    }

    enum CodingKeys: String, CodingKey { case muted }
}
