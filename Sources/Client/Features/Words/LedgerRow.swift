import Domain
import Foundation

/// A row with the results of all messages to one person: "Ben: texted, answered".
public struct LedgerRow: Equatable, Sendable, Identifiable {
    public let id: String
    public let name: String
    /// The results in the order of events, without repetitions. Once a message was delivered,
    /// without those that were not needed or not shown.
    public let words: [String]
    public let time: Date

    /// Returns a row for each person, in the order of the ledger.
    /// - Parameter actions: the responders' actions. If a responder's last action is a refusal,
    ///   their row says "can't come" instead of "answered".
    /// - Parameter stopped: the ids of responders whom nothing reaches since their STOP. They may
    ///   have no app.
    public static func rows(
        of ledger: [AlertRecord.LedgerEntry], actions: [AlertAction] = [],
        stopped: Set<String> = []
    ) -> [LedgerRow] {
        let last = Dictionary(
            actions.map { ($0.responderId, $0.kind) }, uniquingKeysWith: { $1 })
        var people: [String] = []
        for entry in ledger where !people.contains(entry.recipientId) {
            people.append(entry.recipientId)
        }
        return people.compactMap { id in
            let entries = ledger.filter { $0.recipientId == id }.sorted { $0.time < $1.time }
            guard let latest = entries.last else { return nil }
            let isTold = entries.contains(where: \.isDelivered)
            var words: [String] = []
            let news = isTold ? entries.filter(\.isNews) : entries
            for entry in news {
                let summary =
                    stopped.contains(id) && entry.isUnshown ? "can’t be reached" : entry.summary
                if !words.contains(summary) { words.append(summary) }
            }
            // An answer comes last, even if messages arrived after it.
            let answer =
                last[id]?.isRefusal == true
                ? [DeliveryState.refused] : words.filter { $0 == DeliveryState.answered }
            words = words.filter { $0 != DeliveryState.answered } + answer
            return LedgerRow(id: id, name: latest.name, words: words, time: latest.time)
        }
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
        (state != .superseded || isPerhapsSent) && !(state == .queued && channel == .stream)
    }

    fileprivate var summary: String {
        switch state {
        case .accepted: channel.sent
        case .queued where Ladder.step(of: channel) ?? .push > .push && attempts == 0:
            "\(channel.noun) waits"
        case .queued where channel == .stream: "\(channel.noun) not shown yet"
        case .queued, .sending: "\(channel.noun) on its way"
        case .retrying: "\(channel.noun) not delivered yet"
        case .received: "\(channel.noun) arrived"
        case .seen: "seen"
        case .acknowledged: DeliveryState.answered
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
