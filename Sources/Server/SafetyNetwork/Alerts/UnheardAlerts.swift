import Domain
import Foundation
import Persistence

/// Alerts whose messages have failed for good (product.md, "Escalation").
extension Reach {
    /// Restarts the alerts that all reachable responders have refused. Tells the owners of alerts
    /// that reach no responder. Call this after a message to a person has failed for good.
    /// - Returns: the alerts of the people who rely on this person that reach no responder.
    func followFailedMessage(to person: UserID) async throws -> Set<AlertKey> {
        try await restartAlertsRefused(without: person)
        let unheard = try await database.read { connection in
            try unheardAlerts(of: person, in: connection)
        }
        let keys = Set(unheard.map { AlertKey(owner: $0.userID, id: $0.id) })
        let owners = unheard.filter { !$0.isOwnerNotified }.map(\.userID)
        guard !owners.isEmpty else { return keys }
        try await database.write(
            about: Subjects([person] + owners, isRepeatable: true)
        ) { transaction in
            for alert in try unheardAlerts(of: person, in: transaction)
            where !alert.isOwnerNotified && owners.contains(alert.userID) {
                guard let owner = try transaction.user(alert.userID) else { continue }
                try tell(owner, ofUnheard: alert, in: transaction)
            }
        }
        return keys
    }

    /// Publishes an alert that reached no responder, once that has changed.
    /// - Returns: true if it still reaches none.
    func followArrival(of key: AlertKey) async throws -> Bool {
        let isUnheard = try await database.read { try unheardAlert(key, in: $0) != nil }
        guard !isUnheard else { return true }
        return try await database.write(
            about: Subjects([key.owner], isRepeatable: true)
        ) { transaction in
            // After the alert's end, there is nothing to correct.
            guard let alert = try openAlert(key, in: transaction) else { return false }
            guard try unheardAlert(key, in: transaction) == nil else { return true }
            try refusedAlerts.alertRecords.publish(alert, to: [], in: transaction)
            return false
        }
    }

    private func openAlert(
        _ key: AlertKey, in connection: any SQLConnection
    ) throws -> AlertRow? {
        try connection.openAlerts(of: key.owner).first { $0.id == key.id }
    }

    private func unheardAlert(
        _ key: AlertKey, in connection: any SQLConnection
    ) throws -> AlertRow? {
        guard let alert = try openAlert(key, in: connection),
            try refusedAlerts.alertRecords.isUnheard(alert, in: connection)
        else { return nil }
        return alert
    }

    /// Returns the unheard alerts of the people who rely on this person.
    private func unheardAlerts(
        of person: UserID, in connection: any SQLConnection
    ) throws -> [AlertRow] {
        let owners = try connection.contacts(of: person)
            .filter { $0.relation.dependent.isInForce }.map(\.contact)
        return try owners.flatMap { owner in
            try connection.openAlerts(of: owner).filter {
                try refusedAlerts.alertRecords.isUnheard($0, in: connection)
            }
        }
    }

    private func tell(
        _ owner: UserRow, ofUnheard unheard: AlertRow, in transaction: Transaction
    ) throws {
        var alert = unheard
        alert.isOwnerNotified = true
        try transaction.update(alert)
        try refusedAlerts.alertRecords.publish(alert, to: [], in: transaction)
        let accepted = try transaction.audience(of: alert).count(where: \.isAccepted)
        let text = NotificationText.nobodyHasTakenItOn(
            ToldResponders(told: 0, all: accepted), since: alert.startedAt,
            receivedAt: alert.receivedAt
        ).withOwnEmergencyNumber(owner.phoneNumber)
        let others = try OtherAlerts(besides: alert, of: owner, in: transaction)
        try transaction.supersedeNews(about: alert, for: [owner.id])
        try notifier.notify(
            Recipient(owner),
            .urgent(
                others.text(text, for: owner.id), about: owner.id, alert: alert, .alertUntaken),
            in: transaction)
    }
}
