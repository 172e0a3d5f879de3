import Foundation

/// A test of every step of the ladder (`Ladder`), as the person who started it sees it. It isn't an
/// alert: its owner doesn't need help.
public struct DrillRecord: Codable, Equatable, Sendable, Identifiable {
    public var id: DrillID
    public var startedAt: Date
    /// The time when the drill ends by itself.
    public var endsAt: Date
    /// The time when the drill ended; nil while it is running.
    public var endedAt: Date?
    public var end: End?
    /// Everyone who was asked, in the order of calls.
    public var answers: [DrillAnswer]

    public enum End: String, GrowingEnum, Sendable, CaseIterable {
        public static let fallback = unknown
        /// The ends that a server knows.
        public static let allCases: [End] = [.everyoneAnswered, .timeIsUp, .stopped, .alert]

        case everyoneAnswered, timeIsUp
        /// The owner stopped it.
        case stopped
        /// A real alert of the owner began.
        case alert
        /// What clients decode when the end is one that only a newer server knows. Never stored or
        /// sent.
        case unknown
    }

    public init(
        id: DrillID, startedAt: Date, endsAt: Date? = nil, endedAt: Date? = nil, end: End? = nil,
        answers: [DrillAnswer] = []
    ) {
        self.id = id
        self.startedAt = startedAt
        self.endsAt = endsAt ?? startedAt.adding(DrillRules.length)
        self.endedAt = endedAt
        self.end = end
        self.answers = answers
    }

    public var isRunning: Bool { endedAt == nil }

    /// The earliest start of the next drill.
    public var nextStart: Date { startedAt.adding(DrillRules.pause) }
}

/// A responder's answer to a drill, or its absence.
public struct DrillAnswer: Codable, Equatable, Sendable, Identifiable {
    public var personID: UserID
    public var name: String
    /// The time of the answer; nil until the person has confirmed.
    public var answeredAt: Date?
    /// The channel of the answer; `stream` for an open page or app.
    public var channel: DeliveryChannel?

    public var id: UserID { personID }

    public init(
        personID: UserID, name: String, answeredAt: Date? = nil, channel: DeliveryChannel? = nil
    ) {
        self.personID = personID
        self.name = name
        self.answeredAt = answeredAt
        self.channel = channel
    }
}

/// A drill as a responder who is asked sees it.
public struct DrillQuestion: Codable, Equatable, Sendable, Identifiable {
    public var id: DrillID
    /// The person who started it.
    public var ownerID: UserID
    public var name: String
    public var startedAt: Date
    /// The time until which an answer counts.
    public var endsAt: Date
    public var answeredAt: Date?
    /// The notification that asks this person; nil for people who have muted such notifications.
    public var notificationID: NotificationID?

    public init(
        id: DrillID, ownerID: UserID, name: String, startedAt: Date, endsAt: Date,
        answeredAt: Date? = nil, notificationID: NotificationID? = nil
    ) {
        self.id = id
        self.ownerID = ownerID
        self.name = name
        self.startedAt = startedAt
        self.endsAt = endsAt
        self.answeredAt = answeredAt
        self.notificationID = notificationID
    }

    public func isOpen(at now: Date) -> Bool { answeredAt == nil && now < endsAt }
}

/// The drills that concern a user.
public struct DrillOverview: Codable, Equatable, Sendable {
    /// The user's newest drill; nil if they have had none for a month.
    public var own: DrillRecord?
    /// Running drills of others, oldest first.
    public var asked: [DrillQuestion]

    public init(own: DrillRecord? = nil, asked: [DrillQuestion] = []) {
        self.own = own
        self.asked = asked
    }
}
