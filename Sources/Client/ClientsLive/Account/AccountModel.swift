import Domain
import Foundation

/// One user's data: as the server sent it, or with queued actions applied.
struct AccountModel: Equatable, Sendable {
    var profile: UserProfile?
    var contacts: [ContactData] = []
    /// The alerts of the user and of dependents. This list and the next three are newest first.
    var alerts: [AlertRecord] = []
    var pings: [PingRecord] = []
    var checkIns: [CheckInRecord] = []
    var notifications: [NotificationItem] = []
    var preferences: NotificationPreferences?
    var lastJourney: KnownJourney?
    /// Ids of notifications that were deleted, so that a late event doesn't show them again.
    /// They are not stored on disk.
    var deleted: Set<NotificationID> = []

    /// The user's newest journey, as far as this device knows. A restored server may have lost it.
    struct KnownJourney: Codable, Equatable, Sendable {
        var journey: JourneyRecord
        /// When this device learned of the end, by the server's clock; nil before.
        var endTime: Date?
    }

    /// The parts of the model that are loaded separately, in the order of loading. Alerts follow
    /// the contacts, because only alerts of contacts are kept.
    enum Slice: Hashable, Sendable, CaseIterable {
        case profile, contacts, alerts, pings, checkIns, notifications, preferences
    }

    struct Limits: Sendable {
        /// Counts ended alerts only. An open alert is always kept.
        var alerts = 50
        var pings = 100
        var checkIns = 50
        var notifications: Int

        static let device = Limits(notifications: 1_000)
        /// The limits of a web session on the server: only what the first screens show. A server
        /// holds thousands of sessions.
        static let session = Limits(alerts: 25, pings: 50, checkIns: 25, notifications: 100)
    }
}

// MARK: Server data

extension AccountModel {
    mutating func apply(_ alert: AlertRecord, limit: Int) {
        // Events and answers may arrive late. An ended alert never reopens.
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
        // An event may announce a notification after its owner has read or deleted it.
        guard !deleted.contains(item.id) else { return }
        let isRead = notifications.contains { $0.id == item.id && $0.readAt != nil }
        guard item.readAt != nil || !isRead else { return }
        put(item, in: \.notifications, limit: limit) { $0.createdAt > $1.createdAt }
    }

