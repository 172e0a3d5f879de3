import Domain
import Foundation
import Persistence

extension SafetyNetwork {
    /// Publishes the alert's new state to its owner and to everyone who is notified of it.
    func publish(_ alert: AlertRow, to watchers: [UserID], in transaction: Transaction) throws {
        // Ids in it differ from viewer to viewer, but not while nobody has done anything.
        let forOwner = try transaction.record(of: alert, for: viewer(alert.userID))
        let isSame = forOwner.acknowledgement == nil && forOwner.report == nil
        let event = try EncodedEvent(.alert(forOwner))
        try transaction.append(event, to: alert.userID)
        for watcher in watchers {
            let own =
                isSame
                ? event
                : try EncodedEvent(.alert(try transaction.record(of: alert, for: viewer(watcher))))
            try transaction.append(own, to: watcher)
        }
    }

    func viewer(_ id: UserID) -> AlertViewer {
        AlertViewer(id) { [key] in key.alias(of: $0.uuid, in: $1.uuid) }
    }

    /// Opens an alert and notifies every responder; an owner without responders is notified that
    /// nobody was.
    /// - Parameter incompleteSince: since when check-ins may have been lost by a restore.
    func open(
        _ alert: AlertRow, owner: UserRow, incompleteSince: Date? = nil,
        in transaction: Transaction
    ) throws {
        try transaction.insert(alert)
        let responders = try transaction.responders(of: owner.id)
        try publish(alert, to: responders.map(\.id), in: transaction)
        let text = text(
            ofBeginning: alert, owner: owner, incompleteSince: incompleteSince, at: transaction.now)
        try notify(
            responders, .urgent(text, about: owner.id, alert: alert, .alertBegin), in: transaction)
        let toOwner: NotificationText? =
            switch alert.kind {
            case .manual: responders.isEmpty ? .alertReachedNobody : nil
            case .missedCheckIn:
                responders.isEmpty
                    ? .nobodyWasTold(deadline: alert.deadlineAt ?? alert.startedAt)
                    : .respondersWereTold(
                        deadline: alert.deadlineAt ?? alert.startedAt, count: responders.count)
            }
        if let toOwner {
            try notify(
                Recipient(owner), .urgent(toOwner, about: owner.id, alert: alert, .alertBegin),
                in: transaction)
        }
    }

    private func text(
        ofBeginning alert: AlertRow, owner: UserRow, incompleteSince: Date?, at now: Date
    ) -> NotificationText {
        let deadline = alert.deadlineAt ?? alert.startedAt
        return switch alert.kind {
        case .manual:
            .alertRaised(
                name: owner.displayName, at: alert.startedAt, receivedAt: alert.receivedAt)
        case .missedCheckIn:
            incompleteSince.map {
                .mayHaveMissed(name: owner.displayName, deadline: deadline, incompleteSince: $0)
            }
                ?? .missedCheckIn(
                    name: owner.displayName, deadline: deadline, at: now, late: alert.toldLate)
        }
    }

    /// Another deadline has passed while the alert of an earlier one is open: it counts anew. Those
    /// who hear of it are all responders, or the one who is on it.
    func restart(
        _ open: AlertRow, missing deadline: Date, owner: UserRow,
        in transaction: Transaction
    ) throws {
        var alert = open
        alert.escalation = alert.escalation.restarted(at: transaction.now)
        alert.deadlineAt = deadline
        alert.isOwnerNotified = false
        alert.withoutSMS = false
        try transaction.update(alert)
        let responders = try transaction.responders(of: owner.id)
        try publish(alert, to: responders.map(\.id), in: transaction)
        let text = NotificationText.missedAgain(name: owner.displayName, deadline: deadline)
        let onIt = alert.acknowledgedBy ?? alert.reportedBy
        try notify(
            responders.filter { onIt == nil || onIt == $0.id },
            .urgent(text, about: owner.id, alert: alert, .alertRepeat), in: transaction)
        let toOwner: NotificationText =
            responders.isEmpty
            ? .nobodyWasTold(deadline: deadline)
            : .respondersWereTold(deadline: deadline, count: responders.count)
        try notify(
            Recipient(owner), .urgent(toOwner, about: owner.id, alert: alert),
            in: transaction)
    }

    /// Ends an alert. The end reaches everyone who heard of the beginning, by at least the same
    /// channels; what has not gone out yet is withdrawn.
    func end(
        _ alert: AlertRow, owner: UserRow, saying text: NotificationText,
        in transaction: Transaction
    ) throws -> AlertRow {
        var ended = alert
        ended.endedAt = transaction.now
        try transaction.update(ended)
        let reach = try transaction.reach(of: alert)
        try transaction.supersede(alert)
        let responders = try transaction.responders(of: owner.id)
        try publish(ended, to: responders.map(\.id), in: transaction)
        for bySMS in [true, false] {
            try notify(
                responders.filter { reach[$0.id]?.bySMS == bySMS },
                .urgent(text, about: owner.id, alert: ended, .alertEnd, bySMS: bySMS),
                in: transaction)
        }
        return ended
    }
}
