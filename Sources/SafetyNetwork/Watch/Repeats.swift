import Domain
import Foundation
import Persistence

extension SafetyNetwork {
    /// One alert that has to be told again, or whose responder has to be asked.
    func escalate(_ alert: AlertRow, at now: Date, in transaction: Transaction, _ work: inout Watch.Report) throws {
        var alert = alert
        guard let owner = try transaction.user(alert.userID) else { return }
        let responders = try transaction.responders(of: owner.id)
        func tellAll(_ text: NotificationText) throws {
            for responder in responders {
                try tell(responder, Telling(text: text, about: owner.id, alert: alert, isUrgent: true), at: now, in: transaction)
            }
            work.retold += 1
        }
        switch alert.escalation.dueAction(at: now) {
        case .tellAgain(let told):
            alert.repeats = told
            try transaction.update(alert)
            try tellAll(.alertRepeated(name: owner.displayName, kind: alert.kind, since: alert.startedAt))
        case .askResponder:
            alert.askedAt = now
            try transaction.update(alert)
            guard let responder = responders.first(where: { $0.id == alert.acknowledgedBy }) else { break }
            let question = Telling(text: .doesItGoOn(name: owner.displayName), about: owner.id, alert: alert, isUrgent: true)
            try tell(responder, question, at: now, in: transaction)
        case .lapse(let told):
            alert.repeats = told
            alert.acknowledgedBy = nil
            alert.acknowledgedAt = nil
            alert.askedAt = nil
            try transaction.update(alert)
            try publish(alert, to: responders.map(\.id), at: now, in: transaction)
            try tellAll(.alertLapsed(name: owner.displayName))
        case nil:
            try transaction.update(alert)
        }
    }
}
