import Foundation

/// A correction of the server's time (product.md, "The server's clock").
public struct ClockCorrection: Equatable, Sendable {
    /// Positive if the server's time was behind.
    public var by: Duration
    /// When the server's time became wrong, as the wrong clock showed it.
    public var since: Date
    /// The moment of the correction, as the wrong clock showed it.
    public var until: Date

    public init(by: Duration, since: Date, until: Date) {
        self.by = by
        self.since = since
        self.until = until
    }

    /// Returns the corrected moment. Moves a future moment back, because it was recorded while the
    /// server's time was ahead.
    public func corrected(_ moment: Date, at now: Date) -> Date {
        by < .zero && moment > now ? min(moment.adding(by), now) : moment
    }

    public func corrected(_ moment: Date?, at now: Date) -> Date? {
        moment.map { corrected($0, at: now) }
    }

    /// Returns the moment, moved forward if it was recorded while the server's time was behind. Not
    /// idempotent.
    public func forwarded(_ moment: Date, at now: Date) -> Date {
        by > .zero && covers(moment) ? min(moment.adding(by), now) : moment
    }

    public func forwarded(_ moment: Date?, at now: Date) -> Date? {
        moment.map { forwarded($0, at: now) }
    }

    /// Returns true if the moment was recorded while the server's time was wrong.
    func covers(_ moment: Date) -> Bool { since <= moment && moment <= until }

    /// Returns true if the server took a device's moment from its own wrong time. Devices send a
    /// moment with the time of sending, so it lies shortly before the receipt. One further in the
    /// past may come from a device's right clock.
    public func covers(_ moment: Date, receivedAt: Date) -> Bool {
        let age = receivedAt.since(moment)
        return covers(receivedAt) && age >= .zero && age <= CheckInRules.clockSkew
    }
}

/// A check-in schedule with the other columns of its database row.
public struct ScheduleMemory: Equatable, Sendable {
    public var schedule: CheckInSchedule
    /// When the server last received a check-in.
    public var heardAt: Date?
    /// When the server asked the person "Are you OK?" after a restore.
    public var askedAt: Date?
    /// When the deadline monitor should handle the schedule.
    public var nextDueAt: Date?

    public init(schedule: CheckInSchedule, heardAt: Date?, askedAt: Date?, nextDueAt: Date?) {
        self.schedule = schedule
        self.heardAt = heardAt
        self.askedAt = askedAt
        self.nextDueAt = nextDueAt
    }

    /// The longest postponement of a schedule; see `Restoration.patience`.
    public static let longestPostponement = Restoration.patience

    /// Returns the schedule as it would be if the time had always been right.
    public func corrected(by correction: ClockCorrection, at now: Date) -> ScheduleMemory {
        var new = self
        new.heardAt = correction.corrected(heardAt, at: now)
        new.askedAt = correction.corrected(askedAt, at: now)
        new.schedule.lastCheckIn = correction.corrected(schedule.lastCheckIn, at: now)
        if correction.by < .zero {
            new.schedule.pause = schedule.pause.map { pause in
                let isOver = schedule.remindersSent.contains(.pauseEndedByPerson)
                return CheckInPause(
                    began: correction.corrected(pause.began, at: now),
                    until: isOver ? correction.corrected(pause.until, at: now) : pause.until)
            }
            new.schedule.forgetReminders(after: now)
        } else if let heardAt, let last = schedule.lastCheckIn,
            correction.covers(last, receivedAt: heardAt)
        {
            // The check-in counted from its receipt while the time was behind. The new `heardAt`
            // lies outside the wrong period. A second correction after a crash therefore changes
            // nothing.
            new.schedule.lastCheckIn = min(last.adding(correction.by), now)
            new.heardAt = now
        }
        new.schedule.start = schedule.start.map { start in
            // A change made while the time was ahead: its first deadline moves back with it.
            let from = correction.corrected(start.from, at: now)
            guard from != start.from, !new.schedule.isPaused(at: now) else { return start }
            return schedule.settings.moved(start, to: from)
        }
        if let nextDueAt {
            // Without a question after a restore, only a grace postpones a schedule. A grace that
            // the wrong time granted would hide the deadline until that time.
            let isAsked = new.askedAt.map { now.since($0) < Self.longestPostponement } ?? false
            let longest = isAsked ? Self.longestPostponement : Outage.grace
            let isPostponed = nextDueAt <= now.adding(longest)
            new.nextDueAt =
                isPostponed && new.schedule == schedule ? nextDueAt : new.schedule.nextDue(at: now)
        }
        return new
    }

