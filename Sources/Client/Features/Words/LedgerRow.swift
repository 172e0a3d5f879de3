import Domain
import Foundation

/// A row with the results of all messages to one person: "Ben: texted, answered".
public struct LedgerRow: Equatable, Sendable, Identifiable {
    public let id: String
    public let name: String
    /// The results up to the answer, if messages followed it: "texted, answered".
    public let earlier: Earlier?
    /// The results in the order of events, without repetitions. Once a message was delivered,
    /// without those that were not needed or not shown.
    public let words: [String]
    /// The time of the answer if it is the last word, otherwise of the newest message.
    public let time: Date

    public struct Earlier: Equatable, Sendable {
        public let words: [String]
        /// When the person answered.
        public let time: Date
    }

    /// Returns a row for each person, in the order of the ledger.
    /// - Parameter actions: the responders' actions. If a responder's last action is a refusal,
    ///   their row says "can't come" instead of "answered". If it is the end of their role, it says
    ///   that.
    /// - Parameter stopped: the ids of `stopped` responders. They may have no app.
    public static func rows(
        of ledger: [AlertRecord.LedgerEntry], actions: [AlertAction] = [],
        stopped: Set<String> = []
    ) -> [LedgerRow] {
        // The server enters a lapse, not the responder.
        let acts = actions.filter { $0.kind != .lapsed }
        let last = Dictionary(
            acts.map { ($0.responderId, $0) }, uniquingKeysWith: { $1 })
        var people: [String] = []
        for entry in ledger where !people.contains(entry.recipientId) {
            people.append(entry.recipientId)
        }
        return people.compactMap { id in
            row(
                of: id, ledger.filter { $0.recipientId == id }.sorted { $0.time < $1.time },
                last[id], isReached: !stopped.contains(id))
        }
    }

    private static func row(
        of id: String, _ entries: [AlertRecord.LedgerEntry], _ act: AlertAction?, isReached: Bool
    ) -> LedgerRow? {
        guard let latest = entries.last else { return nil }
        func row(_ words: [String], _ time: Date, after earlier: Earlier? = nil) -> LedgerRow {
            LedgerRow(id: id, name: latest.name, earlier: earlier, words: words, time: time)
        }
        let isAnswered = entries.contains { $0.state == .acknowledged }
        guard act?.kind.isRefusal == true || isAnswered else {
            return row(results(of: entries, isReached: isReached), latest.time)
        }
        let answer =
            if act?.isLossOfRole == true {
                DeliveryState.lostRole
            } else {
                act?.kind.isRefusal == true ? DeliveryState.refused : DeliveryState.answered
            }
        // The server stamps both times. Without the act, the answer comes last.
        let time = act?.time ?? latest.time
        let told = results(of: entries.filter { $0.time <= time }, isReached: isReached)
        let answered = told + [answer]
        let later = entries.filter { $0.time > time && !$0.isWithdrawn }
        let new = results(of: later, isReached: isReached)
        guard let newest = later.last, !new.isEmpty else { return row(answered, time) }
        return row(new, newest.time, after: Earlier(words: answered, time: time))
    }

    /// Returns the results of the messages, without the answer to them.
    private static func results(
        of entries: [AlertRecord.LedgerEntry], isReached: Bool
    ) -> [String] {
        let isTold = entries.contains(where: \.isDelivered)
        var words: [String] = []
        for entry in isTold ? entries.filter(\.isNews) : entries
        where entry.state != .acknowledged {
            let summary = !isReached && entry.isUnshown ? "can’t be reached" : entry.summary
            if !words.contains(summary) { words.append(summary) }
        }
        return words
    }
}

extension AlertRecord.LedgerEntry {
    /// True if a message reached the person. The console shows messages to the operator only.
    var isDelivered: Bool {
        [.accepted, .received, .seen, .acknowledged].contains(state) && channel != .console
    }

    /// True for a message that only an open app would show, and none has.
    var isUnshown: Bool { channel == .stream && [.queued, .superseded].contains(state) }

    /// False if the result tells nothing about a person who got another message.
    fileprivate var isNews: Bool {
        !isWithdrawn && !(state == .queued && channel == .stream)
    }

    /// True if the message was replaced before it was sent.
    fileprivate var isWithdrawn: Bool { state == .superseded && !isPerhapsSent }

    fileprivate var summary: String {
        switch state {
        case .queued where reason == "\(DeliveryReason.notAccepted)": words
        case .accepted: channel.sent
        case .queued where Ladder.step(of: channel) ?? .push > .push && attempts == 0:
            "\(channel.noun) waits"
        case .queued where channel == .stream: "\(channel.noun) not shown yet"
        case .queued, .sending: "\(channel.noun) on its way"
        case .retrying: "\(channel.noun) not delivered yet"
        case .received: "\(channel.noun) arrived"
        case .seen: "seen"
        case .acknowledged: DeliveryState.answered
        case .givenUp where isPerhapsSent: "perhaps \(channel.sent)"
        case .failed, .givenUp: "\(channel.noun) not delivered"
        case .superseded where Ladder.step(of: channel) ?? .push > .push && attempts == 0:
            "\(channel.noun) not needed"
        case .superseded where isPerhapsSent: "perhaps \(channel.sent)"
        case .superseded: "replaced by newer news"
        case .unknown: "\(channel.noun) in an unknown state"
        }
    }
}

extension DeliveryState {
    fileprivate static let answered = "answered"
    fileprivate static let refused = "can’t come"
    fileprivate static let lostRole = "stopped being a responder"
}

extension DeliveryChannel {
    fileprivate var sent: String {
        switch self {
        case .sms: "texted"
        case .email: "sent an e-mail"
        case .voice: "called"
        case .stream: "told in the app"
        case .webhook: "sent a push message"
        case .webPush: "sent to the browser"
        case .apns, .fcm: "sent to the phone"
        case .console: "shown on the server’s screen"
        case .unknown: "told in another way"
        }
    }

    fileprivate var noun: String {
        switch self {
        case .sms: "text"
        case .email: "e-mail"
        case .voice: "call"
        case .stream: "message in the app"
        case .webhook: "push message"
        case .webPush: "message to the browser"
        case .apns, .fcm: "message to the phone"
        case .console: "message on the server’s screen"
        case .unknown: "message"
        }
    }
}
