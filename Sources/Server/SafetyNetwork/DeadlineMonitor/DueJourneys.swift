import Domain
import Foundation
import Persistence

/// Reminds people on a journey of their return, and alerts responders of those who aren't back.
struct DueJourneys: Commands {
    let core: Core
    let notifier: Notifier
    let alertLifecycle: AlertLifecycle

    func handleDue(
        _ user: UserID, in transaction: Transaction, _ report: inout DeadlineMonitor.Report
    ) throws {
        let now = transaction.now
        // Reads the row again under its lock, because another server may have handled it.
        guard var journey = try transaction.dueJourney(of: user, at: now),
            let owner = try transaction.user(user)
        else { return }
        switch journey.dueStep(at: now) {
        case .alert:
            let alert = try alert(about: journey, of: owner, in: transaction)
            journey.alert = alert.alert.id
            try transaction.supersedeJourneyReminders(of: user)
            try alertLifecycle.open([alert], in: transaction)
            try transaction.append(.profileChanged, to: user)
            report.missed += 1
            report.delays.append(now.since(journey.deadline))
        case .some(let step):
            journey.note(sent: step)
            let all = try transaction.responders(of: user)
            let chosen = chosen(for: journey, among: all)
            let told = all.filter { chosen?.contains($0.id) ?? true }
            let others = all.filter { chosen?.contains($0.id) == false }
            let reach = alertLifecycle.reach
            var count = try reach.counted(told, of: user, in: transaction)
            count.areChosen = chosen != nil
            let text = NotificationText.journeyReminder(
                step, journey: journey.name, expected: journey.expectedReturn,
                deadline: journey.deadline, responders: count,
                others: try reach.counted(others, of: user, in: transaction))
            try notifier.notify(
                Recipient(owner),
                Notice(text: text, isReminder: true, isUrgent: true, purpose: .journey),
                in: transaction)
            report.reminders += 1
        // Postponed during an outage; the step isn't due any more.
        case nil: break
        }
        try transaction.save(journey, of: user)
    }

    private func alert(
        about journey: Journey, of owner: UserRow, in transaction: Transaction
    ) throws -> AlertBeginning {
        let now = transaction.now
        let state = try transaction.serverState()
        let isLate =
            now.since(journey.deadline).isLate
            && state.outage?.explains(journey.deadline) == true
        var alert = AlertRow(
            id: newID(at: now), userID: owner.id, kind: .journey, startedAt: now,
            deadlineAt: journey.expectedReturn, toldLate: isLate, repeats: 1)
        alert.journey = journey.name
        alert.onlyFor = chosen(for: journey, among: try transaction.responders(of: owner.id))
        return AlertBeginning(
            alert: alert, owner: owner,
            incompleteSince: try transaction.mayHaveLostArrival(of: owner.id))
    }

    /// Returns the chosen responders; nil for all. If none of the chosen is an accepted responder
    /// any more, all are told.
    private func chosen(for journey: Journey, among responders: [Recipient]) -> [UserID]? {
        journey.responders.flatMap { chosen in
            responders.contains { $0.isAccepted && chosen.contains($0.id) } ? chosen : nil
        }
    }
}
