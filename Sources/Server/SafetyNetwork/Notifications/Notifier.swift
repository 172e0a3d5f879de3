import Domain
import Foundation
import Persistence

/// Stores messages to people: notifications, events, and a delivery per channel.
struct Notifier: Commands {
    let core: Core
    let newsLimit: NewsLimit

    func notify(_ recipient: Recipient, _ notice: Notice, in transaction: Transaction) throws {
        try notify([recipient], notice, in: transaction)
    }

    func notify(_ recipients: [Recipient], _ notice: Notice, in transaction: Transaction) throws {
        try notify([Announcement(to: recipients, notice)], in: transaction)
    }

    /// Stores announcements and returns their notifications. On a database with round trips, the
    /// number of statements doesn't depend on the number of messages.
    @discardableResult
    func notify(
        _ announcements: [Announcement], in transaction: Transaction
    ) throws -> [(recipient: Recipient, item: NotificationItem)] {
        let made = announcements.map { items(of: $0, at: transaction.now) }
        let all = made.flatMap(\.self)
        guard !all.isEmpty else { return [] }
        try transaction.insert(all.map { ($0.recipient.id, $0.item) })
        let superseded = try transaction.supersedeEnds(for: Self.alarmed(by: announcements, made))
        let people = Set(all.map(\.recipient.id)).sorted()
        let endpoints = try transaction.pushEndpoints(of: people)
        let withEmail =
            availableChannels.contains(.email)
            ? try transaction.peopleWithEmail(among: people) : []
        let excess = try newsLimit.excess(of: announcements, made, in: transaction)
        try newsLimit.supersedeHeldNews(by: announcements, in: transaction)
        var deliveries: [NewDelivery] = []
        for (notice, items) in zip(announcements.map(\.notice), made) {
            var own = items.flatMap { recipient, item in
                var recipient = recipient
                recipient.hasEmailAddress = withEmail.contains(recipient.id)
                return self.deliveries(
                    of: item, to: recipient, endpoints[recipient.id] ?? [], notice)
            }
            if let alert = notice.alert, notice.isAlertNews, !notice.isHelpQuestion {
                try newsLimit.limitNews(&own, excess, notice.purpose, about: alert, in: transaction)
            } else {
                newsLimit.hold(&own, excess, until: transaction.now.adding(NewsRules.window))
            }
            // An alarm has a limit only while a message about an earlier alert's end waits.
            if let alert = notice.alert,
                notice.purpose != .alertBegin || superseded.contains(alert.userID)
            {
                for channel in [DeliveryChannel.sms, .email] {
                    try limit(channel, of: &own, notice.purpose, about: alert, in: transaction)
                }
            }
            if let alert = notice.alert { try pauseCalls(of: &own, about: alert, in: transaction) }
            deliveries += own
        }
        try transaction.insert(deliveries)
        try forgetOldNews(replacedBy: announcements, made, in: transaction)
        for (recipient, item) in all {
            try transaction.append(.notification(item), to: recipient.id)
        }
        return all
    }

    /// Returns the people whom these announcements alert, by the person in need.
    private static func alarmed(
        by announcements: [Announcement],
        _ made: [[(recipient: Recipient, item: NotificationItem)]]
    ) -> [UserID: Set<UserID>] {
        zip(announcements, made).reduce(into: [UserID: Set<UserID>]()) { people, next in
            let (notice, items) = (next.0.notice, next.1)
            guard notice.purpose == .alertBegin, let alert = notice.alert else { return }
            people[alert.userID, default: []].formUnion(items.map(\.recipient.id))
        }
    }

