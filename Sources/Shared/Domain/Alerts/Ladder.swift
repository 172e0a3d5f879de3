import Foundation

/// The order of the channels that tell a responder of an alert (Docs/ladder.md). Each alarm starts
/// a round: first pushes and e-mails, then an SMS, then calls. A reaction of the person ends that
/// person's steps. A receipt isn't a reaction: it proves only that the endpoint works.
public enum Ladder {
    /// The time from the push to the SMS if the person doesn't react.
    public static let smsAfter: Duration = .seconds(30)
    /// The time from the alarm to the calls if no responder acknowledges it.
    public static let callsAfter: Duration = .seconds(90)
    public static let callsAtATime = 2
    /// How long a call without a result delays the next calls. It allows for 30 seconds of ringing,
    /// the message and a key press.
    public static let callPatience: Duration = .seconds(45)
    /// How long a call waits while another server has locked the person and may be calling them.
    public static let pauseForOtherServer: Duration = .seconds(1)
    /// The tolerance for calls of other servers that seem to begin in the future. Their clock may
    /// be ahead, or their transaction may have begun later.
    public static let aheadOfCalls: Duration = .seconds(10)
    /// For this long after the start of an alert, every round includes calls.
    public static let callsFreelyFor: Duration = .minutes(30)
    /// After `callsFreelyFor`, a person is called at most once in this time.
    public static let pauseOfCalls: Duration = .hours(6)
    /// Replaces `pauseOfCalls` if a responder has acknowledged or reported since the last round of
    /// calls. Without this pause, a responder could keep phones ringing by acknowledging and
    /// withdrawing in turn.
    public static let pauseAfterAnswer: Duration = .minutes(30)
    /// The tolerance of `callsFreelyFor` and the pauses, because the deadline monitor starts each
    /// round slightly late. It is shorter than any pause between two repeats.
    static let latenessOfRounds: Duration = .minutes(1)

    public enum Step: Int, Comparable, Sendable, CaseIterable {
        case push, sms, call

        public static func < (left: Step, right: Step) -> Bool { left.rawValue < right.rawValue }
    }

    /// When a delivery is due.
    public enum Start: Equatable, Sendable {
        case atOnce
        case after(Duration)
        /// The SMS about an alert's end that goes only if no push and no e-mail is accepted within
        /// `smsAfter`, or if all have failed for good before.
        case ifUnreached
        /// A call that waits for its turn among the calls to other responders.
        case inTurn

        public var reason: DeliveryReason? {
            switch self {
            case .atOnce: nil
            case .after: .waitingForAnswer
            case .ifUnreached: .waitingForReceipt
            case .inTurn: .waitingForTurn
            }
        }
    }

    /// Returns a channel's step; nil for channels that may have no reader. A page can be open on an
    /// empty desk.
    public static func step(of channel: DeliveryChannel) -> Step? {
        switch channel {
        case .webhook, .webPush, .apns, .fcm, .email: .push
        case .sms: .sms
        case .voice: .call
        case .stream, .console, .unknown: nil
        }
    }

    /// Returns true for messages that use the steps. The end of an alert is good news and goes at
    /// once to everyone who was told of the alert (`startOfReserve` has an exception). A drill uses
    /// the steps to test them.
    public static func climbs(_ purpose: DeliveryPurpose) -> Bool {
        isAlarm(purpose) || [.alertNews, .alertUntaken, .drill].contains(purpose)
    }

    /// Returns when the SMS about an alert's end goes to a person who heard of the alert by push or
    /// e-mail only. A person who has lost these channels since gets the SMS at once.
    /// - Parameter channels: all channels that notify this person.
    public static func startOfReserve(among channels: some Sequence<DeliveryChannel>) -> Start {
        channels.contains { step(of: $0) == .push } ? .ifUnreached : .atOnce
    }

    /// Returns true for messages that justify a call.
    public static func isAlarm(_ purpose: DeliveryPurpose) -> Bool {
        purpose == .alertBegin || purpose == .alertRepeat
    }

    /// Returns when a message goes to a responder on one channel. If the person has no channel of
    /// an earlier step, the message goes at once.
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

    /// Returns true if a round may call people who were called before (product.md, "Escalation").
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

    /// The call to one responder in the current round.
    public struct Call: Equatable, Sendable {
        public var delivery: DeliveryID
        public var person: UserID
        public var state: State
        /// The start of the round.
        public var createdAt: Date
        public var earlierCalls: Int
        /// True if no other channel can reach the person. The call then doesn't wait for
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

    public struct Turn: Equatable, Sendable {
        public var calls: [Call]
        /// When to decide about calls again; nil if no call waits.
        public var nextLook: Date?
    }

    /// Returns the calls to start now, and when to decide again.
    /// - Parameters:
    ///   - calls: the calls that wait or are in progress.
    ///   - order: the owner's order of responders. It decides between people with equally many
    ///     earlier calls. People with fewer earlier calls come first, so that an interrupted round
    ///     skips different people each time.
    ///   - busy: the people with a call about something else, and when it delays others no longer.
    public static func turn(
        of calls: [Call], order: [UserID], busy: [UserID: Date] = [:], at now: Date
    ) -> Turn {
        let waiting = calls.filter { $0.state == .waiting }
        // The earliest start counts: a person who became a responder during the round must not
        // delay the calls.
        guard let begin = waiting.map(\.createdAt).min() else {
            return Turn(calls: [], nextLook: nil)
        }
        let start = begin.adding(callsAfter)
        // If the start is in the future, a wrong clock wrote it. The wait then counts as over.
        let hasBegun = now >= start || begin > now
        let ready = hasBegun ? waiting : waiting.filter(\.isOnlyWay)
        guard !ready.isEmpty else { return Turn(calls: [], nextLook: start) }
        let places = Dictionary(
            order.enumerated().map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
        let waits = ready.compactMap { busy[$0.person] }.filter { $0 > now }
        let free = ready.filter { (busy[$0.person] ?? now) <= now }
        let inOrder = free.sorted { left, right in
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
            looks += ends + waits + (next.isEmpty ? [] : [now.adding(callPatience)])
        }
        return Turn(calls: next, nextLook: looks.min())
    }
}

/// The result of a call. An answering machine doesn't count as an answer.
public enum CallOutcome: Equatable, Sendable {
    /// The person pressed 1 and acknowledged the alert.
    case takesOn
    /// The person pressed 1, but another responder is on it, or the alert has ended.
    case comesLate
    /// The person pressed 2 ("I can't"), and isn't called again in this round.
    case declines
    /// The call failed, a machine answered, or the person pressed no key.
    case unanswered(DeliveryReason = .noAnswer)
}
