import Domain
import Foundation
import Persistence

/// Alerts whose messages have failed for good (product.md, "Escalation").
extension Reach {
    /// Restarts the alerts that everyone whom a message reaches has refused. Tells the owners of
    /// the alerts that reach no responder. Call this after a message to a person has failed for
    /// good.
    func followFailedMessage(to person: UserID) async throws {
        try await restartAlertsRefused(without: person)
        let owners = try await database.read { connection in
            try unheardAlerts(of: person, in: connection).map(\.userID)
        }
        guard !owners.isEmpty else { return }
        try await database.write(
            about: Subjects([person] + owners, isRepeatable: true)
        ) { transaction in
            for alert in try unheardAlerts(of: person, in: transaction)
            where owners.contains(alert.userID) {
                guard let owner = try transaction.user(alert.userID) else { continue }
                try tell(owner, ofUnheard: alert, in: transaction)
            }
        }
    }

    /// Returns the unheard alerts of the people who rely on this person, without those whose owner
    /// has been told that no responder is on it.
    private func unheardAlerts(
        of person: UserID, in connection: any SQLConnection
    ) throws -> [AlertRow] {
        let owners = try connection.contacts(of: person)
            .filter { $0.relation.dependent.isInForce }.map(\.contact)
        return try owners.flatMap { owner in
            try connection.openAlerts(of: owner).filter {
                try !$0.isOwnerNotified
                    && refusedAlerts.alertRecords.isUnheard($0, in: connection)
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
