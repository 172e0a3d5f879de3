import Foundation

@testable import Domain

extension CheckInSettings {
    static func every(_ interval: Duration, twoHours: Bool = true, thirtyMinutes: Bool = true)
        -> Self
    {
        CheckInSettings(
            intervalSeconds: Int(interval.inSeconds), remindTwoHoursBefore: twoHours,
            remindThirtyMinutesBefore: thirtyMinutes
        )
    }
}

extension CheckInSchedule {
    /// A daily schedule whose last check-in was at noon.
    static let daily = CheckInSchedule(settings: .every(.hours(24)), lastCheckIn: noon)

    /// Returns the due action and records it, as the deadline monitor does.
    mutating func act(at now: Date) -> DueAction? {
        let action = dueAction(at: now)
        switch action {
        case .remind(_, _, let covers): remindersSent.formUnion(covers)
        case .missed: hasOpenedAlert = true
        case nil: break
        }
        return action
    }
}
