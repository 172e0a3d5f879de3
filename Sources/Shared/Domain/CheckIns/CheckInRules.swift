import Foundation

/// The rules for when a check-in counts, which deadline it sets, and when the deadline is missed
/// (product.md, "Check-in", "Reminders", "Missed check-in").
public enum CheckInRules {
    /// How far a device's clock may be ahead of the server's time.
    public static let clockSkew: Duration = .minutes(2)

    /// Returns true from the deadline on. A check-in exactly at the deadline is too late.
    public static func isMissed(deadline: Date, at now: Date) -> Bool { now >= deadline }

    /// Returns the moment of a check-in by the server's time. Throws `invalidArgument` for a moment
    /// more than two minutes in the future. A moment up to two minutes ahead becomes now.
    /// - Parameters:
    ///   - sentAt: when the device sent the check-in, by the device's clock; nil if unknown. If
    ///     that clock is wrong by more than two minutes, only the time from press to sending
    ///     counts. Any clock measures that time correctly.
    ///   - clockGap: the machine's clock minus the server's time; zero unless one of them is known
    ///     to be wrong. A device's clock may agree with either. The function reads the moment with
    ///     and without the gap, and uses the later result that isn't in the future.
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

    /// Returns a device's moment by the server's time. `clockGap` is as in `moment`. A future
    /// moment becomes now.
    static func reading(of moment: Date, receivedAt now: Date, clockGap: Duration) -> Date {
        let readings = [moment, moment.adding(.zero - clockGap)]
        return min(readings.filter { $0 <= now.adding(clockSkew) }.max() ?? now, now)
    }
}

/// One user's settings, last check-in, and the messages already sent about the current deadline.
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

    /// The last check-in plus the interval. nil before the first check-in, when there is nothing to
    /// miss.
    public var deadline: Date? { lastCheckIn?.adding(settings.interval) }

    public func isMissed(at now: Date) -> Bool {
        deadline.map { CheckInRules.isMissed(deadline: $0, at: now) } ?? false
    }

    /// Records a check-in, unless the last check-in is as new or newer.
    /// - Returns: true if the deadline moved.
    public mutating func checkIn(at moment: Date) -> Bool {
        if let lastCheckIn, moment <= lastCheckIn { return false }
        lastCheckIn = moment
        remindersSent = []
        hasOpenedAlert = false
        return true
    }

    /// Changes the interval and the reminders. A new interval moves the deadline. The reminders and
    /// the alert of the new deadline become due.
    public mutating func apply(_ new: CheckInSettings) {
        if new.intervalSeconds != settings.intervalSeconds {
            remindersSent = []
            hasOpenedAlert = false
        }
        settings = new
    }

    /// Returns when a reminder is due; nil if it is off, or if the interval isn't longer than its
    /// lead.
    public func moment(of reminder: Reminder) -> Date? {
        guard let deadline, settings.reminders.contains(reminder) else { return nil }
        return deadline.adding(.zero - reminder.lead)
    }

    public func dueAction(at now: Date) -> DueAction? {
        guard let deadline else { return nil }
        if CheckInRules.isMissed(deadline: deadline, at: now) {
            return hasOpenedAlert ? nil : .missed(deadline: deadline)
        }
        // After an outage, several reminders may be due. Only the most urgent one is sent, and the
        // earlier ones count as sent.
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

    /// The next due time; nil after the alert, or before the first check-in.
    public var nextDue: Date? {
        guard let deadline, !hasOpenedAlert else { return nil }
        let reminders = Reminder.allCases.compactMap { reminder in
            remindersSent.contains(SentReminders(reminder)) ? nil : moment(of: reminder)
        }
        return (reminders + [deadline]).min()
    }

    /// If less than this is left before the deadline, a reminder is late and takes precedence like
    /// an alarm. A queue of other reminders would delay the late one, and then the alarm.
    public static let alarmLead = Reminder.thirtyMinutes.lead

    /// Returns true if the next due action takes precedence over reminders that are on time.
    public func isAlarmNext(at now: Date) -> Bool {
        guard let deadline, let nextDue else { return false }
        return deadline.since(max(now, nextDue)) < Self.alarmLead
    }

    public enum DueAction: Equatable, Sendable {
        case remind(Reminder, deadline: Date, covers: SentReminders)
        case missed(deadline: Date)
    }
}

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
    /// True if the device's clock seems to be behind by more than the tolerance. Valid only for a
    /// check-in that was sent at once. A check-in that waited to be sent also gives true.
    public var isFromSlowClock: Bool { receivedAt.since(occurredAt) > CheckInRules.clockSkew }
    /// True if the check-in arrived a minute or more after the press. Screens then show both times.
    public var cameLate: Bool { receivedAt.since(occurredAt) >= .minutes(1) }
}
