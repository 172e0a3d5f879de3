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
        guard let owner = try transaction.user(alert.userID) else { return }
        var scene = Scene(
            owner: owner, responders: try transaction.audience(of: alert),
            others: try OtherAlerts(besides: alert, of: owner, in: transaction),
            transaction: transaction)
        switch alert.escalation.dueAction(at: scene.now) {
        case .alertAgain(let repeats):
            // Names only alerts with a helper, because "No one is on it yet" seems to deny them.
            scene.others = scene.others.helped
            try alertAgain(alert, repeats: repeats, scene)
            report.repeatedAlerts += 1
        case .askResponder:
            try askResponder(of: alert, scene)
        case .lapse:
            try lapse(alert, scene)
            report.repeatedAlerts += 1
        case .resume where alert.acknowledgedBy != nil:
            try endReport(on: alert, scene)
        case .resume:
            try resume(alert, scene)
            report.repeatedAlerts += 1
        case nil:
            try transaction.update(alert)
        }
    }

    private struct Scene {
        let owner: UserRow
        /// The responders who are notified of the alert as it was read.
        let responders: [Recipient]
        var others: OtherAlerts
        let transaction: Transaction

        var now: Date { transaction.now }
    }

    /// Repeats the alarm. Tells the owner, once, if no responder is on it in time. An alert for
    /// chosen responders then reaches all responders.
    private func alertAgain(_ due: AlertRow, repeats: Int, _ scene: Scene) throws {
        let (owner, responders, transaction) = (scene.owner, scene.responders, scene.transaction)
        let isTimeForAll = due.escalation.isTimeToTellOwner(at: scene.now)
        let tellsOwner = !due.isOwnerNotified && isTimeForAll
        var alert = due
        alert.repeats = repeats
        alert.nextCallAt = firstCall(after: scene.now)
        alert.isOwnerNotified = due.isOwnerNotified || tellsOwner
        try transaction.update(alert)
        let reachesAll = alert.onlyFor != nil && (isTimeForAll || responders.isEmpty)
        if reachesAll {
            try widening.widen(
                &alert, of: owner, announcing: responders.isEmpty ? .chosenAreGone : nil,
                in: transaction)
        }
        try notifyAll(.alertRepeated(alert, of: owner), about: alert, scene)
        if responders.isEmpty {
            // The widening has told the owner.
            guard !reachesAll else { return }
            try notifyOwner(
                .nobodyIsThere(since: alert.startedAt, receivedAt: alert.receivedAt),
                about: alert, scene)
        } else if tellsOwner {
            let told = reachesAll ? try transaction.audience(of: alert) : responders
            let count = try reach.counted(told, of: owner.id, in: transaction)
            try notifyOwner(
                .nobodyHasTakenItOn(
                    count, since: alert.startedAt, receivedAt: alert.receivedAt,
                    wasForChosen: reachesAll),
                about: alert, scene)
        }
    }

    private func askResponder(of due: AlertRow, _ scene: Scene) throws {
        var alert = due
        alert.askedAt = scene.now
        try scene.transaction.update(alert)
        guard let responder = scene.responders.first(where: { $0.id == alert.acknowledgedBy })
        else { return }
        let question = Notice.urgent(
            .doesItGoOn(name: scene.owner.displayName), about: scene.owner.id, alert: alert)
        try notifier.notify(responder, question, in: scene.transaction)
    }

    /// Ends the acknowledgement of a responder who hasn't confirmed it in time.
    private func lapse(_ due: AlertRow, _ scene: Scene) throws {
        let (owner, transaction) = (scene.owner, scene.transaction)
        let responder = try due.acknowledgedBy.flatMap { try transaction.user($0) }
        if let responder {
            try transaction.enter(.lapsed, by: Recipient(responder), about: due)
        }
        var alert = try released(due, scene)
        let name = responder?.displayName ?? ProfileRules.displayName("")
        let text = { (helper: String?) in
            NotificationText.alertLapsed(name: owner.displayName, responder: helper)
                .withEmergencyNumber(of: owner.displayName, owner.phoneNumber)
        }
        try notifyAll(text(name), exceptFor: (due.acknowledgedBy, text(nil)), about: alert, scene)
        try widening.widen(&alert, of: owner, announcing: nil, in: transaction)
        try notifyOwner(.helpIsNotConfirmed(responder: name), about: alert, scene)
    }

    /// Continues the repeats after a report's 12 hours, or after a restore, if no responder is on
    /// the alert.
    private func resume(_ due: AlertRow, _ scene: Scene) throws {
        let owner = scene.owner
        let since = try mayHaveLostNews(of: due, in: scene.transaction)
        try scene.transaction.enterEndOfPause(of: due, by: Recipient(owner))
        var alert = try released(due, scene)
        let text = NotificationText.pauseIsOver(name: owner.displayName, incompleteSince: since)
            .withEmergencyNumber(of: owner.displayName, owner.phoneNumber)
        try notifyAll(text, about: alert, scene)
        try widening.widen(&alert, of: owner, announcing: nil, in: scene.transaction)
        try notifyOwner(.pauseIsOver(incompleteSince: since), about: alert, scene)
    }

    /// Returns since when a restore may have lost that the report was taken back; nil for a report
    /// since the restore.
    private func mayHaveLostNews(
        of alert: AlertRow, in transaction: Transaction
    ) throws -> Date? {
        guard let restoration = try transaction.serverState().restoration,
            transaction.now < restoration.end,
            let reportedAt = alert.reportedAt, reportedAt < restoration.restoredAt
        else { return nil }
        return restoration.incompleteSince
    }

    /// Saves and returns the alert without its acknowledgement and report. The caller tells the
    /// owner.
    private func released(_ due: AlertRow, _ scene: Scene) throws -> AlertRow {
        var alert = due
        alert.release(at: scene.now, nextCallAt: firstCall(after: scene.now))
        alert.isOwnerNotified = true
        try scene.transaction.update(alert)
        try alertRecords.publish(
            alert, to: scene.responders.map(\.id), in: scene.transaction)
        return alert
    }

    /// - Parameter exception: the responder who gets a text of their own, and that text.
    private func notifyAll(
        _ text: NotificationText, exceptFor exception: (UserID?, NotificationText)? = nil,
        about alert: AlertRow, _ scene: Scene
    ) throws {
        // A repeat replaces unsent messages, so that one message follows a provider's outage.
        try supersede(alert, for: scene.responders.map(\.id), in: scene.transaction)
        let announcements = { (people: [Recipient], text: NotificationText) in
            scene.others.announcements(text, to: people) {
                .urgent($0, about: scene.owner.id, alert: alert, .alertRepeat)
            }
        }
        let (person, own) = exception ?? (nil, text)
        let others = scene.responders.filter { $0.id != person }
        let excepted = scene.responders.filter { $0.id == person }
        try notifier.notify(
            announcements(others, text) + announcements(excepted, own), in: scene.transaction)
    }

    private func notifyOwner(
        _ text: NotificationText, about alert: AlertRow, _ scene: Scene
    ) throws {
        let owner = scene.owner
        // "Ben is on it" must never arrive after "Ben has not confirmed".
        try scene.transaction.supersedeNews(about: alert, for: [owner.id])
        try notifier.notify(
            Recipient(owner),
            .urgent(
                scene.others.text(
                    text.withOwnEmergencyNumber(owner.phoneNumber), for: owner.id),
                about: owner.id, alert: alert, .alertUntaken),
            in: scene.transaction)
    }

    /// Ends a report after its 12 hours, or after a restore, while a responder is on the alert. The
    /// monitor asks that responder 30 minutes after the acknowledgement, or at once if they are
    /// past. Those who haven't accepted hear only who is on it.
    private func endReport(on alert: AlertRow, _ scene: Scene) throws {
        let (owner, responders, transaction) = (scene.owner, scene.responders, scene.transaction)
        var ended = alert
        ended.endReport()
        try transaction.update(ended)
        try alertRecords.publish(ended, to: responders.map(\.id), in: transaction)
        try transaction.supersedeNews(about: ended, for: responders.map(\.id) + [owner.id])
        let helper = try transaction.displayName(of: alert.acknowledgedBy)
        let text = NotificationText.helpOutlastsReport(
            responder: helper, reporter: try transaction.displayName(of: alert.reportedBy),
            incompleteSince: try mayHaveLostNews(of: alert, in: transaction))
        let others = responders.filter { $0.id != alert.acknowledgedBy }
        let textToAsked = NotificationText.alertConfirmed(
            responder: helper, name: owner.displayName)
        let accepted = others.filter(\.isAccepted) + [Recipient(owner)]
        for (text, people) in [
            (text, accepted), (textToAsked, others.filter { !$0.isAccepted }),
        ] {
            let announcements = scene.others.announcements(text, to: people) {
                .urgent($0, about: owner.id, alert: ended)
            }
            try notifier.notify(announcements, in: transaction)
        }
    }
}
