import Domain
import Foundation

/// One user's data: as the server sent it, or with queued actions applied.
struct AccountModel: Equatable, Sendable {
    var profile: UserProfile?
    var contacts: [ContactData] = []
    /// The user's own and those of their dependents, newest first.
    var alerts: [AlertRecord] = []
    /// Sent and received, newest first.
    var pings: [PingRecord] = []
    /// Newest first.
    var checkIns: [CheckInRecord] = []
    /// Newest first.
    var notifications: [NotificationItem] = []
    var preferences: NotificationPreferences?
    /// Notifications deleted here. A late event would show them again; the copy on disk omits
    /// these.
    var deleted: Set<NotificationID> = []

    /// The parts that are loaded from the server on their own.
    enum Slice: Hashable, Sendable, CaseIterable {
        case profile, contacts, alerts, pings, checkIns, notifications, preferences
    }

    /// How much of each list is kept.
    struct Limits: Sendable {
        /// The limit of ended alerts; an open alert is always kept.
        var alerts = 50
        var pings = 100
        var checkIns = 50
        var notifications: Int

        /// The limits of a device, which has to work offline.
        static let device = Limits(notifications: 1_000)
        /// A server holds thousands of these: what the first screens show; the rest is read by the
        /// page.
        static let session = Limits(alerts: 25, pings: 50, checkIns: 25, notifications: 100)
    }
}

// MARK: What the server said

extension AccountModel {
    mutating func apply(_ alert: AlertRecord, limit: Int) {
        // Events and answers come by two ways, and either may be late: nothing that has ended
        // begins again.
        guard !alert.isActive || !alerts.contains(where: { $0.id == alert.id && !$0.isActive })
        else { return }
        put(alert.withoutDetails, in: \.alerts, limit: .max) { $0.startTime > $1.startTime }
        dropEndedAlerts(beyond: limit)
        showAlert(of: alert.userId)
    }

    mutating func apply(_ ping: PingRecord, limit: Int) {
        guard
            ping.state != .pending
                || !pings.contains(where: { $0.id == ping.id && $0.state != .pending })
        else { return }
        put(ping, in: \.pings, limit: limit) { $0.createdAt > $1.createdAt }
        showPings(between: ping.responderID, ping.dependentID)
    }

    mutating func apply(_ item: NotificationItem, limit: Int) {
        // The event that announces a notification may arrive after its owner read or deleted it.
        guard !deleted.contains(item.id) else { return }
        let isRead = notifications.contains { $0.id == item.id && $0.readAt != nil }
        guard item.readAt != nil || !isRead else { return }
        put(item, in: \.notifications, limit: limit) { $0.createdAt > $1.createdAt }
    }

    mutating func apply(_ record: CheckInRecord, limit: Int) {
        put(record, in: \.checkIns, limit: limit) { $0.occurredAt > $1.occurredAt }
        guard var profile, profile.lastCheckInTime.map({ $0 < record.occurredAt }) ?? true else {
            return
        }
        profile.lastCheckInTime = record.occurredAt
        profile.nextCheckInTime = record.nextCheckInTime
        profile.status = status(
            of: profile.id, deadline: record.nextCheckInTime, at: record.receivedAt)
        self.profile = profile
    }

    mutating func apply(_ summary: UserEvent.CheckInSummary, at now: Date) {
        let status = status(of: summary.userID, deadline: summary.nextCheckInTime, at: now)
        if summary.userID == profile?.id {
            profile?.lastCheckInTime = summary.lastCheckInTime
            profile?.nextCheckInTime = summary.nextCheckInTime
            profile?.status = status
        } else if let index = contacts.firstIndex(where: { $0.id == summary.userID }),
            contacts[index].watch != nil
        {
            contacts[index].watch?.lastCheckInTime = summary.lastCheckInTime
            contacts[index].watch?.nextCheckInTime = summary.nextCheckInTime
            contacts[index].watch?.status = status
        }
    }

    mutating func apply(_ contact: ContactData) {
        if let index = contacts.firstIndex(where: { $0.id == contact.id }) {
            contacts[index] = contact
        } else {
            contacts.append(contact)
        }
        dropWhatIsNotToBeSeen()
    }

    mutating func removeContact(_ id: UserID) {
        contacts.removeAll { $0.id == id }
        dropWhatIsNotToBeSeen()
    }

    /// Alerts of people the user does not watch over (any more) are none of theirs.
    mutating func dropWhatIsNotToBeSeen() {
        guard let me = profile?.id else { return }
        let visible = Set(contacts.filter(\.showsAlerts).map { "\($0.id)" } + ["\(me)"])
        alerts.removeAll { !visible.contains($0.userId) }
    }

    /// Drops the alerts that ended first: the end of an alert shows, however long ago it began.
    private mutating func dropEndedAlerts(beyond limit: Int) {
        let ended = alerts.filter { !$0.isActive }.sorted {
            ($0.endTime ?? $0.startTime) > ($1.endTime ?? $1.startTime)
        }
        let dropped = Set(ended.dropFirst(limit).map(\.id))
        alerts.removeAll { dropped.contains($0.id) }
    }

    private mutating func put<Item: Identifiable>(
        _ item: Item, in list: WritableKeyPath<AccountModel, [Item]>, limit: Int,
        isBefore: (Item, Item) -> Bool
    ) {
        self[keyPath: list].removeAll { $0.id == item.id }
        let index =
            self[keyPath: list].firstIndex { !isBefore($0, item) } ?? self[keyPath: list].endIndex
        self[keyPath: list].insert(item, at: index)
        if self[keyPath: list].count > limit {
            self[keyPath: list].removeLast(self[keyPath: list].count - limit)
        }
    }
}

// MARK: What follows from it

extension AccountModel {
    func openAlert(of user: UserID, kind: AlertKind) -> AlertRecord? {
        let user = "\(user)"
        return alerts.first { $0.isActive && $0.kind == kind && $0.userId == user }
    }

    func status(of user: UserID, deadline: Date?, at now: Date) -> UserStatus {
        UserStatus(
            hasOpenManualAlert: openAlert(of: user, kind: .manual) != nil, deadline: deadline,
            at: now)
    }

    /// Alerts of one person have changed: so has their status.
    mutating func showAlert(of user: String) {
        guard let id = UserID(user) else { return }
        let status: UserStatus =
            openAlert(of: id, kind: .manual) != nil
            ? .alertActive
            : openAlert(of: id, kind: .missedCheckIn) != nil ? .nonResponsive : .active
        if id == profile?.id {
            profile?.status = status
        } else if let index = contacts.firstIndex(where: { $0.id == id }),
            contacts[index].watch != nil
        {
            contacts[index].watch?.status = status
        }
    }

    /// Pings between two people have changed: so has what their card shows.
    mutating func showPings(between responder: UserID, _ dependent: UserID) {
        guard let me = profile?.id else { return }
        let other = responder == me ? dependent : responder
        guard let index = contacts.firstIndex(where: { $0.id == other }) else { return }
        let pending = pings.filter { $0.state == .pending }
        contacts[index].hasPendingPing = pending.contains {
            $0.responderID == other && $0.dependentID == me
        }
        contacts[index].pingedAt =
            pending.first { $0.responderID == me && $0.dependentID == other }?.createdAt
    }
}
