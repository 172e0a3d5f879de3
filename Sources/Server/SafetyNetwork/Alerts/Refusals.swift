import Domain
import Foundation
import Persistence

/// Alerts that every responder has refused (product.md, "Escalation").
extension SafetyNetwork {
    /// Returns true if the alert is open, no responder is on it, and everyone who is asked has
    /// refused it. Leaves out responders who haven't accepted their role, unless no responder has
    /// accepted. Leaves out unreachable responders, unless all are unreachable.
    func hasEveryoneRefused(_ alert: AlertRow, in connection: any SQLConnection) throws -> Bool {
        guard alert.isOpen, alert.escalation.attention == .none else { return false }
        // Refusals from before a restart of the escalation don't count, because the restart asks
        // everyone again.
        let refusing = try connection.peopleRefusing(
            AlertKey(owner: alert.userID, id: alert.id), since: alert.escalationFrom)
        guard !refusing.isEmpty else { return false }
        let told = try connection.responders(of: alert.userID)
        let accepted = told.filter(\.isAccepted)
        let asked = (accepted.isEmpty ? told : accepted).map(\.id)
        let left = asked.filter { !refusing.contains($0) }
        guard !left.isEmpty else { return !asked.isEmpty }
        let reachability = try connection.reachability(of: asked, by: options.carriers)
        let reached = asked.filter { reachability[$0]?.state != .unreachable }
        return !reached.isEmpty && reached.allSatisfy(refusing.contains)
    }

    /// Removes the refusals of people who are no longer responders, and sets whether everyone who
    /// is asked has refused.
    func addRefusals(
        to record: inout AlertRecord, of alert: AlertRow, in connection: any SQLConnection
    ) throws {
        guard let refusals = record.refusals else { return }
        let asked = Set(try connection.responders(of: alert.userID).map(\.id.description))
        let present = refusals.filter { asked.contains($0.responderId) }
        record.refusals = present.isEmpty ? nil : present
        record.isRefusedByAll = try hasEveryoneRefused(alert, in: connection) ? true : nil
    }

    /// Restarts the escalation of an alert that everyone has refused, unless this has already
    /// happened shortly before. In both cases tells the owner that no responder is coming.
    /// - Parameter actor: the person whose action caused the restart.
    func restartRefused(
        _ alert: inout AlertRow, of owner: UserRow, by actor: UserID, in transaction: Transaction
    ) throws {
        let now = transaction.now
        let restarts = Escalation.restartsAfterRefusals(last: alert.refusedAt, at: now)
        alert.isOwnerNotified = true
        if restarts {
            let responders = try transaction.responders(of: owner.id)
            alert.release(repeats: alert.repeats(passedAt: now))
            alert.nextCallAt = firstCall(after: now)
            alert.refusedAt = now
            try transaction.update(alert)
            try publish(alert, to: responders.map(\.id), in: transaction)
            try transaction.supersede(alert, for: responders.map(\.id))
            let text = NotificationText.everyoneRefused(name: owner.displayName)
                .withEmergencyNumber(of: owner.displayName, owner.phoneNumber)
            try notify(
                responders, .urgent(text, about: owner.id, alert: alert, .alertRepeat),
                in: transaction)
        } else {
            try transaction.update(alert)
            try publish(
                alert, to: try transaction.responders(of: owner.id).map(\.id), in: transaction)
        }
        let text = NotificationText.everyoneRefusedToOwner(areAlertedAgain: restarts)
            .withOwnEmergencyNumber(owner.phoneNumber)
        try notify(
            Recipient(owner),
            .urgent(text, about: owner.id, alert: alert, .alertUntaken, by: actor),
            in: transaction)
    }

    /// Returns the open alerts of these people, except those that everyone has refused.
    func unrefusedAlerts(
        of owners: [UserID], in connection: any SQLConnection
    ) throws -> [AlertRow] {
        try owners.flatMap { owner in
            try connection.openAlerts(of: owner)
                .filter { try !hasEveryoneRefused($0, in: connection) }
        }
    }

    /// Restarts the escalation of those alerts that everyone who is still asked has refused. Called
    /// after a person stops being asked.
    /// - Parameter actor: the person whose action caused the restart.
    func restartRefused(
        among alerts: [AlertRow], by actor: UserID, in transaction: Transaction
    ) throws {
        for known in alerts {
            guard var alert = try transaction.alert(known.id, of: known.userID),
                try hasEveryoneRefused(alert, in: transaction),
                let owner = try transaction.user(alert.userID)
            else { continue }
            try restartRefused(&alert, of: owner, by: actor, in: transaction)
        }
    }
}
