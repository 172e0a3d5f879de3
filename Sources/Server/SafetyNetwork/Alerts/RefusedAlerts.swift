import Domain
import Foundation
import Persistence

/// Alerts that every responder has refused (product.md, "Escalation").
struct RefusedAlerts: Commands {
    let core: Core
    let notifier: Notifier
    let alertRecords: AlertRecords
    let widening: Widening

    /// Restarts the escalation of an alert that everyone has refused, at most every 30 minutes. An
    /// alert for chosen responders reaches all responders instead. If the others can't be reached
    /// or haven't accepted, both happen. While a report pauses the repeats, neither happens.
    /// Always tells the owner that no responder is coming.
    /// - Parameter actor: the person whose action caused the restart.
    func restartRefused(
        _ alert: inout AlertRow, of owner: UserRow, by actor: UserID, in transaction: Transaction
    ) throws {
        let refused = alert
        let isPaused = alert.report != nil
        if !isPaused, alert.onlyFor != nil {
            var alertToAll = alert
            alertToAll.onlyFor = nil
            guard try alertRecords.hasEveryoneRefused(alertToAll, in: transaction) else {
                return try widening.widen(
                    &alert, of: owner, announcing: .allRefused, in: transaction)
            }
            try widening.widen(&alert, of: owner, announcing: nil, in: transaction)
        }
        let now = transaction.now
        let others = try OtherAlerts(besides: alert, of: owner, in: transaction)
        let restarts =
            !isPaused && Escalation.restartsAfterRefusals(last: alert.refusedAt, at: now)
        if !isPaused { alert.isOwnerNotified = true }
        if restarts {
            let responders = try transaction.audience(of: alert)
            alert.release(at: now, nextCallAt: firstCall(after: now))
            alert.refusedAt = now
            try transaction.update(alert)
            try alertRecords.publish(alert, to: responders.map(\.id), in: transaction)
            // The others have just been alerted.
            let told = responders.filter { refused.concerns($0.id) }
            try supersede(alert, for: told.map(\.id), in: transaction)
            let text = NotificationText.everyoneRefused(name: owner.displayName)
                .withEmergencyNumber(of: owner.displayName, owner.phoneNumber)
            let announcements = others.announcements(text, to: told) {
                .urgent($0, about: owner.id, alert: alert, .alertRepeat)
            }
            try notifier.notify(announcements, in: transaction)
        } else {
            // Lets `alertsRefused` skip this alert until the next answer.
            if isPaused { alert.refusedAt = now }
            try transaction.update(alert)
            try alertRecords.publish(
                alert, to: try transaction.audience(of: alert).map(\.id), in: transaction)
        }
        let text = NotificationText.everyoneRefusedToOwner(areAlertedAgain: restarts)
            .withOwnEmergencyNumber(owner.phoneNumber)
        try notifier.notify(
            Recipient(owner),
            .urgent(
                others.text(text, for: owner.id), about: owner.id, alert: alert, .alertUntaken,
                by: actor),
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

    /// Publishes the alerts that everyone had refused until a new responder came.
    /// - Parameter known: the alerts that somebody hadn't refused before (`unrefusedAlerts`).
    func publishUnrefused(
        of owners: [UserID], besides known: [AlertRow], in transaction: Transaction
    ) throws {
        for alert in try unrefusedAlerts(of: owners, in: transaction)
        where !known.contains(where: { $0.id == alert.id && $0.userID == alert.userID }) {
            let watchers = try transaction.audience(of: alert).map(\.id)
            try alertRecords.publish(alert, to: watchers, in: transaction)
        }
    }

    /// Returns the open alerts that count as refused by everyone only because no message can reach
    /// this person any more, or because every message of an alarm to them has failed. Omits alerts
    /// whose escalation has restarted since the last answer, or whose owner was told since then
    /// that everyone has refused.
    func alertsRefused(
        without person: UserID, in connection: any SQLConnection
    ) throws -> [AlertRow] {
        let owners = try connection.contacts(of: person)
            .filter { $0.relation.dependent.isInForce }.map(\.contact)
        return try owners.flatMap { owner in
            try connection.openAlerts(of: owner).filter { alert in
                guard try alertRecords.hasEveryoneRefused(alert, in: connection),
                    try !alertRecords.hasEveryoneRefused(
                        alert, ifReached: person, in: connection)
                else { return false }
                // Ignores a time in the future, which a wrong clock wrote.
                guard let last = alert.refusedAt, last <= connection.now else { return true }
                let told = try connection.lastNews(
                    titled: NotificationText.everyoneRefusedToOwner(areAlertedAgain: false).title,
                    toOwnerOf: alert)
                return try connection.hasAnswer(to: alert, after: max(last, told ?? last))
            }
        }
    }

    /// Restarts the escalation of those alerts that everyone has refused. An alert whose chosen
    /// responders are gone reaches all responders. Call this after somebody stops being asked, with
    /// the alerts from before (`unrefusedAlerts`).
    /// - Parameter actor: the person whose action caused the restart.
    func restartRefused(
        among alerts: [AlertRow], by actor: UserID, in transaction: Transaction
    ) throws {
        for known in alerts {
            guard var alert = try transaction.alert(known.id, of: known.userID), alert.isOpen,
                let owner = try transaction.user(alert.userID)
            else { continue }
            if try alertRecords.hasEveryoneRefused(alert, in: transaction) {
                try restartRefused(&alert, of: owner, by: actor, in: transaction)
            } else if try hasLostChosen(alert, in: transaction) {
                try widening.widen(
                    &alert, of: owner, announcing: .chosenAreGone, in: transaction)
            }
        }
    }

    /// Returns true if none of the responders chosen for this alert is an accepted responder any
    /// more. People who were removed and are only asked again have the alert already. The alert
    /// stays with them if one of them is on it, or if the owner has only them.
    private func hasLostChosen(_ alert: AlertRow, in transaction: Transaction) throws -> Bool {
        guard alert.onlyFor != nil else { return false }
        let responders = try transaction.responders(of: alert.userID)
        let chosen = alert.audience(among: responders)
        if chosen.isEmpty { return true }
        return alert.escalation.attention == .none && !chosen.contains(where: \.isAccepted)
            && chosen.count < responders.count
    }
}
