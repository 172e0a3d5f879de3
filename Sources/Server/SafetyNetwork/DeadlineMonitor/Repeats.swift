import Domain
import Foundation
import Persistence

extension SafetyNetwork {
    /// One alert whose moment has come: repeat it, or ask the responder who is on it.
    func escalate(
        _ alert: AlertRow, at now: Date, in transaction: Transaction, _ work: inout Watch.Report
    ) throws {
        var alert = alert
        guard let owner = try transaction.user(alert.userID) else { return }
        let responders = try transaction.responders(of: owner.id)
        func tellAll(_ text: NotificationText) throws {
            // A repeat replaces unsent messages: after a provider's outage one message is enough.
            for responder in responders {
                try transaction.supersede(alert, for: responder.id, at: now)
                let again = Telling.urgent(text, about: owner.id, alert: alert, .alertRepeat)
                try tell(responder, again, at: now, in: transaction)
            }
            work.retold += 1
        }
        func tellOwner(_ text: NotificationText) throws {
            try tell(
                Recipient(owner), .urgent(text, about: owner.id, alert: alert), at: now,
                in: transaction)
        }
        func release(_ repeats: Int) throws -> String {
            let responder = try alert.acknowledgedBy.flatMap { try transaction.user($0) }
            if let responder, alert.askedAt != nil {
                try transaction.enter(.lapsed, by: Recipient(responder), about: alert, at: now)
            }
            alert.release(repeats: repeats)
            alert.ownerTold = true
            try transaction.update(alert)
            try publish(alert, to: responders.map(\.id), at: now, in: transaction)
            return responder?.displayName ?? ProfileRules.displayName("")
        }
        switch alert.escalation.dueAction(at: now) {
        case .alertAgain(let repeats):
            alert.repeats = repeats
            let tellsOwner = !alert.ownerTold && alert.escalation.isTimeToTellOwner(at: now)
            alert.ownerTold = alert.ownerTold || tellsOwner
            try transaction.update(alert)
            let since = alert.startedAt
            try tellAll(.alertRepeated(name: owner.displayName, kind: alert.kind, since: since))
            if responders.isEmpty {
                try tellOwner(.nobodyIsThere(since: since))
                work.retold += 1
            } else if tellsOwner {
                try tellOwner(.nobodyHasTakenItOn(since: since))
            }
        case .askResponder:
            alert.askedAt = now
            try transaction.update(alert)
            guard let responder = responders.first(where: { $0.id == alert.acknowledgedBy }) else {
                break
            }
            try tell(
                responder,
                .urgent(.doesItGoOn(name: owner.displayName), about: owner.id, alert: alert),
                at: now, in: transaction)
        case .lapse(let repeats):
            let responder = try release(repeats)
            try tellAll(.alertLapsed(name: owner.displayName))
            try tellOwner(.helpIsNotConfirmed(responder: responder))
        case .resume(let repeats):
            _ = try release(repeats)
            try tellAll(.pauseIsOver(name: owner.displayName))
        case nil:
            try transaction.update(alert)
        }
    }
}
