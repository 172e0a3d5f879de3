import Domain
import Foundation
import LivePages

/// The people told, a row each: "Ben: texted, answered".
func ledgerList<Action>(_ ledger: [AlertRecord.LedgerEntry], empty: String) -> HTML<Action> {
    guard !ledger.isEmpty else { return p(.class("quiet")) { empty } }
    return ul(.class("list ledger")) {
        for person in LedgerRow.rows(of: ledger) {
            li {
                strong { "\(ProfileRules.displayName(person.name)): " }
                person.words.joined(separator: ", ")
                span(.class("quiet")) {
                    " · "
                    moment(person.time, .absolute)
                }
            }
            .key(person.id)
        }
    }
}

/// Everything in the order of time: "10:04:31 Ben: SMS sent".
func ledgerTimeline<Action>(_ ledger: [AlertRecord.LedgerEntry]) -> HTML<Action> {
    guard !ledger.isEmpty else { return .empty }
    let entries = ledger.enumerated().sorted {
        ($0.element.happenedAt, $0.offset) < ($1.element.happenedAt, $1.offset)
    }
    return details {
        summary { "Step by step" }
        ol(.class("list timeline")) {
            for (number, entry) in entries {
                li {
                    moment(entry.happenedAt, .second)
                    " "
                    strong { "\(ProfileRules.displayName(entry.name)): " }
                    entry.words
                    if let next = entry.nextTime, !entry.state.isSettled {
                        " · "
                        moment(next, .second)
                    }
                    if let received = entry.receivedTime, entry.state != .received {
                        span(.class("quiet")) {
                            " · arrived "
                            moment(received, .second)
                        }
                    }
                }
                .key("step-\(number)")
            }
        }
    }
    .key("timeline")
}

/// The results of all messages to one person.
struct LedgerRow: Equatable {
    let id: String
    let name: String
    /// Each word once, in the order of the events.
    let words: [String]
    /// The time of the latest event.
    let time: Date

    static func rows(of ledger: [AlertRecord.LedgerEntry]) -> [LedgerRow] {
        var people: [String] = []
        for entry in ledger where !people.contains(entry.recipientId) {
            people.append(entry.recipientId)
        }
        return people.compactMap { id in
            let entries = ledger.filter { $0.recipientId == id }.sorted { $0.time < $1.time }
            guard let latest = entries.last else { return nil }
            var words: [String] = []
            for entry in entries where !words.contains(entry.summary) {
                words.append(entry.summary)
            }
            // An answer comes last, whatever arrived after it.
            let answer = words.filter { $0 == DeliveryState.answered }
            words = words.filter { $0 != DeliveryState.answered } + answer
            return LedgerRow(id: id, name: latest.name, words: words, time: latest.time)
        }
    }
}

extension AlertRecord.LedgerEntry {
    fileprivate var summary: String {
        switch state {
        case .accepted: channel.sent
        case .queued where Ladder.step(of: channel) ?? .push > .push && attempts == 0:
            "\(channel.noun) waits"
        case .queued, .sending: "\(channel.noun) on its way"
        case .retrying: "\(channel.noun) not delivered yet"
        case .received: "\(channel.noun) arrived"
        case .seen: "seen"
        case .acknowledged: DeliveryState.answered
        case .failed, .givenUp: "\(channel.noun) not delivered"
        case .superseded where Ladder.step(of: channel) ?? .push > .push && attempts == 0:
            "\(channel.noun) not needed"
        case .superseded: "replaced by newer news"
        case .unknown: "\(channel.noun) in an unknown state"
        }
    }
}

extension DeliveryState {
    fileprivate static let answered = "answered"
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
