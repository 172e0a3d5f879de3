import Domain
import Foundation
import Persistence

/// Makes the alert about a journey reach all responders (product.md, "Journeys").
struct Widening: Commands {
    let core: Core
    let notifier: Notifier
    let alertRecords: AlertRecords

    /// Why the alert reaches all responders.
    enum Cause {
        /// All chosen responders have refused. They and the owner are told.
        case allRefused
        /// None of the chosen responders is an accepted responder any more. The owner is told.
        case chosenAreGone
    }

    /// Alerts the responders who weren't chosen, as at the alert's beginning. Does nothing for an
    /// alert that reaches all.
    /// - Parameters:
    ///   - cause: what to tell the owner and the chosen responders; nil if the caller tells them.
    ///   - leaver: a responder who is leaving and isn't told; nil without one.
    func widen(
        _ alert: inout AlertRow, of owner: UserRow, announcing cause: Cause?,
        except leaver: UserID? = nil, in transaction: Transaction
    ) throws {
        guard alert.onlyFor != nil else { return }
        let chosen = alert
        alert.onlyFor = nil
        alert.nextCallAt = firstCall(after: transaction.now)
        try transaction.update(alert)
        let responders = try transaction.responders(of: owner.id).filter { $0.id != leaver }
        try alertRecords.publish(alert, to: responders.map(\.id), in: transaction)
        if cause == .allRefused {
            // One of them may believe that another is on it.
            let known = responders.filter { chosen.concerns($0.id) }
            try supersede(alert, for: known.map(\.id), in: transaction)
            let text = NotificationText.chosenRefused(name: owner.displayName)
                .withEmergencyNumber(of: owner.displayName, owner.phoneNumber)
            try notifier.notify(
                known, .urgent(text, about: owner.id, alert: alert, .alertRepeat),
                in: transaction)
        }
        let beginning = AlertBeginning(
            alert: alert, owner: owner,
            incompleteSince: try transaction.mayHaveLostArrival(of: owner.id))
        try notifier.notify(
            responders.filter { !chosen.concerns($0.id) },
            beginning.notice(beginning.text(at: transaction.now)), in: transaction)
        guard cause != nil else { return }
        let text: NotificationText =
            responders.isEmpty ? .noResponderIsLeft(responder: nil) : .journeyReachesAll
        try notifier.notify(
            Recipient(owner),
            .urgent(
                text.withOwnEmergencyNumber(owner.phoneNumber), about: owner.id, alert: alert,
                .alertUntaken), in: transaction)
    }
}

extension SQLConnection {
    /// Returns since when a restore may have lost an arrival or a later return; nil if it lost
    /// none.
    func mayHaveLostArrival(of user: UserID) throws -> Date? {
        guard let journey = try journey(of: user),
            let restoration = try serverState().restoration, now < restoration.end,
            journey.startedAt < restoration.restoredAt
        else { return nil }
        return restoration.incompleteSince
    }
}
