import Domain
import Foundation
import Persistence

extension CheckInSchedule {
    fileprivate func mustOpenAlert(at now: Date) -> Bool {
        if case .missed = dueAction(at: now) { true } else { false }
    }

    /// Returns true if the next action depends on the person's responders or devices.
    fileprivate func concernsOthers(at now: Date) -> Bool {
        switch dueAction(at: now) {
        case .lastCall, .announcePauseEnd: true
        case .remind, .remindOfPauseEnd, .missed, nil: false
        }
    }

    /// Returns true if the next action is a message to the person before a deadline or the end of a
    /// pause.
    fileprivate func remindsPerson(at now: Date) -> Bool {
        switch dueAction(at: now) {
        case .remind, .lastCall, .remindOfPauseEnd: true
        case .announcePauseEnd, .missed, nil: false
        }
    }
}

/// Handles what is due in people's schedules: reminders, last calls, ends of pauses, and missed
/// deadlines.
struct DueCheckIns: Commands {
    let core: Core
    let notifier: Notifier
    let scheduleNews: ScheduleNews
    let alertLifecycle: AlertLifecycle

    /// Handles the due schedules of these people. On a database with round trips, the number of
    /// statements doesn't depend on the number of people.
    func handleDue(
        _ people: [UserID], in transaction: Transaction, _ report: inout DeadlineMonitor.Report
    ) throws {
        let now = transaction.now
        // Reads each row again under its lock, because another server may have handled it.
        let due = try transaction.dueSchedules(of: people, at: now)
        let owners = try transaction.users(due.map(\.user))
        let silent = due.filter { $0.memory.schedule.mustOpenAlert(at: now) }.map(\.user)
        let others = due.filter { $0.memory.schedule.concernsOthers(at: now) }.map(\.user)
        let reminded = due.filter { $0.memory.schedule.remindsPerson(at: now) }.map(\.user)
        let responders = try others.isEmpty ? [:] : transaction.responders(of: others)
        var pass = Pass(
            state: try transaction.serverState(),
            openAlerts: try transaction.openAlerts(.missedCheckIn, of: silent + reminded),
            responders: responders,
            counts: try others.isEmpty
                ? [:] : alertLifecycle.reach.counted(responders, in: transaction),
            endpoints: try others.isEmpty ? [:] : transaction.pushEndpoints(of: others),
            messages: try deadlineMessages(to: reminded, in: transaction))
        for (user, memory) in due {
            guard let owner = owners[user] else { continue }
            try handle(memory, of: owner, &pass, in: transaction, &report)
        }
        try transaction.supersedeReminders(ofMissed: pass.reminded)
        try transaction.supersedeReminders(ofRemindedAgain: pass.remindedAgain(among: due))
        try alertLifecycle.open(pass.beginnings, in: transaction)
        try notifier.notify(pass.reminders, in: transaction)
        try transaction.saveHandled(pass.handled)
        for (user, end) in pass.graces { try transaction.postponeSchedule(of: user, until: end) }
    }

    /// Returns the messages that `DeadlineMessageLimits` counts.
    private func deadlineMessages(
        to people: [UserID], in transaction: Transaction
    ) throws -> [UserID: [DeadlineMessage]] {
        guard !people.isEmpty, !availableChannels.isDisjoint(with: [.sms, .voice]) else {
            return [:]
        }
        return try transaction.deadlineMessages(
            to: people, since: transaction.now.adding(.zero - DeadlineMessageLimits.window))
    }

    private struct Pass {
        let state: ServerState
        let openAlerts: [UserID: AlertRow]
        /// Of the people whose next action depends on them.
        let responders: [UserID: [Recipient]]
        let counts: [UserID: ToldResponders]
        let endpoints: [UserID: [PushEndpoint]]
        /// The reminders and last calls of the last hour.
        let messages: [UserID: [DeadlineMessage]]
        var beginnings: [AlertBeginning] = []
        var reminded: [UserID] = []
        var reminders: [Announcement] = []
        var handled: [(user: UserID, schedule: CheckInSchedule)] = []
        /// The ends of graces whose alerts are still to open.
        var graces: [(user: UserID, end: Date)] = []