    /// Forgets the oldest news of people who have too much of it (`NewsRules.kept`).
    private func forgetOldNews(
        replacedBy announcements: [Announcement],
        _ made: [[(recipient: Recipient, item: NotificationItem)]], in transaction: Transaction
    ) throws {
        for (notice, items) in zip(announcements.map(\.notice), made) where notice.isNews {
            for recipient in items.map(\.recipient.id) {
                try transaction.forgetNews(
                    to: recipient, about: notice.about, beyond: NewsRules.kept)
            }
        }
        let reminded = zip(announcements, made).filter { $0.0.notice.isReminder }.flatMap(\.1)
        guard !reminded.isEmpty else { return }
        let people = try transaction.peopleWithNews(
            aboutNobodyBeyond: NewsRules.kept, among: Set(reminded.map(\.recipient.id)).sorted())
        for person in people {
            try transaction.forgetNews(to: person, about: nil, beyond: NewsRules.kept)
        }
    }

    /// Leaves out calls that would come at once and too soon after the last ones (product.md,
    /// "Escalation"). `Climbing.startCalls` decides about calls that wait for their turn.
    private func pauseCalls(
        of deliveries: inout [NewDelivery], about alert: AlertRow, in transaction: Transaction
    ) throws {
        let places = deliveries.indices.filter {
            deliveries[$0].channel == .voice && deliveries[$0].ladderStart == .atOnce
        }
        guard !places.isEmpty else { return }
        let (calls, now) = (try transaction.calls(about: alert), transaction.now)
        let mayCallAgain = Ladder.mayCallAgain(
            round: now, start: alert.escalationFrom, last: calls.rounds.filter { $0 < now }.max(),
            answer: try transaction.lastAnswer(to: alert, until: now))
        guard !mayCallAgain else { return }
        for place in places where calls.called.contains(deliveries[place].recipient.id) {
            deliveries[place].spared = StormRules.reason
        }
    }

    private func items(
        of announcement: Announcement, at now: Date
    ) -> [(recipient: Recipient, item: NotificationItem)] {
        let (notice, type) = (announcement.notice, announcement.notice.text.type)
        var bodies = LocalBodies(notice.text, at: now)
        return announcement.recipients.filter {
            notice.isUrgent || notice.cannotBeMuted || $0.preferences.allows(type)
        }.map { recipient in
            let item = NotificationItem(
                id: newID(at: now), type: type, title: notice.text.title,
                body: bodies.body(in: recipient.timeZone),
                createdAt: now, readAt: notice.isRead ? now : nil,
                aboutUserID: notice.about, alertID: notice.alert?.id, pingID: notice.ping,
                sessionID: notice.session, kind: notice.text.kind
            )
            return (recipient, item)
        }
    }

