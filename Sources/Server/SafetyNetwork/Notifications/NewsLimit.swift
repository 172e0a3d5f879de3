import Domain
import Foundation
import Persistence

/// Applies `NewsRules`. Counts rows, so that several servers share the limits.
struct NewsLimit: Commands {
    let core: Core

    /// Returns the notifications that exceed the limits of their actors, or the limit on a
    /// recipient's own news with this title.
    /// - Parameter made: the notifications of each announcement, already stored.
    func excess(
        of announcements: [Announcement],
        _ made: [[(recipient: Recipient, item: NotificationItem)]], in transaction: Transaction
    ) throws -> Set<NotificationID> {
        var excess: Set<NotificationID> = []
        var news: [(actor: UserID, notice: Notice, recipient: UserID, item: NotificationID)] = []
        var own: [(recipient: Recipient, item: NotificationItem)] = []
        for (notice, items) in zip(announcements.map(\.notice), made) {
            if notice.isOwnNews { own += items }
            guard let actor = notice.newsActor else { continue }
            if let alert = notice.alert {
                if try isTooMuch(by: actor, about: alert, in: transaction) {
                    excess.formUnion(items.map(\.item.id))
                }
            } else {
                news += items.map { (actor, notice, $0.recipient.id, $0.item.id) }
            }
        }
        try excess.formUnion(excessOfOwnNews(own, in: transaction))
        guard !news.isEmpty else { return excess }
        let counts = try transaction.countNews(
            to: Set(news.map(\.recipient)).sorted(),
            since: transaction.now.adding(.zero - NewsRules.window))
        for one in news {
            let types = one.notice.typesOfSameLimit
            let count = (counts[one.recipient]?[one.actor] ?? [:])
                .reduce(0) { types?.contains($1.key) ?? true ? $0 + $1.value : $0 }
            if NewsRules.isTooMuch(count) { excess.insert(one.item) }
        }
        return excess
    }

    /// Each title has its own limit. Otherwise a thief's many webhooks would delay the message that
    /// the number will change.
    private func excessOfOwnNews(
        _ news: [(recipient: Recipient, item: NotificationItem)], in transaction: Transaction
    ) throws -> [NotificationID] {
        guard !news.isEmpty else { return [] }
        let counts = try transaction.countOwnNews(
            to: Set(news.map(\.recipient.id)).sorted(),
            since: transaction.now.adding(.zero - NewsRules.window))
        return news.filter { recipient, item in
            NewsRules.isTooMuch(counts[recipient.id]?[item.title] ?? 0)
        }.map(\.item.id)
    }

    private func isTooMuch(
        by actor: UserID, about alert: AlertRow, in transaction: Transaction
    ) throws -> Bool {
        let acts = try transaction.countActions(
            by: actor, about: AlertKey(owner: alert.userID, id: alert.id),
            since: transaction.now.adding(.zero - NewsRules.window))
        return NewsRules.isTooMuch(acts)
    }

    /// Withdraws news that still waits and that these announcements replace.
    func supersedeHeldNews(
        by announcements: [Announcement], in transaction: Transaction
    ) throws {
        for announcement in announcements {
            let (notice, people) = (announcement.notice, announcement.recipients.map(\.id).sorted())
            if let superseded = notice.superseded {
                try transaction.supersedeNews(superseded, about: notice.about, to: people)
            }
            if let alert = notice.alert {
                guard notice.isAlertNews, !notice.isHelpQuestion else { continue }
                try transaction.deleteHeldNews(
                    about: alert, for: people, ofJourney: notice.text.type == .system)
            } else if (notice.actor ?? notice.about) != nil || notice.isOwnNews {
                let types = NewsRules.subject(of: notice.text.type)
                let isTitled = types.contains(.system) || notice.isOwnNews
                try transaction.deleteHeldNews(
                    types, titled: isTitled ? notice.text.title : nil, about: notice.about,
                    to: people)
            }
        }
    }

    func hold(
        _ deliveries: inout [NewDelivery], _ excess: Set<NotificationID>, until time: Date
    ) {
        for place in deliveries.indices where deliveries[place].isBeyond(excess) {
            deliveries[place].hold(until: time)
        }
    }

    /// Applies `ExcessHandling` to an alert's news beyond the limits.
    func limitNews(
        _ deliveries: inout [NewDelivery], _ excess: Set<NotificationID>,
        _ purpose: DeliveryPurpose, about alert: AlertRow, in transaction: Transaction
    ) throws {
        guard let claim = AlertClaim(purpose) else { return }
        let begin = transaction.now.adding(.zero - StormRules.window)
        var places = Set(deliveries.indices.filter { deliveries[$0].isBeyond(excess) })
        for channel in [DeliveryChannel.sms, .email] {
            let own = deliveries.indices.filter { deliveries[$0].channel == channel }
            guard !own.isEmpty else { continue }
            let sent = try transaction.countMessages(
                by: channel, about: alert.userID, to: own.map { deliveries[$0].recipient.id },
                since: begin)
            places.formUnion(
                own.filter {
                    sent[deliveries[$0].recipient.id, default: 0] >= StormRules.newsLimit
                })
        }
        guard !places.isEmpty else { return }
        // Looks back two windows, because the message that used up the limit may be that old.
        let claims = try transaction.lastClaims(
            about: alert.userID, to: Set(places.map { deliveries[$0].recipient.id }).sorted(),
            by: Set(places.map { deliveries[$0].channel }),
            since: begin.adding(.zero - StormRules.window))
        for place in places {
            switch ExcessHandling(claim, after: claims[deliveries[place].endpoint]) {
            case .send: break
            case .wait: deliveries[place].hold(until: transaction.now.adding(NewsRules.window))
            case .spare: deliveries[place].spared = StormRules.reason
            }
        }
        // The ledger shows skipped SMS, but no other skipped deliveries.
        deliveries.removeAll { $0.spared != nil && $0.channel != .sms }
    }
}

extension NewDelivery {
    fileprivate func isBeyond(_ excess: Set<NotificationID>) -> Bool {
        excess.contains(item.id) && !NewsRules.carriesAll(channel)
    }

    fileprivate var endpoint: DeliveryEndpoint {
        DeliveryEndpoint(
            userID: recipient.id, channel: channel, pushEndpointID: pushEndpointID)
    }
}

extension Notice {
    /// True for news of a responder's action on an alert, or of its consequences.
    var isAlertNews: Bool { purpose == .alertNews || purpose == .alertUntaken }

    /// True for news about the recipient's own account, such as a new webhook or passkey.
    var isOwnNews: Bool {
        purpose == .other && alert == nil && onlyEndpoint == nil && !isUrgent
            && (actor ?? about) == nil
    }

    /// The person whose action the notice announces; nil without a limit.
    fileprivate var newsActor: UserID? {
        guard onlyEndpoint == nil else { return nil }
        return switch purpose {
        case .alertNews, .alertUntaken: actor
        case .ping, .other: isUrgent ? nil : actor ?? about
        case .alertBegin, .alertRepeat, .alertEnd, .reminder, .lastCall, .journey, .drill, .test:
            nil
        }
    }

    /// The types that count towards this notice's limit; nil for all types. News that can't be
    /// muted has a separate limit for each type. The loss of the last responder has no `about`. It
    /// shares the limit of added contacts, because only repeated additions make it frequent.
    fileprivate var typesOfSameLimit: [NotificationType]? {
        guard cannotBeMuted else { return nil }
        return about == nil ? [.contactAdded] : [text.type]
    }
}
