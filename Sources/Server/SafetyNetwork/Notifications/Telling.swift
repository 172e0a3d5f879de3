import Domain
import Foundation
import Persistence

/// Telling someone: the entry in their notification centre, its event, and a row in the ledger for
/// each way to reach them, all in the transaction that gave the reason.
struct Telling {
    var text: NotificationText
    var about: UserID?
    var alert: AlertRow?
    var ping: PingID?
    var isReminder = false
    /// Goes to everyone it concerns by every channel, muted or not: news of an alert.
    var isUrgent = false
    var cannotBeMuted = false
    var purpose = DeliveryPurpose.other
    /// Whether an urgent message goes by SMS as well.
    var bySMS = true

    /// News of an alert.
    static func urgent(
        _ text: NotificationText, about: UserID?, alert: AlertRow,
        _ purpose: DeliveryPurpose = .alertNews, bySMS: Bool = true
    ) -> Telling {
        Telling(
            text: text, about: about, alert: alert, isUrgent: true, purpose: purpose, bySMS: bySMS)
    }
}

extension SafetyNetwork {
    func tell(
        _ recipient: Recipient, _ telling: Telling, at now: Date, in transaction: Transaction
    ) throws {
        let type = telling.text.type
        guard telling.isUrgent || telling.cannotBeMuted || recipient.preferences.allows(type) else { return }
        let item = NotificationItem(
            id: newID(), type: type, title: telling.text.title, body: telling.text.body,
            createdAt: now, aboutUserID: telling.about, alertID: telling.alert?.id,
            pingID: telling.ping
        )
        try transaction.insert(item, of: recipient.id)
        if telling.purpose == .alertBegin, let alert = telling.alert {
            try transaction.overtakeEnds(of: alert.userID, for: recipient.id, at: now)
        }
        let devices = try transaction.devices(of: recipient.id)
        var channels = DeliveryRules.channels(
            for: telling.isUrgent ? .alert : type, isReminder: telling.isReminder,
            hasDevices: !devices.isEmpty,
            smsAvailable: options.isSMSAvailable && recipient.isAccepted && telling.bySMS
        )
        if options.showsNotifications { channels.append(.console) }
        for channel in channels {
            let endpoints: [DeviceID?] = channel == .webhook ? devices.map(\.id) : [nil]
            for endpoint in endpoints {
                var delivery = NewDelivery(
                    id: newID(), recipient: recipient, item: item, channel: channel,
                    deviceID: endpoint, alertOwner: telling.alert?.userID,
                    purpose: telling.purpose, isUrgent: telling.isUrgent
                )
                if channel == .sms, let alert = telling.alert {
                    try limit(&delivery, about: alert, at: now, in: transaction)
                }
                try transaction.insert(delivery)
            }
        }
        try transaction.append(.notification(item), to: recipient.id, at: now)
    }

    /// Holds the limits of SMS for each owner and responder (product.md, "Storms").
    private func limit(
        _ sms: inout NewDelivery, about alert: AlertRow, at now: Date, in transaction: Transaction
    ) throws {
        let (owner, recipient) = (alert.userID, sms.recipient.id)
        switch sms.purpose {
        case .alertBegin:
            let hasHeard = try transaction.hasHeardBeforeWaitingEnd(
                of: owner, for: recipient, at: now)
            guard let hasHeard else { return }
            try transaction.withdrawWaitingEnds(of: owner, for: recipient, at: now)
            // The last SMS they got says that the owner needs help, which is true again.
            if hasHeard { sms.spared = StormRules.reason }
        case .alertEnd:
            let recent = try transaction.countAlerts(
                of: owner, receivedSince: now.adding(.zero - StormRules.window))
            let delay = StormRules.delayOfEnd(recentAlerts: recent)
            if delay > .zero { sms.notBefore = now.adding(delay) }
        case .alertNews:
            let sent = try transaction.countSMS(
                about: alert, to: recipient, since: now.adding(.zero - StormRules.window))
            if sent >= StormRules.newsLimit || alert.withoutSMS { sms.spared = StormRules.reason }
        case .alertRepeat:
            // Alarms are never limited, but for those that a migration found to be a week old.
            if alert.withoutSMS { sms.spared = StormRules.reason }
        case .reminder, .other: break
        }
    }

