import Foundation

/// A channel to a person.
public enum DeliveryChannel: String, GrowingEnum, Sendable, CaseIterable {
    public static let fallback = unknown

    /// The event stream of a connected device.
    case stream
    /// The terminal of a development server.
    case console
    case webhook
    /// A browser, through its push service.
    case webPush
    /// An app on an Apple device.
    case apns
    /// An app on an Android device.
    case fcm
    case sms
    case email
    /// A call with a spoken message.
    case voice
    /// What clients decode when the channel is one that only a newer server knows. Never stored or
    /// sent.
    case unknown
}

/// The state of one delivery (architecture.md, "Deliveries").
public enum DeliveryState: String, GrowingEnum, Sendable, CaseIterable {
    public static let fallback = unknown

    /// Stored in the ledger, not attempted yet.
    case queued
    /// An attempt is in progress.
    case sending
    /// An attempt failed, and a retry is pending.
    case retrying
    /// The provider, or the stream, accepted the message.
    case accepted
    /// A device confirmed the message. The person may not have seen it.
    case received
    /// The provider reports that it delivered the message, or the person has read it.
    case seen
    /// The person acted on the message.
    case acknowledged
    /// The provider rejected the message for good.
    case failed
    /// Retried until it expired.
    case givenUp
    /// Replaced by a newer message before it was sent.
    case superseded
    /// What clients decode when the state is one that only a newer server knows. Never stored or
    /// sent.
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
    /// An alert begins.
    case alertBegin
    /// The alarm again: at a scheduled time, after another missed deadline, or after an
    /// acknowledgement has lapsed.
    case alertRepeat
    /// A responder is on it, or has reported.
    case alertNews
    /// No responder is on it: one has withdrawn, or a report isn't in force any more.
    case alertUntaken
    /// An alert ends.
    case alertEnd
    /// Asks the user to check in. A check-in makes the message needless.
    case reminder
    /// Asks the user whether they are fine.
    case ping
    /// Asks a responder, in a drill, whether messages reach them.
    case drill
    /// A test that the user requested for one endpoint.
    case test
    case other
}

/// The row of the ledger for one delivery.
public struct DeliveryRecord: Equatable, Sendable, Identifiable {
    public var id: DeliveryID
    public var userID: UserID
    public var notification: NotificationItem
    public var channel: DeliveryChannel
    public var pushEndpointID: PushEndpointID?
    public var attempts: Int
    public var createdAt: Date
    /// The expiry: no attempt is made from then on.
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
