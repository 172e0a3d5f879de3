import Domain
import Foundation
import Persistence

/// Makes the alert about a journey reach all responders (product.md, "Journeys").
struct Widening: Commands {
    let core: Core
    let notifier: Notifier
    let alertRecords: AlertRecords

    /// Alerts the responders who weren't chosen, as at the alert's beginning.
    /// - Parameter tellsOwner: true if the chosen responders can't come.
    func widen(
        _ alert: inout AlertRow, of owner: UserRow, tellsOwner: Bool, in transaction: Transaction
    ) throws {
        let chosen = alert
        alert.onlyFor = nil
        alert.nextCallAt = firstCall(after: transaction.now)
        try transaction.update(alert)
        let responders = try transaction.responders(of: owner.id)
        try alertRecords.publish(alert, to: responders.map(\.id), in: transaction)
        let beginning = AlertBeginning(alert: alert, owner: owner)
        try notifier.notify(
            responders.filter { !chosen.concerns($0.id) },
            beginning.notice(beginning.text(at: transaction.now)), in: transaction)
        guard tellsOwner else { return }
        let text = NotificationText.journeyReachesAll.withOwnEmergencyNumber(owner.phoneNumber)
        try notifier.notify(
            Recipient(owner), .urgent(text, about: owner.id, alert: alert, .alertUntaken),
            in: transaction)
    }
}
