import Domain
import Foundation
import Persistence

/// Telling someone: the entry in their notification centre, its event, and a row in the ledger for
/// each way to reach them, all in the transaction that gave the reason.
struct Notice {
    var text: NotificationText
    var about: UserID?
    /// The person whose act it announces, if that is not `about`.
    var actor: UserID?
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
    /// True if calls follow while nobody is on it, as they do after an alarm.
    var callsFollow = false
    /// The one endpoint that is told; nil for every channel.
    var onlyEndpoint: PushEndpointID?

    /// News of an alert.
    static func urgent(
        _ text: NotificationText, about: UserID?, alert: AlertRow,
        _ purpose: DeliveryPurpose = .alertNews, by actor: UserID? = nil, bySMS: Bool = true,
        callsFollow: Bool = false
    ) -> Notice {
        Notice(
            text: text, about: about, actor: actor, alert: alert, isUrgent: true, purpose: purpose,
            bySMS: bySMS, callsFollow: callsFollow || Ladder.isAlarm(purpose))
    }
}

/// A notice and the people whom it is for.
struct Announcement {
    var recipients: [Recipient]
    var notice: Notice

    init(to recipients: [Recipient], _ notice: Notice) {
        self.recipients = recipients
        self.notice = notice
    }
}

extension SafetyNetwork {
    func notify(_ recipient: Recipient, _ notice: Notice, in transaction: Transaction) throws {
        try notify([recipient], notice, in: transaction)
    }

    func notify(_ recipients: [Recipient], _ notice: Notice, in transaction: Transaction) throws {
        try notify([Announcement(to: recipients, notice)], in: transaction)
    }

    /// The number of statements does not grow with the number of announcements and recipients
    /// where each is a round trip.
    /// Returns the notifications.
    @discardableResult
    func notify(
        _ announcements: [Announcement], in transaction: Transaction
    ) throws -> [(recipient: Recipient, item: NotificationItem)] {
        let made = announcements.map { items(of: $0, at: transaction.now) }
        let all = made.flatMap(\.self)
        guard !all.isEmpty else { return [] }
        try transaction.insert(all.map { ($0.recipient.id, $0.item) })
        let beginnings = zip(announcements, made).reduce(into: [UserID: Set<UserID>]()) {
            guard $1.0.notice.purpose == .alertBegin, let alert = $1.0.notice.alert else { return }
            $0[alert.userID, default: []].formUnion($1.1.map(\.recipient.id))
        }
        let overtaken = try transaction.overtakeEnds(for: beginnings)
        let people = Set(all.map(\.recipient.id)).sorted()
        let endpoints = try transaction.pushEndpoints(of: people)
        let withEmail =
            options.isEmailAvailable ? try transaction.peopleWithEmail(among: people) : []
        let excess = try excess(of: announcements, made, in: transaction)
        var deliveries: [NewDelivery] = []
        for (notice, items) in zip(announcements.map(\.notice), made) {
            var own = items.flatMap { recipient, item in
                var recipient = recipient
                recipient.hasEmailAddress = withEmail.contains(recipient.id)
                let all = self.deliveries(
                    of: item, to: recipient, endpoints[recipient.id] ?? [], notice)
                return excess.contains(item.id)
                    ? all.filter { NewsRules.carriesAll($0.channel) } : all
            }
            // No SMS about an end is held back if no end is on its way.
            if let alert = notice.alert,
                notice.purpose != .alertBegin || overtaken.contains(alert.userID)
            {
                for channel in [DeliveryChannel.sms, .email] {
                    try limit(channel, of: &own, notice.purpose, about: alert, in: transaction)
                }
            }
            deliveries += own
        }
        try transaction.insert(deliveries)
        for (recipient, item) in all {
            try transaction.append(.notification(item), to: recipient.id)
        }
        return all
    }

    private func items(
        of announcement: Announcement, at now: Date
    ) -> [(recipient: Recipient, item: NotificationItem)] {
        let (notice, type) = (announcement.notice, announcement.notice.text.type)
        var bodies = LocalBodies(notice.text)
        return announcement.recipients.filter {
            notice.isUrgent || notice.cannotBeMuted || $0.preferences.allows(type)
        }.map { recipient in
            let item = NotificationItem(
                id: newID(), type: type, title: notice.text.title,
                body: bodies.body(in: recipient.timeZone),
                createdAt: now, readAt: notice.isRead ? now : nil,
                aboutUserID: notice.about, alertID: notice.alert?.id, pingID: notice.ping
            )
            return (recipient, item)
        }
    }

