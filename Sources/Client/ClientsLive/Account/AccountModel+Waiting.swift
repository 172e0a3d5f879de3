import Domain
import Foundation

/// Applies queued actions to the visible state before the server knows of them. Nothing here is
/// stored: when an entry leaves the queue, the server's state shows.
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

    /// A queued check-in shows in the history alone. Until the server has it, the responders' clock
    /// runs on to the old deadline, and the person has to see that.
    mutating func checkIn(_ id: CheckInID, at moment: Date, receivedAt: Date) {
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

    /// Details for responders appear once the server has accepted the role, and disappear at once.
    mutating func changeRoles(of id: UserID, to roles: ContactRoles, at time: Date) {
        guard let index = contacts.firstIndex(where: { $0.id == id }) else { return }
        contacts[index].relation = contacts[index].relation.changed(to: roles, at: time)
    }
}
