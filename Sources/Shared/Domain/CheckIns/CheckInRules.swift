import Foundation

/// The rules for when a check-in counts, what it moves, and when it is missed (product.md,
/// "Check-in", "Reminders", "Missed check-in").
public enum CheckInRules {
    /// How far a device's clock may be ahead of ours.
    public static let clockSkew: Duration = .minutes(2)

    /// The deadline itself is already too late: a check-in is in time when it happened before it.
    public static func isMissed(deadline: Date, at now: Date) -> Bool { now >= deadline }

    /// The moment a check-in counts from. A clock that is a little ahead is taken back to now.
    /// Throws `invalidArgument` for a moment more than two minutes ahead.
    /// - Parameter clockGap: how far the machine's clock is ahead of our time (negative: behind)
    ///   while one of them is known to be wrong. A device may agree with either: of the two
    ///   readings the later one that is not in the future counts, and nobody is refused for the
    ///   gap.
    public static func moment(_ occurredAt: Date, receivedAt now: Date, clockGap: Duration = .zero)
        throws(CommandError) -> Date
    {
        let doubt = clockGap < .zero ? .zero - clockGap : clockGap
        guard occurredAt <= now.adding(clockSkew + doubt) else {
            throw .invalidArgument(
                field: "occurredAt",
                "A check-in can't happen in the future. Check the clock of the device.")
        }
        return reading(of: occurredAt, receivedAt: now, clockGap: clockGap)
    }

    /// A device's moment by our time, the future being now.
    static func reading(of moment: Date, receivedAt now: Date, clockGap: Duration) -> Date {
        let readings = [moment, moment.adding(.zero - clockGap)]
        return min(readings.filter { $0 <= now.adding(clockSkew) }.max() ?? now, now)
    }
}

/// The state of one user: the settings, the last check-in, and what has already been said about the
/// current deadline.
public struct CheckInSchedule: Equatable, Sendable {
    public var settings: CheckInSettings
    public var lastCheckIn: Date?
    public var remindersSent: SentReminders
    /// An alert has been opened for the current deadline.
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

    /// Last check-in + interval; nil until the first check-in, which is what arms a user.
    public var deadline: Date? { lastCheckIn?.adding(settings.interval) }

    public func isMissed(at now: Date) -> Bool {
        deadline.map { CheckInRules.isMissed(deadline: $0, at: now) } ?? false
    }

    /// Records a check-in. An older moment than the last one changes nothing: it belongs to the
    /// history only.
    /// - Returns: whether the deadline moved.
    public mutating func checkIn(at moment: Date) -> Bool {
        if let lastCheckIn, moment <= lastCheckIn { return false }
        lastCheckIn = moment
        remindersSent = []
        hasOpenedAlert = false
        return true
    }

    /// Changes interval and reminders. The deadline is recomputed from the last check-in; reminders
    /// that were sent for another deadline are due again, and a deadline that is past now is missed
    /// now.
    public mutating func apply(_ new: CheckInSettings) {
        if new.intervalSeconds != settings.intervalSeconds {
            remindersSent = []
            hasOpenedAlert = false
        }
        settings = new
    }

    /// A reminder's moment; nil when it is off, or not shorter than the interval.
    public func moment(of reminder: Reminder) -> Date? {
        guard let deadline, settings.reminders.contains(reminder) else { return nil }
        return deadline.adding(.zero - reminder.lead)
    }

    /// The action that is due now; nil if none.
    public func dueAction(at now: Date) -> DueAction? {
        guard let deadline else { return nil }
        if CheckInRules.isMissed(deadline: deadline, at: now) {
            return hasOpenedAlert ? nil : .missed(deadline: deadline)
        }
        // Only the most urgent reminder is worth sending after a pause; the earlier ones count as
        // sent with it.
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

    /// The time when the schedule is due next; nil when nothing is ahead.
    public var nextDue: Date? {
        guard let deadline, !hasOpenedAlert else { return nil }
        let reminders = Reminder.allCases.compactMap { reminder in
            remindersSent.contains(SentReminders(reminder)) ? nil : moment(of: reminder)
        }
        return (reminders + [deadline]).min()
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
    /// The deadline this check-in left behind; the same answer for a repeat of the same id.
    public var nextCheckInTime: Date

    public init(id: CheckInID, occurredAt: Date, receivedAt: Date, nextCheckInTime: Date) {
        self.id = id
        self.occurredAt = occurredAt
        self.receivedAt = receivedAt
        self.nextCheckInTime = nextCheckInTime
    }
    /// True if the device's clock is behind by more than is forgiven, for a check-in that was
    /// answered as it was made.
    public var isFromSlowClock: Bool { receivedAt.since(occurredAt) > CheckInRules.clockSkew }
    /// It reached the server a minute or more after it was made: both moments are worth showing.
    public var cameLate: Bool { receivedAt.since(occurredAt) >= .minutes(1) }
}