    mutating func apply(_ change: UserEvent.NotificationChange) {
        guard let id = change.notificationID else { return }
        guard let time = change.readAt else {
            deleted.insert(id)
            return notifications.removeAll { $0.id == id }
        }
        for index in notifications.indices
        where notifications[index].id == id && notifications[index].readAt == nil {
            notifications[index].readAt = time
        }
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

    /// Drops alerts of people that the user does not watch over.
    mutating func dropWhatIsNotToBeSeen() {
        guard let me = profile?.id else { return }
        let visible = Set(contacts.filter(\.showsAlerts).map { "\($0.id)" } + ["\(me)"])
        alerts.removeAll { !visible.contains($0.userId) }
    }

    /// Drops the alerts that ended first, because screens have to show recent ends.
    private mutating func dropEndedAlerts(beyond limit: Int) {
        guard alerts.count > limit else { return }
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

// MARK: Derived state

extension AccountModel {
    func openAlert(of user: UserID, kind: AlertKind) -> AlertRecord? {
        let user = "\(user)"
        return alerts.first { $0.isActive && $0.kind == kind && $0.userId == user }
    }

    /// True during an alert that a check-in doesn't end.
    private func hasAlertBesidesCheckIns(_ user: UserID) -> Bool {
        openAlert(of: user, kind: .manual) != nil || openAlert(of: user, kind: .journey) != nil
    }

    func status(of user: UserID, deadline: Date?, at now: Date) -> UserStatus {
        UserStatus(
            hasOpenManualAlert: hasAlertBesidesCheckIns(user), deadline: deadline, at: now)
    }

    mutating func showAlert(of user: String) {
        guard let id = UserID(user) else { return }
        let status: UserStatus =
            hasAlertBesidesCheckIns(id)
            ? .alertActive
            : openAlert(of: id, kind: .missedCheckIn) != nil ? .nonResponsive : .active
        if id == profile?.id {
            profile?.status = status
            showOwnJourney(id)
        } else if let index = contacts.firstIndex(where: { $0.id == id }),
            contacts[index].watch != nil
        {
            contacts[index].watch?.status = status
        }
    }

    /// Updates the journey's alert, which the server opens and ends.
    private mutating func showOwnJourney(_ me: UserID) {
        let alert = openAlert(of: me, kind: .journey).flatMap { AlertID($0.id) }
        profile?.journey?.alertId = alert
    }

    /// Remembers the user's journey, and when this device learned of its end.
    /// - Parameter now: by the server's clock.
    mutating func noteJourney(at now: Date) {
        guard let profile else { return }
        if let journey = profile.journey {
            lastJourney = KnownJourney(journey: journey)
        } else if lastJourney != nil, lastJourney?.endTime == nil {
            lastJourney?.endTime = now
            lastJourney?.journey.note = ""
            lastJourney?.journey.alertId = nil
        }
    }

    /// Shows contacts with an open alert about a journey as in need of help, even if a list of
    /// contacts was loaded before the alert.
    mutating func showOpenJourneys() {
        let overdue = overdueUsers
        guard !overdue.isEmpty else { return }
        for index in contacts.indices where overdue.contains("\(contacts[index].id)") {
            contacts[index].watch?.status = .alertActive
        }
    }

    /// Corrects the status of contacts whose alert about a journey has ended.
    /// - Parameter before: the `overdueUsers` before the load.
    mutating func showEndedJourneys(since before: Set<String>) {
        let ended = before.subtracting(overdueUsers)
        for contact in contacts where ended.contains("\(contact.id)") {
            showAlert(of: "\(contact.id)")
        }
    }

    /// The ids of users with an open alert about a journey.
    var overdueUsers: Set<String> {
        Set(alerts.filter { $0.isActive && $0.kind == .journey }.map(\.userId))
    }

    /// Updates a contact's card after pings between two people changed.
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

/// Applies queued actions to the visible state only. When an entry leaves the queue, the server's
/// state is shown instead.
extension AccountModel {
    func showing(_ entries: [QueuedEntry], aliases: [UUID: UUID], me: UserID) -> AccountModel {
        guard !entries.isEmpty else { return self }
        var shown = self
        for entry in entries.sorted(by: { $0.position < $1.position }) {
            shown.apply(entry, aliases, me)
        }
        return shown
    }

    mutating func raise(_ id: AlertID, at time: Date, _ me: UserID) {
        guard openAlert(of: me, kind: .manual) == nil, !alerts.contains(where: { $0.id == "\(id)" })
        else { return }
        alerts.insert(
            AlertRecord(
                id: "\(id)", startTime: time, endTime: nil, userId: "\(me)", isActive: true,
                kind: .manual), at: 0)
        showAlert(of: "\(me)")
    }

    mutating func end(_ id: String, at time: Date) {
        // The server treats a new alert as the open one. So an unknown id means the open manual
        // alert.
        let index =
            alerts.firstIndex { $0.id == id }
            ?? profile.flatMap { me in openAlert(of: me.id, kind: .manual) }
            .flatMap { open in alerts.firstIndex { $0.id == open.id } }
        guard let index, alerts[index].isActive else { return }
        alerts[index].isActive = false
        alerts[index].endTime = time
        guard var profile else { return }
        profile.status = UserStatus(
            hasOpenManualAlert: hasAlertBesidesCheckIns(profile.id),
            hasOpenMissedAlert: openAlert(of: profile.id, kind: .missedCheckIn) != nil,
            deadline: profile.nextCheckInTime, at: time)
        self.profile = profile
    }

    /// Adds a queued check-in to the history only. The old deadline stays visible, because it
    /// counts until the server has the check-in.
    mutating func checkIn(_ id: CheckInID, at moment: Date, receivedAt: Date) {
        guard let settings = profile?.settings, !checkIns.contains(where: { $0.id == id }) else {
            return
        }
        let last = max(moment, profile?.lastCheckInTime ?? moment)
        let deadline =
            profile?.pause == nil
            ? CheckInSchedule(settings: settings, lastCheckIn: last).deadline
            : profile?.nextCheckInTime
        let place = checkIns.firstIndex { $0.occurredAt < moment } ?? checkIns.endIndex
        checkIns.insert(
            CheckInRecord(
                id: id, occurredAt: moment, receivedAt: receivedAt, nextCheckInTime: deadline),
            at: place)
    }

    mutating func ping(_ id: PingID, _ dependent: UserID, at time: Date, _ me: UserID) {
        let isPending = pings.contains {
            $0.responderID == me && $0.dependentID == dependent && $0.state == .pending
        }
        guard !isPending else { return }
        apply(
            PingRecord(
                id: id, responderID: me, dependentID: dependent, createdAt: time, state: .pending,
                settledAt: nil), limit: .max)
    }

    mutating func settle(_ id: PingID, as state: PingRecord.State, at time: Date) {
        guard let index = pings.firstIndex(where: { $0.id == id }), pings[index].state == .pending
        else { return }
        pings[index].state = state
        pings[index].settledAt = time
        showPings(between: pings[index].responderID, pings[index].dependentID)
    }

    /// Changes a contact's roles. A lost role hides details at once. A new role shows details only
    /// after the server has accepted the role.
    mutating func changeRoles(of id: UserID, to roles: ContactRoles, at time: Date) {
        guard let index = contacts.firstIndex(where: { $0.id == id }) else { return }
        contacts[index].relation = contacts[index].relation.changed(to: roles, at: time)
    }
}

extension AccountModel {
    /// The number of ended alerts to send again. More are unlikely between a backup and its
    /// restore.
    private static let endsSentAgain = 10

    /// The user's newest actions and their times by the server's clock, which a restored server
    /// may have lost.
    /// - Parameter waiting: the unsent actions, with their times by the server's clock.
    func recentActions(
        of user: UserID, waiting: [QueuedEntry] = []
    ) -> [(QueuedAction, Date)] {
        var actions: [(QueuedAction, Date)] = []
        // The ends go first. Otherwise, the server would take the open alert for one that has
        // ended, and the end would reach both.
        let me = "\(user)"
        let ended = alerts.filter { $0.userId == me && $0.kind == .manual && !$0.isActive }
        for alert in ended.prefix(Self.endsSentAgain) {
            guard let id = AlertID(alert.id) else { continue }
            actions.append((.endAlert(id), alert.endTime ?? alert.startTime))
        }
        if let alert = openAlert(of: user, kind: .manual), let id = AlertID(alert.id) {
            actions.append((.raiseAlert(id), alert.startTime))
        }
        if let last = checkIns.first {
            actions.append((.checkIn(last.id, occurredAt: last.occurredAt), last.receivedAt))
        }
        if let known = knownJourney(after: waiting) {
            actions.append(
                (
                    .resendJourney(known.journey, endTime: known.endTime),
                    known.endTime ?? known.journey.startTime
                ))
        }
        return actions
    }

    /// Returns the return of the running journey with unsent later returns applied; nil without a
    /// journey. An unsent arrival doesn't count, because a later return takes it back.
    func expectedReturn(after waiting: [QueuedEntry]) -> Date? {
        guard var journey = profile?.journey else { return nil }
        for entry in waiting.sorted(by: { $0.position < $1.position }) {
            journey.expectedReturn = entry.action.expectedReturn(of: journey)
        }
        return journey.expectedReturn
    }

    /// Returns the user's journey with unsent presses applied. A server that lost the journey
    /// drops these presses.
    private func knownJourney(after waiting: [QueuedEntry]) -> KnownJourney? {
        guard var known = profile?.journey.map({ KnownJourney(journey: $0) }) ?? lastJourney else {
            return nil
        }
        for entry in waiting.sorted(by: { $0.position < $1.position }) where known.endTime == nil {
            if case .endJourney(known.journey.id) = entry.action {
                known.endTime = entry.createdAt
            }
            known.journey.expectedReturn = entry.action.expectedReturn(of: known.journey)
        }
        if known.endTime != nil { known.journey.note = "" }
        known.journey.alertId = nil
        // A profile without the journey is newer than the journey.
        return profile?.journey == nil && known.endTime == nil ? nil : known
    }
}
