import Domain
import Foundation
import Persistence

/// Holds `NewsRules`. It counts rows, so that it holds for several servers together.
extension SafetyNetwork {
    /// The notifications that nobody is sent: one person's acts have made too many of them.
    /// - Parameter made: the notifications of each announcement, which are stored already.
    func excess(
        of announcements: [Announcement],
        _ made: [[(recipient: Recipient, item: NotificationItem)]], in transaction: Transaction
    ) throws -> Set<NotificationID> {
        var excess: Set<NotificationID> = []
        var news: [(actor: UserID, recipient: UserID, item: NotificationID)] = []
        for (notice, items) in zip(announcements.map(\.notice), made) {
            guard let actor = notice.newsActor else { continue }
            if let alert = notice.alert {
                if try isTooMuch(by: actor, about: alert, in: transaction) {
                    excess.formUnion(items.map(\.item.id))
                }
            } else {
                news += items.map { (actor, $0.recipient.id, $0.item.id) }
            }
        }
        guard !news.isEmpty else { return excess }
        let counts = try transaction.countNews(
            to: Set(news.map(\.recipient)).sorted(),
            since: transaction.now.adding(.zero - NewsRules.window))
        for one in news where NewsRules.isTooMuch(counts[one.recipient]?[one.actor] ?? 0) {
            excess.insert(one.item)
        }
        return excess
    }

    private func isTooMuch(
        by actor: UserID, about alert: AlertRow, in transaction: Transaction
    ) throws -> Bool {
        let acts = try transaction.countActions(
            by: actor, about: AlertKey(owner: alert.userID, id: alert.id),
            since: transaction.now.adding(.zero - NewsRules.window))
        return NewsRules.isTooMuch(acts)
    }
}

extension Notice {
    /// The person whose news it is; nil if the limit does not hold for it.
    fileprivate var newsActor: UserID? {
        guard onlyEndpoint == nil else { return nil }
        return switch purpose {
        case .alertNews: actor
        case .ping, .other: isUrgent ? nil : actor ?? about
        case .alertBegin, .alertRepeat, .alertEnd, .reminder, .drill, .test: nil
        }
    }
}
