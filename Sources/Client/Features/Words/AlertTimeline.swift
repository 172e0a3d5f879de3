import Domain
import Foundation

/// The history of an alert: people’s actions, and the people that messages reached.
public struct AlertTimeline: Equatable, Sendable {
    public struct Step: Equatable, Sendable, Identifiable {
        /// The place in the timeline, from 0.
        public let id: Int
        public let time: Date
        public let words: String
        /// When the message reached its recipient, if the words don't say that.
        public let arrived: Date?
        /// When the next attempt is due.
        public let next: Date?
    }

    /// In the order of time.
    public let steps: [Step]

    /// - Parameters:
    ///   - reader: the id of the person who reads this; nil if unknown.
    ///   - person: the name of the person who needs help; nil if that is the reader.
    ///   - stopped: the ids of `stopped` responders.
    public init(
        _ alert: AlertRecord, reader: UserID?, person: String?, stopped: Set<String> = []
    ) {
        let reader = person == nil ? alert.userId : reader?.description
        // Events of the same moment keep this order.
        var events = [Event(alert.startTime, alert.kind.words)]
        if let received = alert.receivedTime {
            events.append(Event(received, "The alert reached LifeSignal"))
        }
        let told = alert.ledger.filter {
            // A guest who sent STOP can't see messages in the app.
            $0.recipientId != alert.userId && !($0.isUnshown && stopped.contains($0.recipientId))
        }
        // When each person first opened a message.
        let opened = Dictionary(
            told.compactMap { entry in entry.openedAt.map { (entry.recipientId, $0) } },
            uniquingKeysWith: min)
        var haveOpened: Set<String> = []
        for entry in told {
            let name = entry.recipientId == reader ? "You" : displayed(entry.name)
            if !entry.isOpened || entry.attempts > 0 { events.append(Event(entry, name: name)) }
            if let time = opened[entry.recipientId],
                haveOpened.insert(entry.recipientId).inserted
            {
                events.append(Event(time, "\(name): opened it"))
            }
        }
        for action in Self.actions(alert) {
            let name = action.responderId == reader ? nil : displayed(action.name)
            events.append(Event(action.time, action.wordsWithMeans(by: name, about: person)))
        }
        if let end = alert.endTime {
            let words = endWords(alert.kind, person ?? "You")
            events.append(Event(end, alert.endPlace.map { "\(words) \($0)" } ?? words))
        }
        let ordered = events.enumerated().sorted {
            ($0.element.time, $0.offset) < ($1.element.time, $1.offset)
        }
        steps = ordered.map(\.element).enumerated().map { place, event in
            Step(
                id: place, time: event.time, words: event.words, arrived: event.arrived,
                next: event.next)
        }
    }

    /// The responders' actions. A list's record has only the acknowledgement.
    private static func actions(_ alert: AlertRecord) -> [AlertAction] {
        guard let taken = alert.acknowledgement,
            !alert.history.contains(where: { $0.kind == .acknowledged })
        else { return alert.history }
        let action = AlertAction(
            kind: .acknowledged, responderId: taken.responderId, name: taken.name, time: taken.time)
        return [action] + alert.history
    }

    private struct Event {
        var time: Date
        var words: String
        var arrived: Date?
        var next: Date?

        init(_ time: Date, _ words: String) { (self.time, self.words) = (time, words) }

        init(_ entry: AlertRecord.LedgerEntry, name: String) {
            self.init(entry.happenedAt, "\(name): \(entry.words)")
            arrived = entry.state == .received || entry.tellsReceipt ? nil : entry.receivedTime
            next = entry.state.isSettled ? nil : entry.nextTime
        }
    }
}

private func displayed(_ name: String) -> String { ProfileRules.displayName(name) }

extension AlertRecord {
    /// The timeline, once the details are loaded; nil before that.
    /// - Parameters: as in `AlertTimeline.init`.
    public func timeline(
        reader: UserID?, person: String?, stopped: Set<String> = []
    ) -> AlertTimeline? {
        history.isEmpty && ledger.isEmpty
            ? nil : AlertTimeline(self, reader: reader, person: person, stopped: stopped)
    }
}

extension DependentAlertFeature.State {
    /// nil before the details have loaded.
    public var timeline: AlertTimeline? {
        alert?.timeline(reader: ownID, person: displayName)
    }
}
