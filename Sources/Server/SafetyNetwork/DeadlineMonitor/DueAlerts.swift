import Domain
import Foundation
import Persistence

/// Repeats due alerts, and asks responders whether they are still on it.
struct DueAlerts: Commands {
    let core: Core
    let notifier: Notifier
    let alertRecords: AlertRecords
    let reach: Reach
    let widening: Widening

    /// Handles one due alert. Repeats the alert, or asks the responder who is on it for a
    /// confirmation.
    func escalate(
        _ alert: AlertRow, in transaction: Transaction,
        _ report: inout DeadlineMonitor.Report
    ) throws {
        let now = transaction.now
        var alert = alert
        guard let owner = try transaction.user(alert.userID) else { return }
        let responders = try transaction.audience(of: alert)
        func notifyAll(_ text: NotificationText) throws {
            // A repeat replaces unsent messages, so that one message follows a provider's outage.
            try transaction.supersede(alert, for: responders.map(\.id))
            try notifier.notify(
                responders, .urgent(text, about: owner.id, alert: alert, .alertRepeat),
                in: transaction)
            report.repeatedAlerts += 1
        }
        func notifyOwner(_ text: NotificationText) throws {
            // "Ben is on it" must never arrive after "Ben has not confirmed".
            try transaction.supersedeNews(about: alert, for: [owner.id])
            try notifier.notify(
                Recipient(owner), .urgent(text, about: owner.id, alert: alert, .alertUntaken),
                in: transaction)
        }
        func release(_ repeats: Int) throws -> String {
            let responder = try alert.acknowledgedBy.flatMap { try transaction.user($0) }
            if let responder, alert.askedAt != nil {
                try transaction.enter(.lapsed, by: Recipient(responder), about: alert)
            }
            alert.release(repeats: repeats)
            alert.nextCallAt = firstCall(after: now)
            alert.isOwnerNotified = true
            try transaction.update(alert)
            try alertRecords.publish(alert, to: responders.map(\.id), in: transaction)
            return responder?.displayName ?? ProfileRules.displayName("")
        }
        switch alert.escalation.dueAction(at: now) {
        case .alertAgain(let repeats):
            alert.repeats = repeats
            alert.nextCallAt = firstCall(after: now)
            let tellsOwner = !alert.isOwnerNotified && alert.escalation.isTimeToTellOwner(at: now)
            alert.isOwnerNotified = alert.isOwnerNotified || tellsOwner
            try transaction.update(alert)
            let isTimeForAll = alert.escalation.isTimeToTellOwner(at: now)
            let reachesAll = alert.onlyFor != nil && (isTimeForAll || responders.isEmpty)
            if reachesAll {
                try widening.widen(
                    &alert, of: owner, responders.isEmpty ? .chosenAreGone : .time,
                    in: transaction)
            }
            let (since, receivedAt) = (alert.startedAt, alert.receivedAt)
            try notifyAll(.alertRepeated(alert, of: owner))
            if responders.isEmpty {
                guard !reachesAll else { return }
                try notifyOwner(
                    .nobodyIsThere(since: since, receivedAt: receivedAt)
                        .withOwnEmergencyNumber(owner.phoneNumber))
            } else if tellsOwner {
                let told = reachesAll ? try transaction.audience(of: alert) : responders
                let count = try reach.counted(told, of: owner.id, in: transaction)
                try notifyOwner(
                    .nobodyHasTakenItOn(count, since: since, receivedAt: receivedAt)
                        .withOwnEmergencyNumber(owner.phoneNumber))
            }
        case .askResponder:
            alert.askedAt = now
            try transaction.update(alert)
            guard let responder = responders.first(where: { $0.id == alert.acknowledgedBy }) else {
                break
            }
            var question = Notice.urgent(
                .doesItGoOn(name: owner.displayName), about: owner.id, alert: alert)
            question.isHelpQuestion = true
            try notifier.notify(responder, question, in: transaction)
        case .lapse(let repeats):
            let responder = try release(repeats)
            try notifyAll(
                .alertLapsed(name: owner.displayName)
                    .withEmergencyNumber(of: owner.displayName, owner.phoneNumber))
            try widening.widen(&alert, of: owner, .time, in: transaction)
            try notifyOwner(
                .helpIsNotConfirmed(responder: responder)
                    .withOwnEmergencyNumber(owner.phoneNumber))
        case .resume(let repeats):
            guard alert.acknowledgedBy == nil else {
                return try endReport(on: alert, of: owner, responders, in: transaction)
            }
            _ = try release(repeats)
            try notifyAll(
                .pauseIsOver(name: owner.displayName)
                    .withEmergencyNumber(of: owner.displayName, owner.phoneNumber))
            try widening.widen(&alert, of: owner, .time, in: transaction)
            try notifyOwner(.pauseIsOver.withOwnEmergencyNumber(owner.phoneNumber))
        case nil:
            try transaction.update(alert)
        }
    }

    /// Ends a report after its 12 hours while a responder is on the alert. The monitor asks that
    /// responder 30 minutes after the acknowledgement, or at once if they are past. Those who
    /// haven't accepted hear only who is on it.
    private func endReport(
        on alert: AlertRow, of owner: UserRow, _ responders: [Recipient],
        in transaction: Transaction
    ) throws {
        var ended = alert
        ended.endReport()
        try transaction.update(ended)
        try alertRecords.publish(ended, to: responders.map(\.id), in: transaction)
        try transaction.supersedeNews(about: ended, for: responders.map(\.id) + [owner.id])
        let helper = try transaction.displayName(of: alert.acknowledgedBy)
        let text = NotificationText.helpOutlastsReport(
            responder: helper, reporter: try transaction.displayName(of: alert.reportedBy))
        let others = responders.filter { $0.id != alert.acknowledgedBy }
        try notifier.notify(
            others.filter(\.isAccepted) + [Recipient(owner)],
            .urgent(text, about: owner.id, alert: ended), in: transaction)
        let textToAsked = NotificationText.alertConfirmed(
            responder: helper, name: owner.displayName)
        try notifier.notify(
            others.filter { !$0.isAccepted },
            .urgent(textToAsked, about: owner.id, alert: ended), in: transaction)
    }
}

extension AlertRow {
    /// Returns how many of the alert's scheduled alarms are past.
    func repeats(passedAt now: Date) -> Int {
        max(repeats, Escalation.moments(passedAfter: now.since(escalationFrom)))
    }
}
