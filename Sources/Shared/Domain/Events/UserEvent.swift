import Foundation

/// A change that the user's event stream sends.
public enum UserEvent: Equatable, Sendable {
    /// The user or a dependent checked in.
    case checkIn(CheckInSummary)
    /// An alert of the user or a dependent opened, changed or ended.
    case alert(AlertRecord)
    case ping(PingRecord)
    /// A contact was added or changed. Clients then reload the contact list.
    case contactChanged(ContactReference)
    case contactRemoved(ContactReference)
    /// A notification is new.
    case notification(NotificationItem)
    /// Notifications were read or deleted, maybe on another device.
    case notificationsChanged(NotificationChange)
    /// The user's own profile or settings changed on another device.
    case profileChanged

    public enum Kind: String, Codable, Sendable, CaseIterable {
        case checkIn, alert, ping, contactChanged, contactRemoved, notification
        case notificationsChanged, profileChanged
    }

    public var kind: Kind {
        switch self {
        case .checkIn: .checkIn
        case .alert: .alert
        case .ping: .ping
        case .contactChanged: .contactChanged
        case .contactRemoved: .contactRemoved
        case .notification: .notification
        case .notificationsChanged: .notificationsChanged
        case .profileChanged: .profileChanged
        }
    }

    public struct CheckInSummary: Codable, Equatable, Sendable {
        public var userID: UserID
        public var lastCheckInTime: Date
        /// nil under a schedule without deadlines.
        public var nextCheckInTime: Date?

        public init(userID: UserID, lastCheckInTime: Date, nextCheckInTime: Date?) {
            self.userID = userID
            self.lastCheckInTime = lastCheckInTime
            self.nextCheckInTime = nextCheckInTime
        }
    }

    public struct ContactReference: Codable, Equatable, Sendable {
        public var contactID: UserID
        public init(contactID: UserID) { self.contactID = contactID }
    }

    public struct NotificationChange: Codable, Equatable, Sendable {
        /// nil after a change of several notifications. Clients then reload the list.
        public var notificationID: NotificationID?
        /// When the notification was read; nil if it was deleted.
        public var readAt: Date?

        public init(notificationID: NotificationID? = nil, readAt: Date? = nil) {
            self.notificationID = notificationID
            self.readAt = readAt
        }
    }

    /// Returns the payload as JSON. The kind is sent separately.
    public func data() throws -> String {
        switch self {
        case .checkIn(let summary): summary.json
        case .alert(let record): try Self.json(of: record)
        case .ping(let record): try Self.json(of: record)
        case .contactChanged(let reference), .contactRemoved(let reference):
            try Self.json(of: reference)
        case .notification(let item): try item.plainJSON ?? Self.json(of: item)
        case .notificationsChanged(let change): try Self.json(of: change)
        case .profileChanged: "{}"
        }
    }

    private static func json(of value: some Encodable) throws -> String {
        String(decoding: try WireJSON.encoder().encode(value), as: UTF8.self)
    }

    public init(kind: Kind, data: String) throws {
        let decoder = WireJSON.tolerantDecoder()
        let bytes = Data(data.utf8)
        self =
            switch kind {
            case .checkIn: .checkIn(try decoder.decode(CheckInSummary.self, from: bytes))
            case .alert: .alert(try decoder.decode(AlertRecord.self, from: bytes))
            case .ping: .ping(try decoder.decode(PingRecord.self, from: bytes))
            case .contactChanged:
                .contactChanged(try decoder.decode(ContactReference.self, from: bytes))
            case .contactRemoved:
                .contactRemoved(try decoder.decode(ContactReference.self, from: bytes))
            case .notification:
                .notification(try decoder.decode(NotificationItem.self, from: bytes))
            case .notificationsChanged:
                .notificationsChanged(try decoder.decode(NotificationChange.self, from: bytes))
            case .profileChanged: .profileChanged
            }
    }
}

extension UserEvent.CheckInSummary {
    /// Formats the JSON without an encoder, because check-ins are on the hot path. The three values
    /// need no escaping.
    var json: String {
        let next = nextCheckInTime.map { "\"nextCheckInTime\":\"\(Timestamp.text($0))\"," } ?? ""
        return """
            {"lastCheckInTime":"\(Timestamp.text(lastCheckInTime))",\(next)"userID":"\(userID)"}
            """
    }
}

extension NotificationItem {
    /// Formats the JSON without an encoder, because an alarm stores an item for each person. nil if
    /// a text needs escaping.
    var plainJSON: String? {
        guard Self.isPlain(title), Self.isPlain(body) else { return nil }
        let values: [(name: String, value: String?)] = [
            ("aboutUserID", aboutUserID?.description), ("alertID", alertID?.description),
            ("body", body), ("createdAt", Timestamp.text(createdAt)), ("id", id.description),
            ("kind", kind?.rawValue), ("pingID", pingID?.description),
            ("readAt", readAt.map { Timestamp.text($0) }),
            ("sessionID", sessionID?.description), ("title", title), ("type", type.rawValue),
        ]
        let present = values.compactMap { name, value in value.map { "\"\(name)\":\"\($0)\"" } }
        return "{\(present.joined(separator: ","))}"
    }

    private static func isPlain(_ text: String) -> Bool {
        text.utf8.allSatisfy { $0 >= 0x20 && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") }
    }
}

/// A row of the event log, which every stream reads. A user's sequence numbers have no gaps.
public struct StoredEvent: Equatable, Sendable {
    public var userID: UserID
    public var sequence: Int64
    public var kind: UserEvent.Kind
    public var data: String
    /// The notification in this event. The ledger records its delivery by stream.
    public var notificationID: NotificationID?

    public init(
        userID: UserID, sequence: Int64, kind: UserEvent.Kind, data: String,
        notificationID: NotificationID? = nil
    ) {
        self.userID = userID
        self.sequence = sequence
        self.kind = kind
        self.data = data
        self.notificationID = notificationID
    }
}

/// A part of a user's log of events.
public struct EventPage: Equatable, Sendable {
    /// Without events that can't be read, for instance of a kind that only newer servers know.
    public var events: [StoredEvent]
    /// The number of the last event, even if it can't be read. Without events, the number after
    /// which they were asked for.
    public var end: Int64
    /// True if no further events are stored.
    public var isLast: Bool

    public init(events: [StoredEvent], end: Int64, isLast: Bool) {
        self.events = events
        self.end = end
        self.isLast = isLast
    }
}
