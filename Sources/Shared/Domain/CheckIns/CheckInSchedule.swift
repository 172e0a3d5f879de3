import Foundation

/// One user's settings, last check-in, and the messages already sent about the current deadline.
public struct CheckInSchedule: Equatable, Sendable {
    public var settings: CheckInSettings { didSet { next = computedNext } }
    public var lastCheckIn: Date? { didSet { next = computedNext } }
    /// The first deadline after the last change of schedule or pause; nil if there was none.
    public var start: FirstDeadline? { didSet { next = computedNext } }
    /// The last pause, even if it has ended.
    public var pause: CheckInPause?
    public var remindersSent: SentReminders
    /// True if an alert was opened for the current deadline.
    public var hasOpenedAlert: Bool
    /// The present deadline. Stored, because the windows of a plan take a while to compute.
    private var next: NextCheckIn?

    public init(
        settings: CheckInSettings, lastCheckIn: Date?, remindersSent: SentReminders = [],
        hasOpenedAlert: Bool = false, start: FirstDeadline? = nil, pause: CheckInPause? = nil
    ) {
        self.settings = settings
        self.lastCheckIn = lastCheckIn
        self.remindersSent = remindersSent
        self.hasOpenedAlert = hasOpenedAlert
        self.start = start
        self.pause = pause
        next = computedNext
    }

    /// nil before the first check-in and under the plan `none`, when there is nothing to miss.
    public var deadline: Date? { next?.deadline }

    /// When the window of the deadline opens; nil if every check-in counts for it.
    public var opening: Date? { next?.opening }

    /// Returns when the next window opens, for the answer to a check-in outside all windows; nil if
    /// the check-in satisfied one.
    /// - Parameter old: the schedule before the check-in.
    public func opening(afterCheckInAt moment: Date, before old: CheckInSchedule) -> Date? {
        guard let opening, opening > moment, !old.isSatisfied(byCheckInAt: moment) else {
            return nil
        }
        return opening
    }

    private func isSatisfied(byCheckInAt moment: Date) -> Bool {
        // The first deadline after a change may have no window.
        if let deadline, opening == nil, moment < deadline { return true }
        return settings.plan.times?.isInWindow(moment) ?? true
    }

    public func isMissed(at now: Date) -> Bool {
        deadline.map { CheckInRules.isMissed(deadline: $0, at: now) } ?? false
    }

    /// Returns the next deadlines of somebody who checks in just before each.
    public func nextDeadlines(_ count: Int) -> [Date] {
        var deadlines: [Date] = []
        // A window can open at the previous deadline. For an interval, a millisecond would only
        // change the shown minute.
        let before: Duration = settings.plan.kind == .interval ? .zero : .milliseconds(-1)
        while deadlines.count < count {
            let next = deadlines.last.map { settings.next(after: $0.adding(before)) }
            guard let deadline = next.map({ $0?.deadline }) ?? deadline else { break }
            deadlines.append(deadline)
        }
        return deadlines
    }

    /// A check-in between the start and the first deadline never moves that deadline back.
    private var computedNext: NextCheckIn? {
        guard let lastCheckIn, let regular = settings.next(after: lastCheckIn) else { return nil }
        guard let start, lastCheckIn < start.deadline,
            lastCheckIn < start.from || regular.deadline < start.deadline
        else { return regular }
        return NextCheckIn(
            opening: settings.opening(ofDeadline: start.deadline), deadline: start.deadline)
    }

    /// The schedule with its first deadline by the present time zones. Their update moves windows
    /// and sleep hours, but not a stored first deadline.
    public var inPresentTimeZones: CheckInSchedule {
        guard let start, deadline == start.deadline else { return self }
        let corrected = settings.inPresentTimeZones(start, isAfterPause: start.from == pause?.until)
        guard corrected != start else { return self }
        var schedule = self
        schedule.start = corrected
        return schedule
    }

    // MARK: Changes

    /// Records a check-in, unless the last check-in is as new or newer. Messages about an unchanged
    /// deadline aren't sent again.
    /// - Returns: true if this check-in is the newest.
    public mutating func checkIn(at moment: Date) -> Bool {
        if let lastCheckIn, moment <= lastCheckIn { return false }
        let old = deadline
        lastCheckIn = moment
        if deadline != old { beginNewDeadline(at: moment) }
        return true
    }

    /// Changes the schedule and the reminders (product.md, "Schedules"). The reminders and the
    /// alert of a new deadline become due. Messages about an unchanged deadline aren't sent again.
    public mutating func apply(_ new: CheckInSettings, at now: Date) {
        let old = self
        settings = new
        guard !old.settings.hasSameDeadlines(as: new) else { return }
        start = old.firstDeadline(under: new, at: now)
        beginNewDeadline(at: now)
        if deadline == old.deadline { remindersSent = old.remindersSent }
    }

