import Domain
import Foundation

extension CheckInSettings {
    /// "By 10:00 every day, Berlin time", "Every 24 hours", "No deadlines". With sleep hours:
    /// "Every 24 hours, not from 22:00 to 07:00, Berlin time".
    public var planWords: String {
        switch plan {
        case .interval: "Every \(interval.words)"
        case .intervalWithSleep(let sleep): "Every \(interval.words), \(sleep.words)"
        case .times(let times): times.words
        case .none: "No deadlines"
        }
    }

    /// "Longest time until we tell someone: 30 hours".
    /// - Parameter now: the start of the year whose changes of clocks count; nil counts none.
    public func longestSilenceWords(at now: Date?) -> String {
        guard let longestSilence else {
            return "Nobody is told if you are silent. Alerts still work."
        }
        let words = longestSilence.words(clockChange: now.map { clockChange(after: $0) } ?? .zero)
        return "Longest time until we tell someone: \(words)"
    }
}

extension CheckInSchedule {
    /// What a new interval counts from; nil if that is an earlier change of the schedule.
    public func newIntervalWords(at now: Date) -> String? {
        guard let from = startOfNewInterval(at: now), let lastCheckIn, lastCheckIn < from else {
            return "A new interval counts from your last check-in."
        }
        if from == pause?.until { return "A new interval counts from the end of your pause." }
        return from == now ? "A new interval counts from the moment you save it." : nil
    }
}

extension String {
    /// The text with a small first letter, to continue a sentence.
    var loweringFirst: String { prefix(1).lowercased() + dropFirst() }
}

extension ContactData.WatchedState {
    public var planWords: String {
        CheckInSettings(
            plan: plan ?? .interval, intervalSeconds: checkInIntervalSeconds,
            remindTwoHoursBefore: false, remindThirtyMinutesBefore: false
        ).planWords
    }

    /// The status in words. A pause doesn't tell whether the person is fine.
    public var statusWords: String {
        isPaused ? "Paused" : hasNoDeadlines ? ScheduleWords.noDeadlines : status.words
    }

    /// True if only the clock says that the person is overdue: the deadline has passed since this
    /// device last heard from the server. The person may have checked in meanwhile.
    /// - Parameter knownUntil: when the device last heard from the server; nil while the server is
    ///   reachable.
    public func isUnconfirmed(knownUntil: Date?, at now: Date) -> Bool {
        guard status == .nonResponsive, let knownUntil, let deadline = missedDeadline(at: now)
        else { return false }
        return knownUntil < deadline
    }

    /// Returns the deadline if it has passed. During an alert, a change of schedule can move the
    /// deadline ahead.
    public func missedDeadline(at now: Date) -> Date? {
        nextCheckInTime.flatMap { CheckInRules.isMissed(deadline: $0, at: now) ? $0 : nil }
    }

    public var statusTone: Tone { isPaused || hasNoDeadlines ? .warning : Tone(status) }

    /// Nobody knows whether a person who owes no check-in is fine.
    private var hasNoDeadlines: Bool { status == .active && plan == CheckInPlan.none }

    private var isPaused: Bool { status == .active && pausedUntil != nil }
}

extension SleepHours {
    /// "not from 22:00 to 07:00, Berlin time".
    var words: String {
        "not from \(from.text) to \(until.text), \(ClockZone.placeWords(timeZone)) time"
    }
}

extension CheckInTimes {
    /// "By 7:00 Mon–Fri and by 21:00 every day, Berlin time".
    var words: String {
        let parts = windows.sorted { $0.deadline < $1.deadline }.map {
            "by \($0.deadline.text) \(Weekday.words($0.days))"
        }
        let all = parts.joined(separator: " and ")
        let place = ClockZone.placeWords(timeZone)
        return "\(all.prefix(1).uppercased() + all.dropFirst()), \(place) time"
    }
}

extension ClockZone {
    /// The place in an IANA name: "New York" for `America/New_York`.
    public static func placeWords(_ name: String) -> String {
        (name.split(separator: "/").last.map(String.init) ?? name)
            .replacing("_", with: " ")
    }
}

extension Weekday {
    /// "every day", "Mon–Fri", "Sat, Sun".
    static func words(_ days: Set<Weekday>) -> String {
        let sorted = days.sorted()
        guard let first = sorted.first, let last = sorted.last, sorted.count > 2,
            last.index - first.index == sorted.count - 1
        else { return sorted.map(\.shortWord).joined(separator: ", ") }
        return sorted.count == allCases.count
            ? "every day" : "\(first.shortWord)–\(last.shortWord)"
    }
}
