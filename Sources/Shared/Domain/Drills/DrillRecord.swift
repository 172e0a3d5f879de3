import Foundation

/// A drill, as its owner sees it: a test of every step of the `Ladder`, without an alert.
public struct DrillRecord: Codable, Equatable, Sendable, Identifiable {
    public var id: DrillID
    public var startedAt: Date
    public var endsAt: Date
    /// When the drill ended; nil while it is running.
    public var endedAt: Date?
    public var end: End?
    /// The responders at the start, in the order of calls.
    public var answers: [DrillAnswer]

    public enum End: String, GrowingEnum, Sendable, CaseIterable {
        public static let fallback = unknown
        /// The ends that a server sends.
        public static let allCases: [End] = [.everyoneAnswered, .timeIsUp, .stopped, .alert]

        case everyoneAnswered, timeIsUp
        case stopped
        /// The owner raised a real alert, or missed a deadline.
        case alert
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

    public var nextStart: Date { startedAt.adding(DrillRules.pause) }

    /// The responders who were asked, and others who answered in the app.
    public var counted: [DrillAnswer] {
        answers.filter { $0.isAsked != false || $0.answeredAt != nil }
    }

    /// True if at least one responder counts, and all who count have answered.
    public var isAnswered: Bool {
        !counted.isEmpty && counted.allSatisfy { $0.answeredAt != nil }
    }
}

/// A responder's answer to a drill, if there is one.
public struct DrillAnswer: Codable, Equatable, Sendable, Identifiable {
    public var personID: UserID
    public var name: String
    /// When the person confirmed the drill; nil before that.
    public var answeredAt: Date?
    /// The channel of the answer; `stream` means an open page or app.
    public var channel: DeliveryChannel?
    /// False if the person had muted such messages, so no message asked them; nil if one did, and
    /// from older servers.
    public var isAsked: Bool?

    public var id: UserID { personID }

    public init(
        personID: UserID, name: String, answeredAt: Date? = nil, channel: DeliveryChannel? = nil,
        isAsked: Bool? = nil
    ) {
        self.personID = personID
        self.name = name
        self.answeredAt = answeredAt
        self.channel = channel
        self.isAsked = isAsked
    }
}

/// A drill, as a responder sees it.
public struct DrillQuestion: Codable, Equatable, Sendable, Identifiable {
    public var id: DrillID
    public var ownerID: UserID
    public var name: String
    public var startedAt: Date
    /// Until when an answer counts.
    public var endsAt: Date
    public var answeredAt: Date?
    /// The notification that asks this person; nil if they have muted such notifications.
    public var notificationID: NotificationID?
    /// True if a real alert ended the drill before this person answered. Set only while the owner
    /// has an open alert that the person is told of.
    public var isEndedByAlert: Bool?

    public init(
        id: DrillID, ownerID: UserID, name: String, startedAt: Date, endsAt: Date,
        answeredAt: Date? = nil, notificationID: NotificationID? = nil, isEndedByAlert: Bool? = nil
    ) {
        self.id = id
        self.ownerID = ownerID
        self.name = name
        self.startedAt = startedAt
        self.endsAt = endsAt
        self.answeredAt = answeredAt
        self.notificationID = notificationID
        self.isEndedByAlert = isEndedByAlert
    }

    public func isOpen(at now: Date) -> Bool { answeredAt == nil && now < endsAt }
}

public struct DrillOverview: Codable, Equatable, Sendable {
    /// The user's newest drill; nil after a month without drills.
    public var own: DrillRecord?
    /// Running drills of others, oldest first.
    public var asked: [DrillQuestion]
    /// Drills of others that a real alert ended (`DrillQuestion.isEndedByAlert`); nil without any,
    /// and from older servers.
    public var ended: [DrillQuestion]?

    public init(
        own: DrillRecord? = nil, asked: [DrillQuestion] = [], ended: [DrillQuestion]? = nil
    ) {
        self.own = own
        self.asked = asked
        self.ended = ended
    }
}