    /// The alert's new state, to its owner and to all who are told about them.
    func publish(
        _ alert: AlertRow, to watchers: [UserID], at now: Date, in transaction: Transaction
    ) throws {
        // Ids in it differ from viewer to viewer, but not while nobody has done anything.
        let forOwner = try transaction.record(of: alert, for: viewer(alert.userID))
        let isSame = forOwner.acknowledgement == nil && forOwner.report == nil
        let event = try EncodedEvent(.alert(forOwner))
        try transaction.append(event, to: alert.userID, at: now)
        for watcher in watchers {
            let own =
                isSame
                ? event
                : try EncodedEvent(.alert(try transaction.record(of: alert, for: viewer(watcher))))
            try transaction.append(own, to: watcher, at: now)
        }
    }

    func viewer(_ id: UserID) -> AlertViewer {
        AlertViewer(id) { [key] in key.alias(of: $0.uuid, in: $1.uuid) }
    }

    /// Opens an alert and tells every responder; an owner without responders is told that nobody was.
    /// - Parameter incompleteSince: since when check-ins may have been lost by a restore.
    func open(
        _ alert: AlertRow, owner: UserRow, incompleteSince: Date? = nil, at now: Date,
        in transaction: Transaction
    ) throws {
        try transaction.insert(alert)
        let responders = try transaction.responders(of: owner.id)
        try publish(alert, to: responders.map(\.id), at: now, in: transaction)
        let text = text(
            ofBeginning: alert, owner: owner, incompleteSince: incompleteSince, at: now)
        for responder in responders {
            try tell(
                responder, .urgent(text, about: owner.id, alert: alert, .alertBegin), at: now,
                in: transaction)
        }
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
            try tell(
                Recipient(owner), .urgent(toOwner, about: owner.id, alert: alert, .alertBegin),
                at: now, in: transaction)
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
        _ open: AlertRow, missing deadline: Date, owner: UserRow, at now: Date,
        in transaction: Transaction
    ) throws {
        var alert = open
        alert.escalation = alert.escalation.restarted(at: now)
        alert.deadlineAt = deadline
        alert.ownerTold = false
        alert.withoutSMS = false
        try transaction.update(alert)
        let responders = try transaction.responders(of: owner.id)
        try publish(alert, to: responders.map(\.id), at: now, in: transaction)
        let text = NotificationText.missedAgain(name: owner.displayName, deadline: deadline)
        let onIt = alert.acknowledgedBy ?? alert.reportedBy
        for responder in responders where onIt == nil || onIt == responder.id {
            let again = Telling.urgent(text, about: owner.id, alert: alert, .alertRepeat)
            try tell(responder, again, at: now, in: transaction)
        }
        let toOwner: NotificationText =
            responders.isEmpty
            ? .nobodyWasTold(deadline: deadline)
            : .respondersWereTold(deadline: deadline, count: responders.count)
        try tell(
            Recipient(owner), .urgent(toOwner, about: owner.id, alert: alert), at: now,
            in: transaction)
    }

    /// Ends an alert. The end reaches everyone who heard of the beginning, by at least the same
    /// channels; what has not gone out yet is withdrawn.
    func end(
        _ alert: AlertRow, owner: UserRow, saying text: NotificationText, at now: Date,
        in transaction: Transaction
    ) throws -> AlertRow {
        var ended = alert
        ended.endedAt = now
        try transaction.update(ended)
        let reach = try transaction.reach(of: alert)
        try transaction.supersede(alert, at: now)
        let responders = try transaction.responders(of: owner.id)
        try publish(ended, to: responders.map(\.id), at: now, in: transaction)
        for responder in responders {
            guard let reached = reach[responder.id] else { continue }
            let end = Telling.urgent(
                text, about: owner.id, alert: ended, .alertEnd, bySMS: reached.bySMS)
            try tell(responder, end, at: now, in: transaction)
        }
        return ended
    }
}
