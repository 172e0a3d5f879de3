import Foundation

/// A test of the whole ladder, as the person sees it who has started it. It is no alert: nobody
/// needs help.
public struct DrillRecord: Codable, Equatable, Sendable, Identifiable {
    public var id: DrillID
    public var startedAt: Date
    /// It ends by itself then.
    public var endsAt: Date
    /// nil while it goes on.
    public var endedAt: Date?
    public var end: End?
    /// Everyone who was asked, in the order in which they are called.
    public var answers: [DrillAnswer]

    public enum End: String, GrowingEnum, Sendable, CaseIterable {
        public static let fallback = unknown
        /// The ends that a server knows.
        public static let allCases: [End] = [.everyoneAnswered, .timeIsUp, .stopped, .alert]

        case everyoneAnswered, timeIsUp
        /// Its owner has stopped it.
        case stopped
        /// A real alert of its owner has begun.
        case alert
        /// A client's word for an end of a newer server; never stored or sent.
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

    /// The earliest time of the next one.
    public var nextStart: Date { startedAt.adding(DrillRules.pause) }
}

/// A responder's answer to a drill, or their silence.
public struct DrillAnswer: Codable, Equatable, Sendable, Identifiable {
    public var personID: UserID
    public var name: String
    /// nil while they have not said "Got it".
    public var answeredAt: Date?
    /// The channel by which they answered; `stream` for an open page or app.
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

/// A drill as a responder sees it who is asked.
public struct DrillQuestion: Codable, Equatable, Sendable, Identifiable {
    public var id: DrillID
    /// The person who has started it.
    public var ownerID: UserID
    public var name: String
    public var startedAt: Date
    /// Nobody waits for an answer from then on.
    public var endsAt: Date
    public var answeredAt: Date?
    /// The message that asks; nil for those who have muted such messages.
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

/// The drills that concern somebody.
public struct DrillOverview: Codable, Equatable, Sendable {
    /// The user's newest drill; nil if they have had none for a month.
    public var own: DrillRecord?
    /// Drills of others that are under way, the oldest first.
    public var asked: [DrillQuestion]

    public init(own: DrillRecord? = nil, asked: [DrillQuestion] = []) {
        self.own = own
        self.asked = asked
    }
}

public enum DrillRules {
    /// A drill ends after this, whoever has answered.
    public static let length: Duration = .minutes(10)
    /// The time from the beginning of a drill to that of the next: more of them would be a
    /// nuisance, and an easy way to make telephones ring.
    public static let pause: Duration = .days(1)

    /// - Parameter last: the beginning of the last drill. One in the future was written by a clock
    ///   that was wrong.
    public static func mayStart(last: Date?, at now: Date) -> Bool {
        guard let last else { return true }
        return now >= last.adding(pause) || last > now
    }

    /// Throws `invalidArgument` for a drill that may not start now.
    public static func check(
        last: Date?, hasOpenAlert: Bool, responders: Int, at now: Date
    ) throws(CommandError) {
        func refusal(_ reason: InvalidInputReason, _ words: String) -> CommandError {
            .invalidArgument(field: "id", words, reason: reason)
        }
        guard !hasOpenAlert else {
            throw refusal(.alertOpen, "There is no drill while an alert is open.")
        }
        guard responders > 0 else {
            throw refusal(.noResponders, "A drill needs a responder who has accepted.")
        }
        guard mayStart(last: last, at: now) else {
            throw refusal(.drillToday, "There is one drill a day. Try again tomorrow.")
        }
    }
}