    private func deliveries(
        of item: NotificationItem, to recipient: Recipient, _ pushEndpoints: [PushEndpoint],
        _ notice: Notice
    ) -> [NewDelivery] {
        let available = availableChannels
        let pushEndpoints = pushEndpoints.filter {
            available.contains($0.kind.channel) && !notice.sparedEndpoints.contains($0.id)
        }
        if let only = notice.onlyEndpoint {
            return pushEndpoints.filter { $0.id == only }.map {
                delivery(of: item, to: recipient, by: $0.kind.channel, $0.id, notice)
            }
        }
        var channels = DeliveryRules.channels(
            for: notice.isUrgent || notice.purpose == .drill ? .alert : item.type,
            isReminder: notice.isReminder,
            endpoints: Set(pushEndpoints.map(\.kind)),
            others: carriers(of: item, for: recipient, notice, available))
        if notice.onlyByVoice { channels = channels.filter { [.stream, .voice].contains($0) } }
        if options.showsNotifications { channels.append(.console) }
        return channels.flatMap { channel in
            let isOfEndpoints = PushEndpoint.Kind.allCases.contains { $0.channel == channel }
            let endpoints: [PushEndpointID?] =
                isOfEndpoints
                ? pushEndpoints.filter { $0.kind.channel == channel }.map(\.id) : [nil]
            return endpoints.map {
                var delivery = delivery(of: item, to: recipient, by: channel, $0, notice)
                // The owner can end a false alarm, so all channels notify the owner at once.
                if notice.purpose == .drill
                    || notice.alert.map({ $0.userID != recipient.id }) == true
                {
                    delivery.ladderStart = Ladder.start(
                        of: channel, among: channels, notice.purpose)
                }
                if channel == .sms, notice.hasTextInReserve {
                    delivery.ladderStart = Ladder.startOfReserve(among: channels)
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
            id: newID(at: item.createdAt), recipient: recipient, item: item, channel: channel,
            pushEndpointID: endpoint, alertOwner: notice.alert?.userID,
            purpose: notice.purpose,
            // Last calls of many people never delay an alarm.
            isUrgent: notice.isUrgent && ![.lastCall, .journey].contains(notice.purpose))
    }

    /// Returns which of e-mail, SMS and calls this message uses.
    private func carriers(
        of item: NotificationItem, for recipient: Recipient, _ notice: Notice,
        _ available: Set<DeliveryChannel>
    ) -> Set<DeliveryChannel> {
        var carriers: Set<DeliveryChannel> = []
        // A person who hasn't accepted the role may be a stranger. Only their own devices notify
        // them.
        guard recipient.isAccepted, !notice.onlyByPush else { return carriers }
        if notice.onlyByVoice {
            let canCall = available.contains(.voice) && recipient.phoneNumber != nil
            return canCall ? [.voice] : []
        }
        if recipient.hasEmailAddress,
            DeliveryRules.goesByEmail(
                item.type, isReminder: notice.isReminder, isUrgent: notice.isUrgent)
        {
            carriers.insert(.email)
        }
        guard recipient.phoneNumber != nil else { return carriers }
        if available.contains(.sms), notice.bySMS || notice.hasTextInReserve,
            !recipient.hasStoppedTexts
        {
            carriers.insert(.sms)
        }
        // STOP also ends calls to a guest, who has no other way to decline them.
        if recipient.hasStoppedTexts, recipient.isGuest { return carriers }
        if notice.purpose == .drill, available.contains(.voice) { carriers.insert(.voice) }
        if notice.callsFollow, let alert = notice.alert, alert.callDue != nil,
            alert.userID != recipient.id, !alert.withoutSMS
        {
            carriers.insert(.voice)
        }
        return carriers
    }

    /// Applies the limits on SMS or e-mails about one owner's alerts (product.md, "Storms"), except
    /// those for news.
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
        // Keeps every e-mail, because the last one links to an earlier alert's page.
        case .alertBegin where channel == .email:
            try transaction.withdrawWaitingEnds(of: owner, for: recipients, by: channel)
        case .alertBegin:
            let held = try transaction.peopleWithHeldEnds(of: owner, among: recipients)
            guard !held.isEmpty else { return }
            try transaction.withdrawWaitingEnds(
                of: owner, for: recipients.filter(held.contains), by: channel)
            let last = try transaction.lastMessages(about: owner, to: recipients, by: [channel])
            let acts = try transaction.lastActions(by: recipients, aboutAlertsOf: owner)
            spare { person in
                let endpoint = DeliveryEndpoint(
                    userID: person, channel: channel, pushEndpointID: nil)
                guard held.contains(person), let message = last[endpoint] else { return false }
                let hasAnswered = acts[person].map { $0 >= message.time } ?? false
                return StormRules.sparesAlarm(after: message.claim, hasAnswered: hasAnswered)
            }
        case .alertEnd:
            let recent = try transaction.countAlerts(
                of: owner, receivedSince: now.adding(.zero - StormRules.window))
            let delay = StormRules.delayOfEnd(recentAlerts: recent)
            guard delay > .zero else { return }
            for place in places { deliveries[place].notBefore = now.adding(delay) }
        case .alertRepeat, .alertNews, .alertUntaken:
            // Repeated alarms have no limit. The exception is an alert that was a week old when a
            // migration found it (`withoutSMS`).
            spare { _ in channel == .sms && alert.withoutSMS }
        case .reminder, .lastCall, .journey, .ping, .drill, .test, .other: break
        }
    }
}
