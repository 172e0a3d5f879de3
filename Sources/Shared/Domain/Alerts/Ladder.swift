import Foundation

/// How insistently a responder is told of an alert (Docs/ladder.md). Every alarm, the first one and
/// each repeat, is a round of its own: pushes and e-mails at once, an SMS without an act of the
/// person, then calls while nobody has taken the alert on. Receipts prove endpoints, not attention.
public enum Ladder {
    /// The SMS follows this long after the push without an act of the person.
    public static let smsAfter: Duration = .seconds(30)
    /// Calls follow this long after the alarm without an acknowledgement by anybody.
    public static let callsAfter: Duration = .seconds(90)
    public static let callsAtATime = 2
    /// A call without a result holds up the next ones for no longer than this: half a minute of
    /// ringing, and the time to hear the message and press a key.
    public static let callPatience: Duration = .seconds(45)
    /// Every round of the first time of an alert brings calls.
    public static let callsFreelyFor: Duration = .minutes(30)
    /// After that time a person is called again at most this often.
    public static let pauseOfCalls: Duration = .hours(6)
    /// The pause if somebody has been on it meanwhile, so that nobody makes telephones ring all
    /// night by taking an alert on and letting it go.
    public static let pauseAfterAnswer: Duration = .minutes(30)
    /// A round begins when the deadline monitor comes to it, and each a little later or earlier
    /// after its time than the one before. Less than any pause between two repeats.
    static let latenessOfRounds: Duration = .minutes(1)

    /// The steps in their order.
    public enum Step: Int, Comparable, Sendable, CaseIterable {
        case push, sms, call

        public static func < (left: Step, right: Step) -> Bool { left.rawValue < right.rawValue }
    }

    /// When a row of the ledger is due.
    public enum Start: Equatable, Sendable {
        case atOnce
        case after(Duration)
        /// A call, which waits for its turn among those to the other responders.
        case inTurn

        /// Why a row waits; nil when it does not.
        public var reason: DeliveryReason? {
            switch self {
            case .atOnce: nil
            case .after: .waitingForAnswer
            case .inTurn: .waitingForTurn
            }
        }
    }

    /// nil for channels of which nobody can know in advance whether anyone is there: a page may be
    /// open on a table.
    public static func step(of channel: DeliveryChannel) -> Step? {
        switch channel {
        case .webhook, .webPush, .apns, .fcm, .email: .push
        case .sms: .sms
        case .voice: .call
        case .stream, .console, .unknown: nil
        }
    }

    /// Messages that people have to notice. The end of an alert is good news, and goes at once to
    /// all who heard of the alert. A drill tests these very steps.
    public static func climbs(_ purpose: DeliveryPurpose) -> Bool {
        isAlarm(purpose) || purpose == .alertNews || purpose == .drill
    }

    /// Messages that are worth a call.
    public static func isAlarm(_ purpose: DeliveryPurpose) -> Bool {
        purpose == .alertBegin || purpose == .alertRepeat
    }

    /// When a responder gets a message by one of their channels: at once if no earlier step is
    /// there, so that somebody with nothing but a phone is told within a second.
    /// - Parameter channels: all by which this person is told.
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

    /// Whether a round brings calls to people who were called before (product.md, "Escalation").
    /// - Parameters:
    ///   - start: the moment from which the repeats of the alert count.
    ///   - last: the beginning of the last round in which anybody was called.
    ///   - answer: the last time when somebody took the alert on or reported about it.
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
        /// The beginning of the round.
        public var createdAt: Date
        /// How often the person was called in earlier rounds.
        public var earlierCalls: Int
        /// Nothing else can reach the person any more: a call need not wait for `callsAfter`.
        public var isOnlyWay: Bool

        public enum State: Equatable, Sendable {
            case waiting
            /// Nobody knows yet how it ends.
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

    /// The calls to be made now, and the time to ask again.
    public struct Turn: Equatable, Sendable {
        public var calls: [Call]
        /// nil when none waits any more.
        public var nextLook: Date?
    }

    /// - Parameters:
    ///   - calls: those that wait or are under way.
    ///   - order: the owner's order of their responders. Who was called least goes first, so that
    ///     a round that a repeat interrupts does not leave the same people out again.
    public static func turn(of calls: [Call], order: [UserID], at now: Date) -> Turn {
        let waiting = calls.filter { $0.state == .waiting }
        // Somebody who became a responder in the middle of a round does not delay it.
        guard let begin = waiting.map(\.createdAt).min() else {
            return Turn(calls: [], nextLook: nil)
        }
        let start = begin.adding(callsAfter)
        // A beginning in the future was written by a clock that was wrong.
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

/// The result of a call. A machine's voice is no answer.
public enum CallOutcome: Equatable, Sendable {
    /// They pressed 1: they are on it.
    case takesOn
    /// They pressed 1 when nothing was left to take on: someone else is on it, or it is over.
    case comesLate
    /// They pressed 2: they can't. They are not called again in this round.
    case declines
    /// Nobody answered, a machine did, or no key was pressed.
    case unanswered(DeliveryReason = .noAnswer)
}
