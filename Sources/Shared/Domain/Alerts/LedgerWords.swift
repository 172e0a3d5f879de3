import Foundation

extension AlertRecord.LedgerEntry {
    public var happenedAt: Date {
        // Older servers don't give the time of sending.
        if state == .seen, isOpened, attempts > 0 { return sentTime ?? time }
        if tellsReceipt, let receivedTime { return receivedTime }
        return changedTime ?? time
    }

    /// True if the person opened the message, the app or the page. An SMS, an e-mail or a call is
    /// also seen if it arrived.
    public var isOpened: Bool {
        guard state == .seen else { return state == .acknowledged && openedTime != nil }
        switch reason.flatMap(DeliveryReason.init(description:))?.kind {
        case .opened: return true
        case .declined: return false
        case nil: return ![.sms, .email, .voice].contains(channel)
        default: return channel != .voice
        }
    }

    /// When the person opened it; nil if they haven't.
    public var openedAt: Date? { isOpened ? openedTime ?? changedTime ?? time : nil }

    /// True if `words` already say that the message arrived before the answer, so `happenedAt` is
    /// the time of receipt.
    public var tellsReceipt: Bool {
        let isPlain = reason == nil || reason == DeliveryReason.Kind.declined.rawValue
        return state == .acknowledged && receivedTime != nil && isPlain
    }

    /// True if the retries ended, as by newer news or an answer, after an attempt that the provider
    /// may have accepted.
    public var isPerhapsSent: Bool {
        [.superseded, .acknowledged, .givenUp].contains(state) && attempts > 0
            && reason.flatMap(DeliveryReason.init(description:))?.isUncertain == true
    }

    /// The event without person and time: "SMS sent", "call: no answer".
    public var words: String {
        if isPerhapsSent { return "\(noun) perhaps \(sending)" }
        let why = reason.flatMap(DeliveryReason.init(description:))
        switch state {
        // The answer of such a person has its own line.
        case .queued where why?.kind == .notAccepted, .acknowledged where why?.kind == .notAccepted:
            return "not an accepted responder"
        case .queued where why?.kind == .waitingForAnswer: return "\(noun) if they do not react"
        case .queued where why?.kind == .waitingForReceipt:
            return "\(noun) if no other message arrives"
        case .queued where why?.kind == .waitingForTurn:
            return "\(noun) unless someone takes it on"
        case .queued where channel == .stream: return "\(noun) not shown yet"
        case .queued, .sending: return "\(noun) on its way"
        case .retrying: return "\(noun) not delivered yet\(because(why)); trying again"
        case .accepted: return sent
        case .received: return "\(noun) arrived"
        case .seen where isOpened: return attempts > 0 ? sent : "opened it"
        case .seen where why?.kind == .declined: return "answered the \(noun): can’t help"
        case .seen: return channel == .voice ? "answered the \(noun)" : "\(noun) arrived"
        // The answer has its own line. A reason other than these two is that of a failed attempt.
        case .acknowledged where why?.kind == .declined: return "answered the \(noun): can’t help"
        case .acknowledged where tellsReceipt:
            return channel == .voice ? "answered the \(noun)" : "\(noun) arrived"
        case .acknowledged where attempts > 0 && (why == nil || why?.kind == .opened): return sent
        case .acknowledged where isOpened: return "opened it"
        case .acknowledged: return "\(noun) not needed\(because(.answered))"
        case .failed where channel == .voice && why?.isOfTheCall == true:
            return "\(noun)\(because(why))"
        case .failed, .givenUp: return "\(noun) not delivered\(because(why))"
        case .superseded: return "\(noun) not needed\(because(why ?? .superseded))"
        case .unknown: return "\(noun) in an unknown state"
        }
    }

    private func because(_ reason: DeliveryReason?) -> String {
        reason.flatMap(\.words).map { ": \($0)" } ?? ""
    }

    private var sent: String { "\(noun) \(sending)" }

    private var sending: String {
        switch channel {
        case .stream: "shown"
        case .voice: "placed"
        default: "sent"
        }
    }

    private var noun: String {
        switch channel {
        case .stream: "message in the app"
        case .console: "message on the server’s screen"
        case .webhook: "webhook"
        case .webPush, .apns, .fcm: "push message"
        case .sms: "SMS"
        case .email: "e-mail"
        case .voice: "call"
        case .unknown: "message"
        }
    }
}

extension DeliveryReason {
    /// Parses a `description`; nil for a reason that only newer servers know.
    public init?(description: String) {
        if let kind = Kind(rawValue: description) {
            self.init(kind)
            return
        }
        guard let dash = description.lastIndex(of: "-"),
            let kind = Kind(rawValue: String(description[..<dash])),
            let code = Int(description[description.index(after: dash)...])
        else { return nil }
        self.init(kind, code: code)
    }

    /// True if a phone rang.
    fileprivate var isOfTheCall: Bool {
        kind == .declined || Kind.ofRingingCalls.contains(kind)
    }

    /// The reason as text, such as "no reply in time"; nil if there is nothing to add.
    public var words: String? {
        switch kind {
        case .http: code.map { "the receiver answered with error \($0)" }
        case .twilio: code.map { "the provider reports error \($0)" }
        case .timeout: "no reply in time"
        case .notConnected: "no connection in time"
        case .unresolved: "the address was not found"
        case .offline: "the server had no connection"
        case .connectionRefused: "the receiver refused the connection"
        case .insecure: "the connection was not secure"
        case .interrupted: "the connection broke"
        case .privateAddress: "the address is not public"
        case .endpointRemoved: "this device was removed"
        case .keyChanged: "the browser has to be registered again"
        case .serviceFailing: "the push service does not work"
        case .credentials: "the push service refuses this server"
        case .unreadableKeys: "the browser’s keys can’t be used"
        case .tooLate: "it would have arrived too late"
        case .notificationDeleted: "they deleted it"
        case .recipientUnreadable: "the number can’t be used"
        case .superseded: "replaced by newer news"
        case .storm: "they were told shortly before"
        case .accountDeleted: "they left LifeSignal"
        case .waitingForAnswer: "waiting for an answer by push"
        case .waitingForReceipt: "waiting for the other messages"
        case .waitingForTurn: "waiting for its turn"
        case .opened: "they opened it"
        case .answered: "they answered"
        case .declined: "they can’t help"
        case .textsStopped: "they have stopped text messages"
        case .takenOn: "someone is on it"
        case .noAnswer: "no answer"
        case .voicemail: "a machine answered"
        case .lineBusy: "the line was busy"
        case .callFailed: "the call failed"
        case .noKeyPressed: "no key was pressed"
        case .overBudget: "the server’s budget is used up"
        case .signInRefused: "the mail server refused the server’s sign-in"
        case .smtp: code.map { "the mail server answered with \($0)" }
        case .notAccepted: "they are not an accepted responder"
        case .unconfirmed: "unknown whether it was accepted"
        case .other: nil
        }
    }
}
