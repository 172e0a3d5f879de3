import Foundation

/// A way to reach a person.
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
    /// A client's word for a channel of a newer server; never stored or sent.
    case unknown
}

/// The state of one delivery (architecture.md, "Deliveries").
public enum DeliveryState: String, GrowingEnum, Sendable, CaseIterable {
    public static let fallback = unknown

    /// Entered in the ledger, not tried yet.
    case queued
    /// A try is being made.
    case sending
    /// A try has failed, and another will be made.
    case retrying
    /// The provider, or the stream, took it.
    case accepted
    /// A device has it, and says so. Nobody need have seen it.
    case received
    /// The person has it: the provider says so, or they read it.
    case seen
    /// The person acted on it.
    case acknowledged
    /// The provider said a final no.
    case failed
    /// Tried until it was too late to be of use.
    case givenUp
    /// Newer news has overtaken it before it went out.
    case superseded
    /// A client's word for a state of a newer server; never stored or sent.
    case unknown

    /// No further try will be made.
    public var isSettled: Bool {
        switch self {
        case .queued, .sending, .retrying: false
        case .accepted, .received, .seen, .acknowledged, .failed, .givenUp, .superseded, .unknown:
            true
        }
    }
}

/// The purpose of a delivery, for rules that hold for alerts alone.
public enum DeliveryPurpose: String, Codable, Sendable, CaseIterable {
    /// An alert begins.
    case alertBegin
    /// The alarm again: a repeat, another missed deadline, an acknowledgement that lapsed.
    case alertRepeat
    /// Somebody has acknowledged, withdrawn or reported.
    case alertNews
    /// An alert is over.
    case alertEnd
    /// Asks the user to check in; needless after a check-in.
    case reminder
    /// Asks the user whether they are fine.
    case ping
    /// A test of the ladder.
    case drill
    /// The user asked for it, for one endpoint.
    case test
    case other
}

/// The row of the ledger that stands for one delivery.
public struct DeliveryRecord: Equatable, Sendable, Identifiable {
    public var id: DeliveryID
    public var userID: UserID
    public var notification: NotificationItem
    public var channel: DeliveryChannel
    public var pushEndpointID: PushEndpointID?
    public var attempts: Int
    public var createdAt: Date
    /// No try is made from then on.
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

/// The rules for channels and retries: which channels carry what, and how often a try is repeated.
public enum DeliveryRules {
    /// Streams and endpoints carry everything; an SMS costs money and wakes people, so only alerts
    /// are worth one. A reminder goes by SMS when the user has no endpoint: else a person without
    /// the app open would never hear it.
    /// - Parameter others: those of e-mail, SMS and calls that the server has and the person takes;
    ///   e-mail if it carries this (`goesByEmail`).
    public static func channels(
        for type: NotificationType, isReminder: Bool, endpoints: Set<PushEndpoint.Kind>,
        others: Set<DeliveryChannel>
    ) -> [DeliveryChannel] {
        let kinds = PushEndpoint.Kind.allCases.filter(endpoints.contains)
        let carries: [DeliveryChannel] =
            if type == .alert {
                [.email, .sms, .voice]
            } else if isReminder, kinds.isEmpty {
                [.email, .sms]
            } else { [.email] }
        return [.stream] + kinds.map(\.channel) + carries.filter(others.contains)
    }

    /// E-mail carries alerts, their end, and news of the account.
    public static func goesByEmail(
        _ type: NotificationType, isReminder: Bool, isUrgent: Bool
    ) -> Bool {
        switch type {
        case .alert: true
        case .ping, .checkIn: isUrgent
        case .contactAdded, .contactRemoved, .roleChanged: true
        case .system: isUrgent || !isReminder
        }
    }

    /// The time after which the message helps nobody any more.
    public static func usefulFor(_ type: NotificationType) -> Duration {
        type == .alert ? .hours(24) : .hours(6)
    }

    /// The pause before the next try: 2 s doubled with each try, at most 10 minutes, of which a
    /// random half is taken off so that many endpoints of one dead provider do not come back at the
    /// same moment. `jitter` is 0 to 1.
    public static func pause(afterAttempt attempt: Int, jitter: Double) -> Duration {
        let doubled = 2_000.0 * Double(1 << min(max(attempt - 1, 0), 20))
        let capped = min(doubled, 600_000)
        return .milliseconds(Int64(capped * (1 - 0.5 * min(max(jitter, 0), 1))))
    }

    /// A provider that asks for a longer pause than this is asked again all the same.
    public static let longestWish: Duration = .minutes(10)

    /// The time of the next try; nil when that would be too late to be of use.
    /// - Parameter wish: the pause that the provider asked for.
    public static func nextTry(
        afterAttempt attempt: Int, usefulUntil: Date, wish: Duration = .zero, at now: Date,
        jitter: Double
    ) -> Date? {
        let wished = min(wish, longestWish)
        let next = now.adding(max(pause(afterAttempt: attempt, jitter: jitter), wished))
        return next < usefulUntil ? next : nil
    }
}