        mutating func remind(_ owner: UserRow, _ text: NotificationText) {
            let notice = Notice(
                text: text, isReminder: true, purpose: .reminder,
                bySMS: mayUse(.sms, .reminder, owner.id, since: nil))
            reminders.append(Announcement(to: [Recipient(owner)], notice))
        }

        /// Returns the people who got a reminder before, and get a reminder or last call now.
        func remindedAgain(among due: [(user: UserID, memory: ScheduleMemory)]) -> [UserID] {
            let before = Set(due.filter { $0.memory.schedule.hasReminded }.map(\.user))
            return reminders.filter { [.reminder, .lastCall].contains($0.notice.purpose) }
                .flatMap(\.recipients).map(\.id).filter(before.contains)
        }

        /// Returns the deadline of the open alert about a missed check-in; nil without one.
        func missedDeadline(of user: UserID) -> Date? {
            openAlerts[user].map { $0.deadlineAt ?? $0.startedAt }
        }

        /// Returns false if the limits on SMS and calls forbid another message of this kind.
        func mayUse(
            _ channel: DeliveryChannel, _ purpose: DeliveryPurpose, _ user: UserID,
            since lastCheckIn: Date?
        ) -> Bool {
            let earlier = (messages[user] ?? []).filter {
                $0.channel == channel && $0.purpose == purpose
            }
            return !DeadlineMessageLimits.isTooMuch(
                earlier.map(\.createdAt), since: lastCheckIn)
        }
    }

    private func handle(
        _ memory: ScheduleMemory, of owner: UserRow, _ pass: inout Pass,
        in transaction: Transaction, _ report: inout DeadlineMonitor.Report
    ) throws {
        let now = transaction.now
        var schedule = memory.schedule
        switch schedule.dueAction(at: now) {
        case .remind(let reminder, let deadline, let covers):
            schedule.remindersSent.formUnion(covers)
            pass.remind(
                owner,
                .reminder(reminder, deadline: deadline, missed: pass.missedDeadline(of: owner.id)))
            report.reminders += 1
        case .lastCall(let step, let deadline, let covers):
            schedule.remindersSent.formUnion(covers)
            if let notice = lastCall(step, schedule, deadline, of: owner, pass) {
                pass.reminders.append(Announcement(to: [Recipient(owner)], notice))
                report.reminders += 1
            }
        case .remindOfPauseEnd(let end, let covers):
            schedule.remindersSent.formUnion(covers)
            pass.remind(owner, .pauseEnds(at: end, deadline: schedule.deadline))
            report.reminders += 1
        case .announcePauseEnd(let covers):
            schedule.remindersSent.formUnion(covers)
            let watchers = (pass.responders[owner.id] ?? []).filter(\.isAccepted)
            let change = ScheduleChange.pauseEnded(hasDeadlines: schedule.deadline != nil)
            pass.reminders.append(
                Announcement(to: watchers, scheduleNews.notice(change, of: owner)))
            try scheduleNews.publish(owner.id, to: watchers.map(\.id), in: transaction)
            // One outage may cover the end of the pause and the deadline after it. The alert, which
            // opens next, must still say that no server could tell anyone.
            if case .missed(let deadline) = schedule.dueAction(at: now),
                let due = memory.nextDueAt, due > deadline
            {
                pass.graces.append((owner.id, due))
            }
        case .missed(let deadline):
            return try handleMissed(deadline, memory, of: owner, &pass, in: transaction, &report)
        case nil:
            break
        }
        pass.handled.append((owner.id, schedule))
    }

