import Foundation

/// The order of the channels that tell a responder of an alert (Docs/ladder.md). Each alarm,
/// whether the first one or a repeat, is a round of its own: pushes and e-mails at once, an SMS if
/// the person doesn't react, then calls while no responder is on it. A receipt proves that an
/// endpoint works, not that the person has noticed the message.
public enum Ladder {
    /// The time after the push until the SMS, if the person doesn't react.
    public static let smsAfter: Duration = .seconds(30)
    /// The time after the alarm until calls begin, if no responder acknowledges it.
    public static let callsAfter: Duration = .seconds(90)
    public static let callsAtATime = 2
    /// The longest time that a call without a result delays the next ones: half a minute of
    /// ringing, and the time to hear the message and press a key.
    public static let callPatience: Duration = .seconds(45)
    /// For this long after the start of an alert, every round includes calls.
    public static let callsFreelyFor: Duration = .minutes(30)
    /// The shortest pause between two calls to a person after `callsFreelyFor`.
    public static let pauseOfCalls: Duration = .hours(6)
    /// The shortest pause between two calls to a person if, since the first of them, a responder
    /// has acknowledged the alert or sent a report. It prevents a responder from making phones ring
    /// all night by acknowledging and withdrawing in turn.
    public static let pauseAfterAnswer: Duration = .minutes(30)
    /// The tolerance for the start of rounds, because the deadline monitor starts each round a
    /// little late, by a varying time. The tolerance is shorter than any pause between two repeats.
    static let latenessOfRounds: Duration = .minutes(1)

    /// The steps in order.
    public enum Step: Int, Comparable, Sendable, CaseIterable {
        case push, sms, call

        public static func < (left: Step, right: Step) -> Bool { left.rawValue < right.rawValue }
    }

    /// When a delivery is due.
    public enum Start: Equatable, Sendable {
        case atOnce
        case after(Duration)
        /// A call that waits for its turn among the calls to other responders.
        case inTurn

        /// The reason why a delivery waits; nil if it doesn't.
        public var reason: DeliveryReason? {
            switch self {
            case .atOnce: nil
            case .after: .waitingForAnswer
            case .inTurn: .waitingForTurn
            }
        }
    }

    /// Returns a channel's step; nil for channels that may have no reader, such as a page that is
    /// left open on a table.
    public static func step(of channel: DeliveryChannel) -> Step? {
        switch channel {
        case .webhook, .webPush, .apns, .fcm, .email: .push
        case .sms: .sms
        case .voice: .call
        case .stream, .console, .unknown: nil
        }
    }

    /// Returns true for messages that use the steps, because people must notice them. The end of an
    /// alert doesn't use them: it is good news, and goes at once to everyone who was told of the
    /// alert. A drill uses them, because it tests them.
    public static func climbs(_ purpose: DeliveryPurpose) -> Bool {
        isAlarm(purpose) || [.alertNews, .alertUntaken, .drill].contains(purpose)
    }

    /// Returns true for messages that justify a call.
    public static func isAlarm(_ purpose: DeliveryPurpose) -> Bool {
        purpose == .alertBegin || purpose == .alertRepeat
    }

    /// Returns when a responder gets a message by one of their channels. If no channel of an
    /// earlier step exists, the message goes at once, so that a person with only a phone is
    /// notified within a second.
    /// - Parameter channels: all channels that notify this person.
    public static func start(
        of channel: DeliveryChannel, among channels: some Sequence<DeliveryChannel>,
        _ purpose: DeliveryPurpose
    ) -> Start {
        guard climbs(purpose), let step = step(of: channel),
            channels.contains(where: { Self.step(of: $0).map { $0 < step } ?? false })
        else { return .atOnce }
        return step == .call ? .inTurn : .after(smsAfter)
    }

    // MARK: Calls

