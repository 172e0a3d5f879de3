import Foundation

/// The server's time was wrong and has been set right (product.md, "The server's clock").
public struct ClockCorrection: Equatable, Sendable {
    /// Positive when the time had been behind.
    public var by: Duration
    /// Since when it had been wrong, by the wrong time.
    public var since: Date
    /// The wrong time at the moment of the correction.
    public var until: Date

    public init(by: Duration, since: Date, until: Date) {
        self.by = by
        self.since = since
        self.until = until
    }

    /// A moment that was noted by a time that was ahead lies in the future now: it is taken back.
    public func corrected(_ moment: Date, at now: Date) -> Date {
        by < .zero && moment > now ? min(moment.adding(by), now) : moment
    }

    public func corrected(_ moment: Date?, at now: Date) -> Date? {
        moment.map { corrected($0, at: now) }
    }

    /// True if the moment was noted by the wrong time.
    func covers(_ moment: Date) -> Bool { since <= moment && moment <= until }
}

/// A schedule with what its row says beside it.
public struct ScheduleMemory: Equatable, Sendable {
    public var schedule: CheckInSchedule
    /// The time when a check-in was last received.
    public var heardAt: Date?
    /// The time when the person was asked, after a restore.
    public var askedAt: Date?
    /// The time when the schedule is due.
    public var nextDueAt: Date?

    public init(schedule: CheckInSchedule, heardAt: Date?, askedAt: Date?, nextDueAt: Date?) {
        self.schedule = schedule
        self.heardAt = heardAt
        self.askedAt = askedAt
        self.nextDueAt = nextDueAt
    }

    /// A schedule is postponed by at most this: see `Restoration.patience`.
    static let longestPostponement = Restoration.patience

    /// The schedule as it would be if the time had never been wrong.
    public func corrected(by correction: ClockCorrection, at now: Date) -> ScheduleMemory {
        var new = self
        new.heardAt = correction.corrected(heardAt, at: now)
        new.askedAt = correction.corrected(askedAt, at: now)
        new.schedule.lastCheckIn = correction.corrected(schedule.lastCheckIn, at: now)
        if correction.by < .zero {
            new.schedule.forgetReminders(after: now)
        } else if let heardAt, heardAt == schedule.lastCheckIn, correction.covers(heardAt) {
            // It counted from its receipt, by a time that was behind. `heardAt` leaves the wrong
            // time with it, so that a second correction after a crash finds nothing to do.
            new.schedule.lastCheckIn = min(heardAt.adding(correction.by), now)
            new.heardAt = now
        }
        if let nextDueAt {
            let isPostponed = nextDueAt <= now.adding(Self.longestPostponement)
            new.nextDueAt =
                isPostponed && new.schedule == schedule ? nextDueAt : new.schedule.nextDue
        }
        return new
    }
}

extension CheckInSchedule {
    /// Reminders whose moment has not come were sent by a wrong time: they are due again.
    mutating func forgetReminders(after now: Date) {
        for reminder in Reminder.allCases where moment(of: reminder).map({ $0 > now }) == true {
            remindersSent.remove(SentReminders(reminder))
        }
    }

    /// A last check-in in the future was noted by a time that was ahead and has been set right
    /// since: what the person does now is newer.
    public mutating func forgetFuture(after now: Date) {
        guard let lastCheckIn, lastCheckIn > now else { return }
        self.lastCheckIn = now.adding(.zero - CheckInRules.clockSkew)
    }
}
