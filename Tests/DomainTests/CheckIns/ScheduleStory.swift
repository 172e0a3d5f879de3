import Foundation

@testable import Domain

extension CheckInSettings {
    static func every(_ interval: Duration, twoHours: Bool = true, thirtyMinutes: Bool = true)
        -> Self
    {
        CheckInSettings(
            intervalSeconds: Int(interval.inSeconds), remindTwoHoursBefore: twoHours,
            remindThirtyMinutesBefore: thirtyMinutes, lastCall: .off
        )
    }
}

/// Returns the time of day. Stops the test for other text.
func clock(_ text: String) -> TimeOfDay {
    guard let time = TimeOfDay(text) else { preconditionFailure("\(text) isn't a time of day") }
    return time
}

/// Returns the moment of RFC 3339 text. Stops the test for other text.
func utc(_ text: String) -> Date {
    guard let date = Timestamp.date(text) else { preconditionFailure("\(text) isn't a time") }
    return date
}

extension CheckInWindow {
    static func until(
        _ deadline: String, from opens: String? = nil, on days: Set<Weekday> = Set(Weekday.allCases)
    ) -> Self {
        CheckInWindow(days: days, opens: opens.map(clock), deadline: clock(deadline))
    }
}

extension CheckInTimes {
    /// - Parameter zone: by default one whose clocks always show UTC.
    init(_ windows: CheckInWindow..., in zone: String = "Atlantic/Reykjavik") {
        self.init(timeZone: zone, windows: windows)
    }

    static let dailyUntil10 = CheckInTimes(.until("10:00"))
}

extension CheckInSettings {
    static func at(_ times: CheckInTimes) -> Self { planned(.times(times)) }

    static func planned(_ plan: CheckInPlan) -> Self {
        CheckInSettings(
            plan: plan, intervalSeconds: 86_400, remindTwoHoursBefore: true,
            remindThirtyMinutesBefore: true, lastCall: .off)
    }
}

extension CheckInSchedule {
    /// A daily schedule whose last check-in was at noon.
    static let daily = CheckInSchedule(settings: .every(.hours(24)), lastCheckIn: noon)

    /// Returns the due action and records it, as the deadline monitor does.
    mutating func act(at now: Date) -> DueAction? {
        let action = dueAction(at: now)
        switch action {
        case .remind(_, _, let covers), .remindOfPauseEnd(_, let covers),
            .lastCall(_, _, let covers), .announcePauseEnd(let covers):
            remindersSent.formUnion(covers)
        case .missed: hasOpenedAlert = true
        case nil: break
        }
        return action
    }
}
