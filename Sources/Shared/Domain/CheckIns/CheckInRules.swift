import Foundation

/// The rules for when a check-in counts, what deadline it sets, and when it is missed (product.md,
/// "Check-in", "Reminders", "Missed check-in").
public enum CheckInRules {
    /// How far a device's clock may be ahead of the server's time.
    public static let clockSkew: Duration = .minutes(2)

    /// Returns whether the deadline is missed. A check-in at the deadline itself is too late.
    public static func isMissed(deadline: Date, at now: Date) -> Bool { now >= deadline }

    /// Returns the moment that a check-in counts from. If the device's clock is slightly ahead,
    /// that moment is now. Throws `invalidArgument` for a moment that is more than two minutes
    /// ahead.
    /// - Parameters:
    ///   - sentAt: when the device sent the check-in, by its own clock; nil if unknown. If that
    ///     clock is wrong by more than two minutes, only the time from the press to the sending
    ///     counts, because any clock measures that correctly.
    ///   - clockGap: how far the machine's clock is ahead of the server's time; negative if it is
    ///     behind, zero unless one of the two is known to be wrong. A device's clock may agree with
    ///     either, so its moment has two readings: with and without the gap. The later reading that
    ///     isn't in the future counts, so the gap never causes a refusal.
    public static func moment(
        _ occurredAt: Date, sentAt: Date? = nil, receivedAt now: Date, clockGap: Duration = .zero
    ) throws(CommandError) -> Date {
        if let sentAt, isWrong(sentAt, at: now), occurredAt <= sentAt.adding(clockSkew) {
            let age = sentAt.since(occurredAt)
            return now.adding(.zero - max(age, .zero))
        }
        let doubt = clockGap < .zero ? .zero - clockGap : clockGap
        guard occurredAt <= now.adding(clockSkew + doubt) else {
            throw .invalidArgument(field: "occurredAt", RefusalWords.checkInTime.detail)
        }
        return reading(of: occurredAt, receivedAt: now, clockGap: clockGap)
    }

    private static func isWrong(_ sentAt: Date, at now: Date) -> Bool {
        let offset = now.since(sentAt)
        return offset > clockSkew || offset < .zero - clockSkew
    }

    /// Returns a device's moment by the server's time. A future moment becomes now.
    static func reading(of moment: Date, receivedAt now: Date, clockGap: Duration) -> Date {
        let readings = [moment, moment.adding(.zero - clockGap)]
        return min(readings.filter { $0 <= now.adding(clockSkew) }.max() ?? now, now)
    }
}

/// The state of one user: the settings, the last check-in, and the messages already sent about the
/// current deadline.
public struct CheckInSchedule: Equatable, Sendable {
    public var settings: CheckInSettings
    public var lastCheckIn: Date?
    public var remindersSent: SentReminders
    /// True if an alert was opened for the current deadline.
    public var hasOpenedAlert: Bool

    public init(
        settings: CheckInSettings, lastCheckIn: Date?, remindersSent: SentReminders = [],
        hasOpenedAlert: Bool = false
    ) {
        self.settings = settings
        self.lastCheckIn = lastCheckIn
        self.remindersSent = remindersSent
        self.hasOpenedAlert = hasOpenedAlert
    }

    /// The last check-in plus the interval; nil until the first check-in, because a user can't miss
    /// anything before it.
    public var deadline: Date? { lastCheckIn?.adding(settings.interval) }

    public func isMissed(at now: Date) -> Bool {
        deadline.map { CheckInRules.isMissed(deadline: $0, at: now) } ?? false
    }

    /// Records a check-in. A moment that isn't newer than the last check-in changes nothing here,
    /// and only enters the history.
    /// - Returns: whether the deadline moved.
    public mutating func checkIn(at moment: Date) -> Bool {
        if let lastCheckIn, moment <= lastCheckIn { return false }
        lastCheckIn = moment
        remindersSent = []
        hasOpenedAlert = false
        return true
    }

    /// Changes interval and reminders. The deadline is recomputed from the last check-in. If the
    /// interval changes, reminders sent for the old deadline become due again, and a deadline that
    /// now lies in the past counts as missed.
    public mutating func apply(_ new: CheckInSettings) {
        if new.intervalSeconds != settings.intervalSeconds {
            remindersSent = []
            hasOpenedAlert = false
        }
        settings = new
    }

    /// Returns a reminder's moment; nil if the reminder is off, or its lead isn't shorter than the
    /// interval.
    public func moment(of reminder: Reminder) -> Date? {
        guard let deadline, settings.reminders.contains(reminder) else { return nil }
        return deadline.adding(.zero - reminder.lead)
    }

    /// Returns the action that is due now; nil if none is.
    public func dueAction(at now: Date) -> DueAction? {
        guard let deadline else { return nil }
        if CheckInRules.isMissed(deadline: deadline, at: now) {
            return hasOpenedAlert ? nil : .missed(deadline: deadline)
        }
        // After an outage, only the most urgent reminder is worth sending; the earlier ones count
        // as sent with it.
        let due = Reminder.allCases.filter { reminder in
            !remindersSent.contains(SentReminders(reminder))
                && moment(of: reminder).map { $0 <= now } == true
        }
        guard let mostUrgent = due.min(by: { $0.lead < $1.lead }) else { return nil }
        let covered = Reminder.allCases.filter { $0.lead >= mostUrgent.lead }
        return .remind(
            mostUrgent, deadline: deadline,
            covers: covered.reduce(into: []) { $0.insert(SentReminders($1)) })
    }

    /// The next due time; nil if nothing is due any more.
    public var nextDue: Date? {
        guard let deadline, !hasOpenedAlert else { return nil }
        let reminders = Reminder.allCases.compactMap { reminder in
            remindersSent.contains(SentReminders(reminder)) ? nil : moment(of: reminder)
        }
        return (reminders + [deadline]).min()
    }

    /// If a deadline is nearer than this, its reminder is late and counts as an alarm. It must not
    /// wait behind many other reminders, because the alarm would wait with it. A reminder that is
    /// on time is never this late.
    public static let alarmLead = Reminder.thirtyMinutes.lead

    /// Returns true if the next due action takes precedence over reminders.
    public func isAlarmNext(at now: Date) -> Bool {
        guard let deadline, let nextDue else { return false }
        return deadline.since(max(now, nextDue)) < Self.alarmLead
    }

    public enum DueAction: Equatable, Sendable {
        case remind(Reminder, deadline: Date, covers: SentReminders)
        case missed(deadline: Date)
    }
}

/// One check-in in the history.
public struct CheckInRecord: Codable, Equatable, Sendable, Identifiable {
    public var id: CheckInID
    public var occurredAt: Date
    public var receivedAt: Date
    /// The deadline after this check-in. A repeated request with the same id gets the same
    /// deadline.
    public var nextCheckInTime: Date

    public init(id: CheckInID, occurredAt: Date, receivedAt: Date, nextCheckInTime: Date) {
        self.id = id
        self.occurredAt = occurredAt
        self.receivedAt = receivedAt
        self.nextCheckInTime = nextCheckInTime
    }
    /// True if the device's clock seems to be behind by more than the tolerance. Use this only for
    /// a check-in that was sent and answered at once: one that was sent late would also give true.
    public var isFromSlowClock: Bool { receivedAt.since(occurredAt) > CheckInRules.clockSkew }
    /// True if it reached the server a minute or more after the press, so that both times are worth
    /// showing.
    public var cameLate: Bool { receivedAt.since(occurredAt) >= .minutes(1) }
}
