import Domain
import Foundation

/// Applies queued actions to the visible state before the server knows of them. Nothing here is
/// stored: when an entry leaves the queue, the server's state shows.
extension AccountModel {
    func showing(_ entries: [QueuedEntry], aliases: [UUID: UUID], me: UserID) -> AccountModel {
        guard !entries.isEmpty else { return self }
        var shown = self
        for entry in entries.sorted(by: { $0.position < $1.position }) {
            shown.lay(entry, aliases, me)
        }
        return shown
    }

    private mutating func lay(_ entry: QueuedEntry, _ aliases: [UUID: UUID], _ me: UserID) {
        let time = entry.createdAt
        switch entry.action {
        case .raiseAlert(let id): raise(id, at: time, me)
        case .endAlert(let id): end("\(resolved(id, aliases))", at: time)
        case .checkIn(let id, let moment): checkIn(id, at: moment, receivedAt: time)
        case .ping(let id, let dependent): ping(id, dependent, at: time, me)
        case .respondToPing(let id): settle(id, as: .answered, at: time)
        case .clearPing(let id): settle(resolved(id, aliases), as: .cleared, at: time)
        case .updateProfile(let name, let note):
            if let name { profile?.name = name }
            if let note { profile?.emergencyNote = note }
        case .updateSettings(let settings):
            // The deadline stays, as with a check-in: the responders' clock goes by what the server
            // knows.
            profile?.settings = settings
        case .changeRoles(let id, let roles): changeRoles(of: id, to: roles, at: time)
        case .updatePreferences(let new): preferences = new
        case .markAsRead(let id):
            for index in notifications.indices
            where notifications[index].id == id && notifications[index].readAt == nil {
                notifications[index].readAt = time
            }
        case .deleteNotification(let id):
            notifications.removeAll { $0.id == id }
            deleted.insert(id)
        }
    }

    private func resolved<Thing>(_ id: ID<Thing>, _ aliases: [UUID: UUID]) -> ID<Thing> {
        ID(aliases[id.uuid] ?? id.uuid)
    }

    private mutating func raise(_ id: AlertID, at time: Date, _ me: UserID) {
        guard openAlert(of: me, kind: .manual) == nil, !alerts.contains(where: { $0.id == "\(id)" })
        else { return }
        alerts.insert(
            AlertRecord(
                id: "\(id)", startTime: time, endTime: nil, userId: "\(me)", isActive: true,
                kind: .manual), at: 0)
        showAlert(of: "\(me)")
    }

    private mutating func end(_ id: String, at time: Date) {
        // One that was raised while another was open, and is ended before the server could say so,
        // is that other one.
        let index =
            alerts.firstIndex { $0.id == id }
            ?? profile.flatMap { me in openAlert(of: me.id, kind: .manual) }
            .flatMap { open in alerts.firstIndex { $0.id == open.id } }
        guard let index, alerts[index].isActive else { return }
        alerts[index].isActive = false
        alerts[index].endTime = time
        guard var profile else { return }
        profile.status = status(of: profile.id, deadline: profile.nextCheckInTime, at: time)
        self.profile = profile
    }

    /// In the history alone. Until the server has it, the responders' clock runs on to the old
    /// deadline, and the person has to see that.
    private mutating func checkIn(_ id: CheckInID, at moment: Date, receivedAt: Date) {
        guard let settings = profile?.settings, !checkIns.contains(where: { $0.id == id }) else {
            return
        }
        let deadline = max(moment, profile?.lastCheckInTime ?? moment).adding(settings.interval)
        let place = checkIns.firstIndex { $0.occurredAt < moment } ?? checkIns.endIndex
        checkIns.insert(
            CheckInRecord(
                id: id, occurredAt: moment, receivedAt: receivedAt, nextCheckInTime: deadline),
            at: place)
    }

    private mutating func ping(_ id: PingID, _ dependent: UserID, at time: Date, _ me: UserID) {
        let isPending = pings.contains {
            $0.responderID == me && $0.dependentID == dependent && $0.state == .pending
        }
        guard !isPending else { return }
        apply(
            PingRecord(
                id: id, responderID: me, dependentID: dependent, createdAt: time, state: .pending,
                settledAt: nil), limit: .max)
    }

    private mutating func settle(_ id: PingID, as state: PingRecord.State, at time: Date) {
        guard let index = pings.firstIndex(where: { $0.id == id }), pings[index].state == .pending
        else { return }
        pings[index].state = state
        pings[index].settledAt = time
        showPings(between: pings[index].responderID, pings[index].dependentID)
    }

    /// Details for responders appear once the server has accepted the role, and disappear at once.
    private mutating func changeRoles(of id: UserID, to roles: ContactRoles, at time: Date) {
        guard let index = contacts.firstIndex(where: { $0.id == id }) else { return }
        contacts[index].relation = contacts[index].relation.changed(to: roles, at: time)
    }
}
