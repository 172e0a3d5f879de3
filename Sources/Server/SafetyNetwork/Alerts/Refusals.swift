import Domain
import Foundation
import Persistence

/// Alerts that every responder has refused (product.md, "Escalation").
struct Refusals: Commands {
    let core: Core
    let notifier: Notifier
    let alertRecords: AlertRecords

    /// Restarts the escalation of an alert that everyone has refused, at most every 30 minutes.
    /// Always tells the owner that no responder is coming.
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
            try alertRecords.publish(alert, to: responders.map(\.id), in: transaction)
            try transaction.supersede(alert, for: responders.map(\.id))
            let text = NotificationText.everyoneRefused(name: owner.displayName)
                .withEmergencyNumber(of: owner.displayName, owner.phoneNumber)
            try notifier.notify(
                responders, .urgent(text, about: owner.id, alert: alert, .alertRepeat),
                in: transaction)
        } else {
            try transaction.update(alert)
            try alertRecords.publish(
                alert, to: try transaction.responders(of: owner.id).map(\.id), in: transaction)
        }
        let text = NotificationText.everyoneRefusedToOwner(areAlertedAgain: restarts)
            .withOwnEmergencyNumber(owner.phoneNumber)
        try notifier.notify(
            Recipient(owner),
            .urgent(text, about: owner.id, alert: alert, .alertUntaken, by: actor),
            in: transaction)
    }

    /// Returns these people's open alerts that somebody hasn't refused yet.
    func unrefusedAlerts(
        of owners: [UserID], in connection: any SQLConnection
    ) throws -> [AlertRow] {
        try owners.flatMap { owner in
            try connection.openAlerts(of: owner)
                .filter { try !alertRecords.hasEveryoneRefused($0, in: connection) }
        }
    }

    /// Restarts the escalation of those alerts that everyone has refused. Call this after somebody
    /// stops being asked, with the alerts from before (`unrefusedAlerts`).
    /// - Parameter actor: the person whose action caused the restart.
    func restartRefused(
        among alerts: [AlertRow], by actor: UserID, in transaction: Transaction
    ) throws {
        for known in alerts {
            guard var alert = try transaction.alert(known.id, of: known.userID),
                try alertRecords.hasEveryoneRefused(alert, in: transaction),
                let owner = try transaction.user(alert.userID)
            else { continue }
            try restartRefused(&alert, of: owner, by: actor, in: transaction)
        }
    }
}
