import Domain
import Foundation
import Persistence

/// Telling someone: the entry in their notification centre, its event, and a row in the ledger for each way to reach them,
/// all in the transaction that gave the reason.
struct Telling {
    var text: NotificationText
    var about: UserID?
    var alert: AlertRow?
    var ping: PingID?
    var isReminder = false
    /// Goes to everyone it concerns by every channel, muted or not: news of an alert.
    var isUrgent = false
}

extension SafetyNetwork {
    func tell(_ recipient: Recipient, _ telling: Telling, at now: Date, in transaction: Transaction) throws {
        let type = telling.text.type
        guard telling.isUrgent || recipient.preferences.allows(type) else { return }
        let item = NotificationItem(
            id: newID(), type: type, title: telling.text.title, body: telling.text.body, createdAt: now,
            aboutUserID: telling.about, alertID: telling.alert?.id, pingID: telling.ping
        )
        try transaction.insert(item, of: recipient.id)
        let devices = try transaction.devices(of: recipient.id)
        var channels = DeliveryRules.channels(
            for: telling.isUrgent ? .alert : type, isReminder: telling.isReminder, hasDevices: !devices.isEmpty,
            smsAvailable: options.isSMSAvailable
        )
        if options.showsNotifications { channels.append(.console) }
        for channel in channels {
            let endpoints: [DeviceID?] = channel == .webhook ? devices.map(\.id) : [nil]
            for endpoint in endpoints {
                try transaction.insert(
                    NewDelivery(
                        id: newID(), recipient: recipient, item: item, channel: channel, deviceID: endpoint,
                        alertOwner: telling.alert?.userID
                    )
                )
            }
        }
        try transaction.append(.notification(item), to: recipient.id, at: now)
    }

    /// The alert's new state, to its owner and to all who watch over them.
    func publish(_ alert: AlertRow, to watchers: [UserID], at now: Date, in transaction: Transaction) throws {
        let event = try EncodedEvent(.alert(try transaction.record(of: alert)))
        for user in [alert.userID] + watchers { try transaction.append(event, to: user, at: now) }
    }

    /// Opens an alert and tells every responder; who has none is told that nobody was told.
    func open(_ alert: AlertRow, owner: UserRow, at now: Date, in transaction: Transaction) throws {
        try transaction.insert(alert)
        let responders = try transaction.responders(of: owner.id)
        try publish(alert, to: responders.map(\.id), at: now, in: transaction)
        let name = owner.displayName
        let text: NotificationText
        let toOwner: NotificationText?
        switch alert.kind {
        case .manual:
            text = .alertRaised(name: name, at: alert.startedAt)
            toOwner = responders.isEmpty ? .alertReachedNobody : nil
        case .missedCheckIn:
            let deadline = alert.deadlineAt ?? alert.startedAt
            text = .missedCheckIn(name: name, deadline: deadline, at: now, late: alert.toldLate)
            toOwner = responders.isEmpty ? .nobodyWasTold(deadline: deadline) : .respondersWereTold(deadline: deadline, count: responders.count)
        }
        for responder in responders {
            try tell(responder, Telling(text: text, about: owner.id, alert: alert, isUrgent: true), at: now, in: transaction)
        }
        if let toOwner {
            try tell(Recipient(owner), Telling(text: toOwner, about: owner.id, alert: alert, isUrgent: true), at: now, in: transaction)
        }
    }

    /// Ends an alert and tells the responders who had been told of it.
    func end(_ alert: AlertRow, owner: UserRow, saying text: NotificationText, at now: Date, in transaction: Transaction) throws -> AlertRow {
        var ended = alert
        ended.endedAt = now
        try transaction.update(ended)
        let responders = try transaction.responders(of: owner.id)
        let told = try transaction.told(of: alert)
        try publish(ended, to: responders.map(\.id), at: now, in: transaction)
        for responder in responders where told.contains(responder.id) {
            try tell(responder, Telling(text: text, about: owner.id, alert: ended, isUrgent: true), at: now, in: transaction)
        }
        return ended
    }
}