    /// Returns whether a round calls people who were called before (product.md, "Escalation").
    /// - Parameters:
    ///   - start: the start of the alert's schedule of repeats.
    ///   - last: the start of the last round with a call.
    ///   - answer: the time of the last acknowledgement or report.
    public static func mayCallAgain(
        round begin: Date, start: Date, last: Date?, answer: Date?
    ) -> Bool {
        guard let last, begin.since(start) > callsFreelyFor + latenessOfRounds else { return true }
        let wasAnswered = answer.map { $0 >= last } ?? false
        let pause = wasAnswered ? pauseAfterAnswer : pauseOfCalls
        return begin.since(last) >= pause - latenessOfRounds
    }

    /// The call to one responder in the present round.
    public struct Call: Equatable, Sendable {
        public var delivery: DeliveryID
        public var person: UserID
        public var state: State
        /// The start of the round.
        public var createdAt: Date
        /// The number of calls to this person in earlier rounds.
        public var earlierCalls: Int
        /// True if no other channel can reach the person any more, so that a call needn't wait for
        /// `callsAfter`.
        public var isOnlyWay: Bool

        public enum State: Equatable, Sendable {
            case waiting
            /// The result isn't known yet.
            case underWay(since: Date)
        }

        public init(
            delivery: DeliveryID, person: UserID, state: State, createdAt: Date,
            earlierCalls: Int, isOnlyWay: Bool = false
        ) {
            self.delivery = delivery
            self.person = person
            self.state = state
            self.createdAt = createdAt
            self.earlierCalls = earlierCalls
            self.isOnlyWay = isOnlyWay
        }
    }

    /// The calls to start now, and the time of the next decision.
    public struct Turn: Equatable, Sendable {
        public var calls: [Call]
        /// When to decide about calls again; nil if no call waits any more.
        public var nextLook: Date?
    }

    /// Returns the calls to start now, and when to decide again.
    /// - Parameters:
    ///   - calls: the calls that wait or are in progress.
    ///   - order: the owner's order of their responders. People with fewer earlier calls come
    ///     first, so that interrupted rounds don't leave out the same people again. The order
    ///     decides between people with equally many.
    public static func turn(of calls: [Call], order: [UserID], at now: Date) -> Turn {
        let waiting = calls.filter { $0.state == .waiting }
        // The earliest start counts, so that a person who becomes a responder in the middle of a
        // round doesn't delay it.
        guard let begin = waiting.map(\.createdAt).min() else {
            return Turn(calls: [], nextLook: nil)
        }
        let start = begin.adding(callsAfter)
        // A start in the future was written by a wrong clock, so the wait is over.
        let hasBegun = now >= start || begin > now
        let ready = hasBegun ? waiting : waiting.filter(\.isOnlyWay)
        guard !ready.isEmpty else { return Turn(calls: [], nextLook: start) }
        let places = Dictionary(
            order.enumerated().map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
        let inOrder = ready.sorted { left, right in
            let (one, other) = (places[left.person] ?? .max, places[right.person] ?? .max)
            return (left.earlierCalls, one, left.person) < (right.earlierCalls, other, right.person)
        }
        let ends = calls.compactMap { call -> Date? in
            guard case .underWay(let since) = call.state else { return nil }
            let end = since.adding(callPatience)
            return end > now && since <= now ? end : nil
        }
        let next = Array(inOrder.prefix(max(0, callsAtATime - ends.count)))
        var looks = hasBegun || ready.count == waiting.count ? [] : [start]
        if next.count < ready.count {
            looks += ends + (next.isEmpty ? [] : [now.adding(callPatience)])
        }
        return Turn(calls: next, nextLook: looks.min())
    }
}

/// The result of a call. An answering machine doesn't count as an answer.
public enum CallOutcome: Equatable, Sendable {
    /// The person pressed 1, which acknowledges the alert.
    case takesOn
    /// The person pressed 1 too late: another responder is on it, or the alert has ended.
    case comesLate
    /// The person pressed 2: they can't come, and aren't called again in this round.
    case declines
    /// The call wasn't answered, a machine answered, or no key was pressed.
    case unanswered(DeliveryReason = .noAnswer)
}
