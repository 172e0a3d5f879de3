import Domain
import Foundation
import Persistence

/// An alert that is to be opened.
struct AlertBeginning {
    var alert: AlertRow
    var owner: UserRow
    /// Check-ins since then may have been lost by a restore.
    var incompleteSince: Date?

    private var deadline: Date { alert.deadlineAt ?? alert.startedAt }

    func notice(_ text: NotificationText) -> Notice {
        .urgent(text, about: owner.id, alert: alert, .alertBegin)
    }

    /// The text for responders.
    func text(at now: Date) -> NotificationText {
        beginning(at: now).withEmergencyNumber(of: owner.displayName, owner.phoneNumber)
    }

    private func beginning(at now: Date) -> NotificationText {
        switch alert.kind {
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

    /// nil if the owner knows.
    func textToOwner(responders count: Int) -> NotificationText? {
        switch alert.kind {
        case .manual:
            count == 0 ? .alertReachedNobody.withOwnEmergencyNumber(owner.phoneNumber) : nil
        case .missedCheckIn:
            count == 0
                ? .nobodyWasTold(deadline: deadline)
                : .respondersWereTold(deadline: deadline, count: count)
        }
    }
}

extension NotificationText {
    /// Text for responders while nobody has answered.
    static func alertRepeated(of owner: UserRow, kind: AlertKind, since time: Date) -> Self {
        alertRepeated(name: owner.displayName, kind: kind, since: time)
            .withEmergencyNumber(of: owner.displayName, owner.phoneNumber)
    }
}

extension SafetyNetwork {
    /// Publishes the alert's new state to its owner and to everyone who is notified of it.
    /// - Parameter isNew: true if it was inserted in this transaction.
    func publish(
        _ alert: AlertRow, to watchers: [UserID], isNew: Bool = false, in transaction: Transaction
    ) throws {
        // Ids in it differ from viewer to viewer, but not while nobody has done anything.
        let owner = viewer(alert.userID)
        let forOwner =
            isNew
            ? try transaction.record(ofNew: alert, for: owner)
            : try transaction.record(of: alert, for: owner)
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

    /// Opens alerts and notifies every responder; an owner without responders is notified that
    /// nobody was. The number of statements does not grow with the number of alerts where each is
    /// a round trip.
    func open(_ beginnings: [AlertBeginning], in transaction: Transaction) throws {
        guard !beginnings.isEmpty else { return }
        let beginnings = beginnings.map { beginning in
            var beginning = beginning
            beginning.alert.nextCallAt = firstCall(after: transaction.now)
            return beginning
        }
        try transaction.insert(beginnings.map(\.alert))
        try endDrills(ofAlerted: beginnings.map(\.owner.id), in: transaction)
        let responders = try transaction.responders(of: beginnings.map(\.owner.id))
        var announcements: [Announcement] = []
        for beginning in beginnings {
            let told = responders[beginning.owner.id] ?? []
            try publish(beginning.alert, to: told.map(\.id), isNew: true, in: transaction)
            announcements.append(
                Announcement(to: told, beginning.notice(beginning.text(at: transaction.now))))
            if let toOwner = beginning.textToOwner(responders: told.count) {
                announcements.append(
                    Announcement(
                        to: [Recipient(beginning.owner)], beginning.notice(toOwner)))
            }
        }
        try notify(announcements, in: transaction)
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
        alert.nextCallAt = firstCall(after: transaction.now)
        try transaction.update(alert)
        try transaction.withdrawSteps(
            from: .call, about: AlertKey(owner: owner.id, id: alert.id), reason: .superseded)
        let responders = try transaction.responders(of: owner.id)
        try publish(alert, to: responders.map(\.id), in: transaction)
        let text = NotificationText.missedAgain(name: owner.displayName, deadline: deadline)
            .withEmergencyNumber(of: owner.displayName, owner.phoneNumber)
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