    /// Returns the schedule with a first deadline that counts from the right time, if the person
    /// changed the schedule or ended a pause while the server's time was behind. Not idempotent.
    public func forwardingStart(by correction: ClockCorrection, at now: Date) -> ScheduleMemory {
        guard let start = schedule.start else { return self }
        let isPauseEnd = schedule.pause?.until == start.from
        let isByPerson = schedule.remindersSent.contains(.pauseEndedByPerson)
        // A person chose the end of a pause that ended by itself.
        guard !isPauseEnd || isByPerson else { return self }
        let from = correction.forwarded(start.from, at: now)
        guard from != start.from else { return self }
        var new = self
        if isPauseEnd {
            new.schedule.pause?.until = from
            new.schedule.start = schedule.settings.firstDeadline(afterPause: from)
        } else {
            new.schedule.start = schedule.settings.moved(start, to: from)
        }
        new.nextDueAt = new.schedule.nextDue(at: now)
        return new
    }
}

extension CheckInSettings {
    /// Returns the first deadline after a change that was recorded at a wrong time.
    /// - Parameter from: the right time of the change.
    fileprivate func moved(_ start: FirstDeadline, to from: Date) -> FirstDeadline {
        if plan.kind == .interval, endOfInterval(from: start.from) == start.deadline {
            return FirstDeadline(from: from, deadline: endOfInterval(from: from))
        }
        let moved = start.deadline.adding(from.since(start.from))
        // A person's times don't move with the server's time.
        guard opening(ofDeadline: start.deadline) != nil else {
            return FirstDeadline(from: from, deadline: outsideSleep(moved))
        }
        let earliest =
            from > start.from
            ? max(start.deadline, from.adding(Self.beforeChangedDeadline)) : moved
        let window = plan.times?.firstWindow(dueFrom: earliest)
        return FirstDeadline(from: from, deadline: window?.deadline ?? outsideSleep(moved))
    }
}

extension Journey {
    /// Returns the journey as it would be if the time had always been right. Reminders that a wrong
    /// time sent too early become due again. The return stays, because a person chose it.
    public func corrected(by correction: ClockCorrection, at now: Date) -> Journey {
        guard correction.by < .zero else { return self }
        var new = self
        new.startedAt = correction.corrected(startedAt, at: now)
        new.returnChosenAt = correction.corrected(returnChosenAt, at: now)
        new.remindersSent = remindersSent.filter { step in
            moment(of: step).map { $0 <= now } == true
        }
        return new
    }
}

extension CheckInSchedule {
    /// Marks reminders as due again if a wrong time sent them too early.
    mutating func forgetReminders(after now: Date) {
        for reminder in Reminder.allCases where moment(of: reminder).map({ $0 > now }) == true {
            remindersSent.remove(SentReminders(reminder))
        }
        for step in LastCallStep.allCases where moment(of: step).map({ $0 > now }) == true {
            remindersSent.remove(SentReminders(step))
        }
        for reminder in PauseReminder.allCases
        where moment(of: reminder).map({ $0 > now }) == true {
            remindersSent.remove(SentReminders(reminder))
        }
        // The responders were told of an end that is still to come.
        if isPaused(at: now) { remindersSent.remove(.pauseEnd) }
    }

    /// Moves a last check-in in the future to shortly before `now`. A wrong time caused it, and the
    /// person's next check-in must be newer.
    public mutating func forgetFuture(after now: Date) {
        guard let lastCheckIn, lastCheckIn > now else { return }
        self.lastCheckIn = now.adding(.zero - CheckInRules.clockSkew)
    }
}
