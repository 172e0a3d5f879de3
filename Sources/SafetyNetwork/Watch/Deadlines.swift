import Domain
import Foundation
import Persistence

extension SafetyNetwork {
    /// One user whose time has come.
    func look(at schedule: CheckInSchedule, of user: UserID, at now: Date, in transaction: Transaction, _ work: inout Watch.Report) throws {
        var schedule = schedule
        guard let owner = try transaction.user(user) else { return }
        switch schedule.dueAction(at: now) {
        case .remind(let reminder, let deadline, let covers):
            schedule.remindersSent.formUnion(covers)
            try tell(Recipient(owner), Telling(text: .reminder(reminder, deadline: deadline), isReminder: true), at: now, in: transaction)
            work.reminders += 1
        case .missed(let deadline):
            schedule.isMissedTold = true
            // An alert that is open from an earlier deadline stands for this one too.
            if let open = try transaction.openAlert(.missedCheckIn, of: user) {
                try restart(open, missing: deadline, owner: owner, at: now, in: transaction)
            } else {
                let alert = AlertRow(
                    id: newID(), userID: user, kind: .missedCheckIn, startedAt: now, deadlineAt: deadline,
                    toldLate: now.since(deadline) > Escalation.lateness, repeats: 1
                )
                try open(alert, owner: owner, at: now, in: transaction)
            }
            work.missed += 1
            work.delays.append(now.since(deadline))
        case nil:
            break
        }
        try transaction.save(schedule, of: user)
    }
}