    private func firstDeadline(under new: CheckInSettings, at now: Date) -> FirstDeadline? {
        guard lastCheckIn != nil else { return nil }
        if let pause, isPaused(at: now) { return new.firstDeadline(afterPause: pause.until) }
        switch new.plan {
        case .none: return nil
        case .interval, .intervalWithSleep:
            return startOfNewInterval(at: now).map {
                FirstDeadline(from: $0, deadline: new.endOfInterval(from: $0))
            } ?? intervalAfterUnusedTimes(new, at: now)
        case .times(let times):
            let soonest = now.adding(CheckInSettings.beforeChangedDeadline)
            let first = times.firstWindow(dueFrom: soonest)?.deadline ?? now.adding(new.interval)
            let latest = deadline.map {
                postponement == .zero && $0 > now ? $0 : max($0.adding(postponement), soonest)
            }
            return FirstDeadline(from: now, deadline: latest.map { min($0, first) } ?? first)
        }
    }

    /// Returns what a new interval counts from instead of the last check-in: the end of a pause, or
    /// of a time without deadlines. May be older than the last check-in, which then counts.
    public func startOfNewInterval(at now: Date) -> Date? {
        if let pause, isPaused(at: now) { return pause.until }
        // Without deadlines, the last check-in may be long ago.
        if settings.plan == .none { return now }
        let changed = settings.plan.kind == .interval ? start?.from : nil
        // Other times may have replaced the first deadline after the pause.
        return [changed, pauseSinceCheckIn?.until].compactMap(\.self).max()
    }

    /// The user may have replaced a plan without deadlines by times, and not checked in since. The
    /// last check-in is then long ago. A new interval therefore keeps the present deadline, or an
    /// earlier one, and doesn't count from that check-in.
    private func intervalAfterUnusedTimes(_ new: CheckInSettings, at now: Date) -> FirstDeadline? {
        guard settings.plan.times != nil, let start, let lastCheckIn, lastCheckIn < start.from,
            let deadline, deadline > now, new.endOfInterval(from: lastCheckIn) <= now
        else { return nil }
        let earliest = min(deadline, now.adding(new.interval))
        return FirstDeadline(from: now, deadline: new.outsideSleep(earliest))
    }

    /// How far a change may postpone the present deadline. A second change without a check-in
    /// doesn't postpone it further.
    private var postponement: Duration {
        guard let start, let lastCheckIn, lastCheckIn < start.from, start.from != pause?.until
        else {
            return .hours(24)
        }
        return .zero
    }

    /// Keeps the sent reminders of a pause only during the pause. Later, a check-in would look for
    /// messages to withdraw because of them.
    private mutating func beginNewDeadline(at now: Date) {
        remindersSent.formIntersection(isPaused(at: now) ? .ofPauses : .ofPastPause)
        hasOpenedAlert = false
    }

    // MARK: Pauses

    public func isPaused(at now: Date) -> Bool { pause.map { now < $0.until } ?? false }

    /// Returns the last pause if it has ended and its end still counts for the deadlines of a new
    /// schedule; nil after a newer check-in.
    public func endedPause(at now: Date) -> CheckInPause? {
        isPaused(at: now) ? nil : pauseSinceCheckIn
    }

    /// The last pause; nil if a check-in is as new as its end, or newer.
    private var pauseSinceCheckIn: CheckInPause? {
        guard let pause, let lastCheckIn, lastCheckIn < pause.until else { return nil }
        return pause
    }

    /// Begins a pause, which is a check-in, or changes its end.
    public mutating func pause(until end: Date, at now: Date) {
        if !isPaused(at: now) {
            _ = checkIn(at: now)
            pause = CheckInPause(began: now, until: end)
        }
        pause?.until = end
        start = settings.firstDeadline(afterPause: end)
        hasOpenedAlert = false
        remindersSent = []
        // A reminder that would already be due says nothing new.
        for reminder in PauseReminder.allCases where end.adding(.zero - reminder.lead) <= now {
            remindersSent.formUnion(SentReminders(reminder))
        }
    }

    /// Ends a pause before its time. Changes nothing outside a pause.
    public mutating func endPause(at now: Date) {
        guard isPaused(at: now) else { return }
        pause?.until = now
        start = settings.firstDeadline(afterPause: now)
        remindersSent = .ofPastPause
        hasOpenedAlert = false
    }

    // MARK: Due actions

    /// True if messages about the present deadline or pause were sent.
    public var hasReminded: Bool { !remindersSent.subtracting(.ofPastPause).isEmpty }

    /// Returns when a reminder is due; nil if it is off, or if the interval isn't longer than its
    /// lead. It never comes before a check-in would count.
    public func moment(of reminder: Reminder) -> Date? {
        guard let next, settings.reminders.contains(reminder) else { return nil }
        let moment = next.deadline.adding(.zero - reminder.lead)
        return next.opening.map { max($0, moment) } ?? moment
    }