    /// Opens the alert about a missed check-in, or restarts the open one. After a restore from a
    /// backup, may ask the person first.
    private func handleMissed(
        _ deadline: Date, _ memory: ScheduleMemory, of owner: UserRow, _ pass: inout Pass,
        in transaction: Transaction, _ report: inout DeadlineMonitor.Report
    ) throws {
        let now = transaction.now
        var schedule = memory.schedule
        let open = pass.openAlerts[owner.id]
        if let open,
            let end = pass.state.restoration?.holdEnd(ofAlertSince: open.startedAt, at: now)
        {
            return try transaction.postponeSchedule(of: owner.id, until: end)
        }
        // During an open missed-check-in alert it is too late to ask the person first.
        let restoration = open == nil ? pass.state.restoration : nil
        var incompleteSince: Date?
        if let restoration {
            let step = restoration.step(
                deadline: deadline, heardAt: memory.heardAt, askedAt: memory.askedAt, at: now)
            switch step {
            case .ask:
                return try ask(owner, about: deadline, restoration, in: transaction, &report)
            case .wait(let end):
                return try transaction.postponeSchedule(of: owner.id, until: end)
            case .notifyWithDoubt: incompleteSince = restoration.incompleteSince
            case .notify: break
            }
        }
        if schedule.hasReminded { pass.reminded.append(owner.id) }
        schedule.hasOpenedAlert = true
        // An open alert about an earlier deadline covers this one, too.
        if let open {
            try alertLifecycle.restart(open, missing: deadline, owner: owner, in: transaction)
        } else {
            let alert = AlertRow(
                id: newID(at: now), userID: owner.id, kind: .missedCheckIn, startedAt: now,
                deadlineAt: deadline,
                toldLate: isLate(deadline, memory, pass.state, at: now), repeats: 1
            )
            pass.beginnings.append(
                AlertBeginning(
                    alert: alert, owner: owner, incompleteSince: incompleteSince,
                    askedAt: memory.askedAt))
        }
        report.missed += 1
        report.delays.append(now.since(deadline))
        pass.handled.append((owner.id, schedule))
    }

    /// Returns nil if the person isn't called.
    private func lastCall(
        _ step: LastCallStep, _ schedule: CheckInSchedule, _ deadline: Date, of owner: UserRow,
        _ pass: Pass
    ) -> Notice? {
        let (last, missed) = (schedule.lastCheckIn, pass.missedDeadline(of: owner.id))
        switch step {
        case .message:
            let bySMS = pass.mayUse(.sms, .lastCall, owner.id, since: last)
            let takesAnswers = options.takesTextAnswers && schedule.settings.lastCall.takesAnswers
            let text = NotificationText.lastCall(
                deadline: deadline,
                responders: pass.counts[owner.id] ?? ToldResponders(told: 0, all: 0),
                takesAnswers: bySMS && takesAnswers, missed: missed)
            return Notice(
                text: text, isReminder: true, isUrgent: true, purpose: .lastCall, bySMS: bySMS)
        case .call:
            let available = availableChannels
            // A webhook isn't a device that the person carries.
            let hasPush = (pass.endpoints[owner.id] ?? []).contains {
                $0.kind != .webhook && available.contains($0.kind.channel)
            }
            guard available.contains(.voice), owner.phoneNumber != nil,
                schedule.settings.lastCall.calls(hasPush: hasPush),
                pass.mayUse(.voice, .lastCall, owner.id, since: last)
            else { return nil }
            return Notice(
                text: .lastCallByPhone(deadline: deadline, missed: missed), isReminder: true,
                isUrgent: true, purpose: .lastCall, onlyByVoice: true)
        }
    }

    /// Returns true if responders were notified late because no server was running.
    private func isLate(
        _ deadline: Date, _ memory: ScheduleMemory, _ state: ServerState, at now: Date
    ) -> Bool {
        // The grace after an outage and the question after a restore postpone `nextDueAt` beyond
        // the deadline. A shorter interval doesn't.
        let wasPostponed = memory.nextDueAt.map { $0 > deadline } ?? false
        return wasPostponed && now.since(deadline).isLate
            && state.outage?.explains(deadline) == true
    }

    /// Asks the person before an alert opens, because a restore may have lost their check-in.
    private func ask(
        _ owner: UserRow, about deadline: Date, _ restoration: Restoration,
        in transaction: Transaction,
        _ report: inout DeadlineMonitor.Report
    ) throws {
        let text = NotificationText.areYouOK(
            deadline: deadline, incompleteSince: restoration.incompleteSince,
            responders: try alertLifecycle.reach.counted(
                transaction.responders(of: owner.id), of: owner.id, in: transaction))
        try notifier.notify(
            Recipient(owner),
            Notice(text: text, isReminder: true, isUrgent: true, purpose: .reminder),
            in: transaction)
        try transaction.noteAsked(
            owner.id, lookAgainAt: transaction.now.adding(Restoration.patience))
        report.reminders += 1
    }
}
