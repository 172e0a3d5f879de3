import Domain
import Foundation
import Persistence

/// Telling someone: the entry in their notification centre, its event, and a row in the ledger for
/// each way to reach them, all in the transaction that gave the reason.
struct Notice {
    var text: NotificationText
    var about: UserID?
    var alert: AlertRow?
    var ping: PingID?
    var isReminder = false
    /// Goes to everyone it concerns by every channel, muted or not: news of an alert.
    var isUrgent = false
    var cannotBeMuted = false
    /// The recipient did it: nothing that any of their devices has to announce.
    var isRead = false
    var purpose = DeliveryPurpose.other
    /// True if an urgent message goes by SMS as well.
    var bySMS = true

    /// News of an alert.
    static func urgent(
        _ text: NotificationText, about: UserID?, alert: AlertRow,
        _ purpose: DeliveryPurpose = .alertNews, bySMS: Bool = true
    ) -> Notice {
        Notice(
            text: text, about: about, alert: alert, isUrgent: true, purpose: purpose, bySMS: bySMS)
    }
}

extension SafetyNetwork {
    func notify(_ recipient: Recipient, _ notice: Notice, in transaction: Transaction) throws {
        let type = notice.text.type
        guard notice.isUrgent || notice.cannotBeMuted || recipient.preferences.allows(type) else {
            return
        }
        let item = NotificationItem(
            id: newID(), type: type, title: notice.text.title, body: notice.text.body,
            createdAt: transaction.now, readAt: notice.isRead ? transaction.now : nil,
            aboutUserID: notice.about, alertID: notice.alert?.id, pingID: notice.ping
        )
        try transaction.insert(item, of: recipient.id)
        if notice.purpose == .alertBegin, let alert = notice.alert {
            try transaction.overtakeEnds(of: alert.userID, for: recipient.id)
        }
        let pushEndpoints = try transaction.pushEndpoints(of: recipient.id)
        var channels = DeliveryRules.channels(
            for: notice.isUrgent ? .alert : type, isReminder: notice.isReminder,
            hasPushEndpoints: !pushEndpoints.isEmpty,
            smsAvailable: options.isSMSAvailable && recipient.isAccepted && notice.bySMS
        )
        if options.showsNotifications { channels.append(.console) }
        for channel in channels {
            let endpoints: [PushEndpointID?] = channel == .webhook ? pushEndpoints.map(\.id) : [nil]
            for endpoint in endpoints {
                var delivery = NewDelivery(
                    id: newID(), recipient: recipient, item: item, channel: channel,
                    pushEndpointID: endpoint, alertOwner: notice.alert?.userID,
                    purpose: notice.purpose, isUrgent: notice.isUrgent
                )
                if channel == .sms, let alert = notice.alert {
                    try limit(&delivery, about: alert, in: transaction)
                }
                try transaction.insert(delivery)
            }
        }
        try transaction.append(.notification(item), to: recipient.id)
    }

    /// Holds the limits of SMS for each owner and responder (product.md, "Storms").
    private func limit(
        _ sms: inout NewDelivery, about alert: AlertRow, in transaction: Transaction
    ) throws {
        let (owner, recipient, now) = (alert.userID, sms.recipient.id, transaction.now)
        switch sms.purpose {
        case .alertBegin:
            let hasHeard = try transaction.hasHeardBeforeWaitingEnd(of: owner, for: recipient)
            guard let hasHeard else { return }
            try transaction.withdrawWaitingEnds(of: owner, for: recipient)
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
}
