import Foundation

/// A correction of the server's time (product.md, "The server's clock").
public struct ClockCorrection: Equatable, Sendable {
    /// The size of the correction; positive if the time was behind.
    public var by: Duration
    /// When the server's time became wrong, as that wrong time showed it.
    public var since: Date
    /// The wrong time at the moment of the correction.
    public var until: Date

    public init(by: Duration, since: Date, until: Date) {
        self.by = by
        self.since = since
        self.until = until
    }

    /// Returns the corrected moment. A moment recorded while the time was ahead now lies in the
    /// future, so it is moved back.
    public func corrected(_ moment: Date, at now: Date) -> Date {
        by < .zero && moment > now ? min(moment.adding(by), now) : moment
    }

    public func corrected(_ moment: Date?, at now: Date) -> Date? {
        moment.map { corrected($0, at: now) }
    }

    /// Returns true if the moment was recorded while the time was wrong.
    func covers(_ moment: Date) -> Bool { since <= moment && moment <= until }
}

/// A check-in schedule with the other columns of its row in the database.
public struct ScheduleMemory: Equatable, Sendable {
    public var schedule: CheckInSchedule
    /// The time when a check-in was last received.
    public var heardAt: Date?
    /// The time when the person was asked whether they are OK, after a restore.
    public var askedAt: Date?
    /// The time when the schedule is due.
    public var nextDueAt: Date?

    public init(schedule: CheckInSchedule, heardAt: Date?, askedAt: Date?, nextDueAt: Date?) {
        self.schedule = schedule
        self.heardAt = heardAt
        self.askedAt = askedAt
        self.nextDueAt = nextDueAt
    }

    /// The longest postponement of a schedule; see `Restoration.patience`.
    static let longestPostponement = Restoration.patience

    /// Returns the schedule as it would be if the time had never been wrong.
    public func corrected(by correction: ClockCorrection, at now: Date) -> ScheduleMemory {
        var new = self
        new.heardAt = correction.corrected(heardAt, at: now)
        new.askedAt = correction.corrected(askedAt, at: now)
        new.schedule.lastCheckIn = correction.corrected(schedule.lastCheckIn, at: now)
        if correction.by < .zero {
            new.schedule.forgetReminders(after: now)
        } else if let heardAt, heardAt == schedule.lastCheckIn, correction.covers(heardAt) {
            // The check-in counted from its receipt, while the time was behind. `heardAt` moves out
            // of the wrong period, so that a second correction after a crash changes nothing.
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
    /// If a wrong time caused reminders to be sent too early, marks them as due again.
    mutating func forgetReminders(after now: Date) {
        for reminder in Reminder.allCases where moment(of: reminder).map({ $0 > now }) == true {
            remindersSent.remove(SentReminders(reminder))
        }
    }

    /// If a wrong time put the last check-in into the future, moves it to shortly before `now`, so
    /// that the person's next check-in is newer.
    public mutating func forgetFuture(after now: Date) {
        guard let lastCheckIn, lastCheckIn > now else { return }
        self.lastCheckIn = now.adding(.zero - CheckInRules.clockSkew)
    }
}
