import Domain
import Foundation
import Persistence

extension SafetyNetwork {
    /// Handles the due schedule of one user.
    func handleDue(
        _ schedule: CheckInSchedule, of user: UserID, in transaction: Transaction,
        _ work: inout DeadlineMonitor.Report
    ) throws {
        let now = transaction.now
        var schedule = schedule
        guard let owner = try transaction.user(user) else { return }
        switch schedule.dueAction(at: now) {
        case .remind(let reminder, let deadline, let covers):
            schedule.remindersSent.formUnion(covers)
            var notice = Notice(
                text: .reminder(reminder, deadline: deadline), isReminder: true)
            notice.purpose = .reminder
            try notify(Recipient(owner), notice, in: transaction)
            work.reminders += 1
        case .missed(let deadline):
            let circumstances = try circumstances(of: deadline, user: user, in: transaction)
            if let restoration = circumstances.restoration {
                switch circumstances.step {
                case .ask:
                    return try ask(owner, about: deadline, restoration, in: transaction, &work)
                case .wait(let end): return try transaction.postponeSchedule(of: user, until: end)
                case .notifyWithDoubt, .notify: break
                }
            }
            schedule.hasOpenedAlert = true
            // An alert that is open from an earlier deadline stands for this one too.
            if let open = try transaction.openAlert(.missedCheckIn, of: user) {
                try restart(open, missing: deadline, owner: owner, in: transaction)
            } else {
                let alert = AlertRow(
                    id: newID(), userID: user, kind: .missedCheckIn, startedAt: now,
                    deadlineAt: deadline,
                    toldLate: circumstances.isLate, repeats: 1
                )
                try open(
                    alert, owner: owner, incompleteSince: circumstances.incompleteSince,
                    in: transaction)
            }
            work.missed += 1
            work.delays.append(now.since(deadline))
        case nil:
            break
        }
        try transaction.save(schedule, of: user)
    }

    /// The server's knowledge about a passed deadline, beside the schedule.
    private struct Circumstances {
        var restoration: Restoration?
        var step: Restoration.Step
        /// Nobody could be notified in time, because no server was running.
        var isLate: Bool

        var incompleteSince: Date? { step == .notifyWithDoubt ? restoration?.incompleteSince : nil }
    }

    private func circumstances(
        of deadline: Date, user: UserID, in transaction: Transaction
    ) throws -> Circumstances {
        let now = transaction.now
        let state = try transaction.serverState()
        let memory = try transaction.scheduleMemory(of: user)
        // Due since before the present server: an interval that was shortened makes its own moment
        // due.
        let wasPostponed = memory?.nextDueAt.map { $0 > deadline } ?? false
        let isLate =
            wasPostponed && now.since(deadline) > Escalation.lateness
            && state.outage?.explains(deadline) == true
        // Asking makes no sense once an alert about the missed check-in is open.
        guard let restoration = state.restoration,
            try transaction.openAlert(.missedCheckIn, of: user) == nil
        else {
            return Circumstances(step: .notify, isLate: isLate)
        }
        let step = restoration.step(
            deadline: deadline, heardAt: memory?.heardAt, askedAt: memory?.askedAt, at: now)
        return Circumstances(restoration: restoration, step: step, isLate: isLate)
    }

    /// After a restore the person comes first: a check-in of theirs may have been lost.
    private func ask(
        _ owner: UserRow, about deadline: Date, _ restoration: Restoration,
        in transaction: Transaction,
        _ work: inout DeadlineMonitor.Report
    ) throws {
        let text = NotificationText.areYouOK(
            deadline: deadline, incompleteSince: restoration.incompleteSince,
            hasResponders: try !transaction.responderIDs(of: owner.id).isEmpty)
        try notify(
            Recipient(owner), Notice(text: text, isReminder: true, isUrgent: true),
            in: transaction)
        try transaction.noteAsked(
            owner.id, lookAgainAt: transaction.now.adding(Restoration.patience))
        work.reminders += 1
    }
}