    /// Returns when a part of the last call is due; nil if it is off, or the interval is short.
    public func moment(of step: LastCallStep) -> Date? {
        guard let deadline else { return nil }
        let isInterval = settings.plan.kind == .interval
        if isInterval, settings.interval < LastCall.shortestInterval { return nil }
        let isOn =
            switch step {
            case .message: settings.lastCall.sendsMessage
            case .call: settings.lastCall.calls != false
            }
        return isOn ? deadline.adding(.zero - step.lead) : nil
    }

    func moment(of reminder: PauseReminder) -> Date? { pause?.until.adding(.zero - reminder.lead) }

    /// Returns the most urgent action that is due now; nil if none is.
    public func dueAction(at now: Date) -> DueAction? {
        if let end = pauseEndToAnnounce(at: now), end <= now {
            return .announcePauseEnd(covers: .pauseEnd)
        }
        if let deadline {
            if CheckInRules.isMissed(deadline: deadline, at: now) {
                return hasOpenedAlert ? nil : .missed(deadline: deadline)
            }
            // After an outage, both parts may be due. The message then comes first.
            let step = LastCallStep.allCases.first { step in
                !remindersSent.contains(SentReminders(step))
                    && moment(of: step).map { $0 <= now } == true
            }
            if let step {
                let covers = Reminder.allCases.map { SentReminders($0) } + [SentReminders(step)]
                return .lastCall(
                    step, deadline: deadline, covers: covers.reduce([]) { $0.union($1) })
            }
            // After an outage, several reminders may be due. Only the most urgent one is sent, and
            // the earlier ones count as sent.
            let due = Reminder.allCases.filter { reminder in
                !remindersSent.contains(SentReminders(reminder))
                    && moment(of: reminder).map { $0 <= now } == true
            }
            if let mostUrgent = due.min(by: { $0.lead < $1.lead }) {
                let covered = Reminder.allCases.filter { $0.lead >= mostUrgent.lead }
                return .remind(
                    mostUrgent, deadline: deadline,
                    covers: covered.reduce(into: []) { $0.insert(SentReminders($1)) })
            }
        }
        guard let pause, isPaused(at: now) else { return nil }
        let due = PauseReminder.allCases.filter { isDue($0, at: now) }
        guard !due.isEmpty else { return nil }
        return .remindOfPauseEnd(
            until: pause.until, covers: due.reduce(into: []) { $0.insert(SentReminders($1)) })
    }

    private func isDue(_ reminder: PauseReminder, at now: Date) -> Bool {
        !remindersSent.contains(SentReminders(reminder))
            && moment(of: reminder).map { $0 <= now } == true
    }

    /// When the pause ends by itself, until responders have been told.
    private func pauseEndToAnnounce(at now: Date) -> Date? {
        guard let pause, !remindersSent.contains(.pauseEnd),
            now.since(pause.until) < Self.newsOfPauseEnd
        else { return nil }
        return pause.until
    }

    /// How long after its end a pause's end is still announced. After that, a row whose mark an
    /// older server has dropped isn't announced again.
    private static let newsOfPauseEnd: Duration = .days(1)

    /// The next due time; nil after the alert, or before the first check-in. A pause's reminders
    /// that were not sent before its end are left out, because its end cancels them.
    public func nextDue(at now: Date) -> Date? {
        var due = [pauseEndToAnnounce(at: now)].compactMap(\.self)
        if let deadline, !hasOpenedAlert {
            due += Reminder.allCases.compactMap { reminder in
                remindersSent.contains(SentReminders(reminder)) ? nil : moment(of: reminder)
            }
            due += LastCallStep.allCases.compactMap { step in
                remindersSent.contains(SentReminders(step)) ? nil : moment(of: step)
            }
            due.append(deadline)
        }
        if isPaused(at: now) {
            due += PauseReminder.allCases.compactMap { reminder in
                remindersSent.contains(SentReminders(reminder)) ? nil : moment(of: reminder)
            }
        }
        return due.min()
    }

    /// If less than this is left before the deadline, a reminder or a last call is late and takes
    /// precedence like an alarm. A queue of others would delay the late one, and then the alarm.
    /// Last calls on time never delay an alarm.
    public static let alarmLead = LastCallStep.call.lead

    /// Returns true if the next due action takes precedence over reminders that are on time.
    public func isAlarmNext(at now: Date) -> Bool {
        guard let deadline, let nextDue = nextDue(at: now) else { return false }
        return deadline.since(max(now, nextDue)) < Self.alarmLead
    }

    /// What the deadline monitor has to do about a schedule.
    public enum DueAction: Equatable, Sendable {
        case remind(Reminder, deadline: Date, covers: SentReminders)
        case lastCall(LastCallStep, deadline: Date, covers: SentReminders)
        case remindOfPauseEnd(until: Date, covers: SentReminders)
        case announcePauseEnd(covers: SentReminders)
        case missed(deadline: Date)
    }
}

/// A deadline, and when a check-in counts for it.
struct NextCheckIn: Equatable, Sendable {
    /// nil if every check-in counts.
    var opening: Date?
    var deadline: Date
}