    /// The ways by which one recipient gets a notification.
    private func deliveries(
        of item: NotificationItem, to recipient: Recipient, _ pushEndpoints: [PushEndpoint],
        _ notice: Notice
    ) -> [NewDelivery] {
        let pushEndpoints = pushEndpoints.filter { options.pushKinds.contains($0.kind) }
        if let only = notice.onlyEndpoint {
            return pushEndpoints.filter { $0.id == only }.map {
                delivery(of: item, to: recipient, by: $0.kind.channel, $0.id, notice)
            }
        }
        var channels = DeliveryRules.channels(
            for: notice.isUrgent || notice.purpose == .drill ? .alert : item.type,
            isReminder: notice.isReminder,
            endpoints: Set(pushEndpoints.map(\.kind)),
            others: carriers(of: item, for: recipient, notice))
        if options.showsNotifications { channels.append(.console) }
        return channels.flatMap { channel in
            let isOfEndpoints = PushEndpoint.Kind.allCases.contains { $0.channel == channel }
            let endpoints: [PushEndpointID?] =
                isOfEndpoints
                ? pushEndpoints.filter { $0.kind.channel == channel }.map(\.id) : [nil]
            return endpoints.map {
                var delivery = delivery(of: item, to: recipient, by: channel, $0, notice)
                // The owner can end a false alarm, and hears of it by all ways at once.
                if notice.purpose == .drill
                    || notice.alert.map({ $0.userID != recipient.id }) == true
                {
                    delivery.ladderStart = Ladder.start(
                        of: channel, among: channels, notice.purpose)
                }
                return delivery
            }
        }
    }

    private func delivery(
        of item: NotificationItem, to recipient: Recipient, by channel: DeliveryChannel,
        _ endpoint: PushEndpointID?, _ notice: Notice
    ) -> NewDelivery {
        NewDelivery(
            id: newID(), recipient: recipient, item: item, channel: channel,
            pushEndpointID: endpoint, alertOwner: notice.alert?.userID,
            purpose: notice.purpose, isUrgent: notice.isUrgent)
    }

    /// Those of e-mail, SMS and calls that the server has and the recipient is to get.
    private func carriers(
        of item: NotificationItem, for recipient: Recipient, _ notice: Notice
    ) -> Set<DeliveryChannel> {
        var carriers: Set<DeliveryChannel> = []
        // They may have nothing to do with this: only their own devices tell them.
        guard recipient.isAccepted else { return carriers }
        if recipient.hasEmailAddress,
            DeliveryRules.goesByEmail(
                item.type, isReminder: notice.isReminder, isUrgent: notice.isUrgent)
        {
            carriers.insert(.email)
        }
        guard recipient.phoneNumber != nil else { return carriers }
        if options.isSMSAvailable, notice.bySMS, !recipient.hasStoppedTexts {
            carriers.insert(.sms)
        }
        // STOP is the only "no" of somebody without an account.
        if recipient.hasStoppedTexts, recipient.isGuest { return carriers }
        if notice.purpose == .drill, options.isVoiceAvailable { carriers.insert(.voice) }
        if notice.callsFollow, let alert = notice.alert, alert.callDue != nil,
            alert.userID != recipient.id, !alert.withoutSMS
        {
            carriers.insert(.voice)
        }
        return carriers
    }

    /// Holds the limits of SMS or e-mail for each owner and responder (product.md, "Storms").
    private func limit(
        _ channel: DeliveryChannel, of deliveries: inout [NewDelivery], _ purpose: DeliveryPurpose,
        about alert: AlertRow, in transaction: Transaction
    ) throws {
        let places = deliveries.indices.filter { deliveries[$0].channel == channel }
        guard !places.isEmpty else { return }
        let recipients = places.map { deliveries[$0].recipient.id }
        let (owner, now) = (alert.userID, transaction.now)
        func spare(_ isNeedless: (UserID) -> Bool) {
            for place in places where isNeedless(deliveries[place].recipient.id) {
                deliveries[place].spared = StormRules.reason
            }
        }
        switch purpose {
        // An earlier e-mail leads to the page of the earlier alert, so none is spared.
        case .alertBegin where channel == .email:
            try transaction.withdrawWaitingEnds(of: owner, for: recipients, by: channel)
        case .alertBegin:
            let ends = try transaction.waitingEnds(of: owner, for: recipients)
            guard !ends.isEmpty else { return }
            try transaction.withdrawWaitingEnds(
                of: owner, for: recipients.filter { ends[$0] != nil }, by: channel)
            // The last SMS they got says that the owner needs help, which is true again.
            spare { ends[$0] == true }
        case .alertEnd:
            let recent = try transaction.countAlerts(
                of: owner, receivedSince: now.adding(.zero - StormRules.window))
            let delay = StormRules.delayOfEnd(recentAlerts: recent)
            guard delay > .zero else { return }
            for place in places { deliveries[place].notBefore = now.adding(delay) }
        case .alertNews:
            let sent = try transaction.countMessages(
                by: channel, about: alert, to: recipients,
                since: now.adding(.zero - StormRules.window))
            spare {
                sent[$0, default: 0] >= StormRules.newsLimit
                    || channel == .sms && alert.withoutSMS
            }
        case .alertRepeat:
            // Alarms are never limited, but for those that a migration found to be a week old.
            spare { _ in channel == .sms && alert.withoutSMS }
        case .reminder, .ping, .drill, .test, .other: break
        }
    }
}
