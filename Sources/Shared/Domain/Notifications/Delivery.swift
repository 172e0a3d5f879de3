import Foundation

public enum DeliveryChannel: String, GrowingEnum, Sendable, CaseIterable {
    public static let fallback = unknown

    case stream
    /// A development server prints the message in its terminal.
    case console
    case webhook
    case webPush
    case apns
    case fcm
    case sms
    case email
    case voice
    case unknown
}

/// The state of one delivery (architecture.md, "Deliveries").
public enum DeliveryState: String, GrowingEnum, Sendable, CaseIterable {
    public static let fallback = unknown

    /// In the ledger, not attempted yet.
    case queued
    case sending
    /// An attempt failed, and a retry is pending.
    case retrying
    /// The provider, or the stream, accepted the message.
    case accepted
    /// A device confirmed the message. The person may not have seen it.
    case received
    /// The provider reports the delivery, or the person has read the message.
    case seen
    case acknowledged
    /// The provider rejected the message for good.
    case failed
    /// The message expired while it was retried.
    case givenUp
    /// A newer message replaced this one before it was sent.
    case superseded
    case unknown

    /// True if no further attempt follows.
    public var isSettled: Bool {
        switch self {
        case .queued, .sending, .retrying: false
        case .accepted, .received, .seen, .acknowledged, .failed, .givenUp, .superseded, .unknown:
            true
        }
    }
}

/// The purpose of a delivery, for rules about alerts.
public enum DeliveryPurpose: String, Codable, Sendable, CaseIterable {
    case alertBegin
    /// The alarm is repeated: on schedule, after another missed deadline, or after an
    /// acknowledgement lapsed.
    case alertRepeat
    /// A responder is on it, or has reported.
    case alertNews
    /// No responder is on it: one withdrew, or a report was lifted.
    case alertUntaken
    case alertEnd
    case reminder
    /// Asks a person to check in, ten and five minutes before their deadline.
    case lastCall
    /// Asks a person on a journey whether they are back.
    case journey
    case ping
    /// Asks a responder to confirm that a drill has reached them.
    case drill
    /// A test of one endpoint, requested by the user.
    case test
    case other
}

/// One delivery, as a row of the ledger.
public struct DeliveryRecord: Equatable, Sendable, Identifiable {
    public var id: DeliveryID
    public var userID: UserID
    public var notification: NotificationItem
    public var channel: DeliveryChannel
    public var pushEndpointID: PushEndpointID?
    public var attempts: Int
    public var createdAt: Date
    /// The expiry, after which no attempt is made.
    public var usefulUntil: Date

    public init(
        id: DeliveryID, userID: UserID, notification: NotificationItem, channel: DeliveryChannel,
        pushEndpointID: PushEndpointID?,
        attempts: Int, createdAt: Date, usefulUntil: Date? = nil
    ) {
        self.id = id
        self.userID = userID
        self.notification = notification
        self.channel = channel
        self.pushEndpointID = pushEndpointID
        self.attempts = attempts
        self.createdAt = createdAt
        self.usefulUntil =
            usefulUntil ?? createdAt.adding(DeliveryRules.usefulFor(notification.type))
    }
}
