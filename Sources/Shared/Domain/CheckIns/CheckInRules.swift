import Foundation

/// The rules for when a check-in counts, which deadline it sets, and when the deadline is missed
/// (product.md, "Check-in", "Reminders", "Missed check-in").
public enum CheckInRules {
    /// How far a device's clock may differ from the server's time, in either direction.
    public static let clockSkew: Duration = .minutes(2)

    /// Returns true for a difference between two clocks of at most `clockSkew`.
    public static func isWithinSkew(_ difference: Duration) -> Bool {
        difference <= clockSkew && difference >= .zero - clockSkew
    }

    /// Returns true from the deadline on. A check-in exactly at the deadline is too late.
    public static func isMissed(deadline: Date, at now: Date) -> Bool { now >= deadline }

    /// Returns the moment of a check-in by the server's time. Throws `invalidArgument` for a moment
    /// more than two minutes in the future or before the year 2000. A moment up to two minutes
    /// ahead becomes now.
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
        let moment = try counted(occurredAt, sentAt: sentAt, receivedAt: now, clockGap: clockGap)
        guard Timestamp.isPlausible(moment) else {
            throw .invalidArgument(field: "occurredAt", RefusalWords.checkInTime.detail)
        }
        return moment
    }

    private static func counted(
        _ occurredAt: Date, sentAt: Date?, receivedAt now: Date, clockGap: Duration
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
        !isWithinSkew(now.since(sentAt))
    }

    /// Returns a device's moment by the server's time. `clockGap` is as in `moment`. A future
    /// moment becomes now.
    static func reading(of moment: Date, receivedAt now: Date, clockGap: Duration) -> Date {
        let readings = [moment, moment.adding(.zero - clockGap)]
        return min(readings.filter { $0 <= now.adding(clockSkew) }.max() ?? now, now)
    }
}
