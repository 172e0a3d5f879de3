import Clients
import Domain
import Features
import Foundation

/// A schedule in words: the deadlines, the longest silence, and the reminders.
struct ScheduleText {
    var schedule: CheckInSchedule
    var words: TimeWords

    var lines: [String] {
        let settings = schedule.settings
        let silence = settings.longestSilenceWords(at: words.now)
        if settings.plan == .none { return [settings.planWords, silence] }
        return [settings.planWords] + deadlines + [
            silence, "Reminders: \(Self.reminders(settings))",
        ]
    }

    /// The number of deadlines to show.
    static let count = 3

    private var deadlines: [String] {
        var schedule = schedule
        let isNew = schedule.lastCheckIn == nil
        if isNew { schedule.lastCheckIn = words.now }
        let zone = schedule.settings.plan.timeZone
        let lines = schedule.nextDeadlines(Self.count).map { deadline in
            let hasPassed = CheckInRules.isMissed(deadline: deadline, at: words.now)
            return "  \(words.day(deadline, in: zone))\(hasPassed ? ", which has passed" : "")"
        }
        return [isNew ? "Next deadlines, if you check in now:" : "Next deadlines:"] + lines
    }

    /// Says that the change waits; empty without a queued one.
    static func waiting(_ actions: [WaitingAction], _ words: TimeWords) -> [String] {
        let changes = actions.filter { $0.kind == .updateSettings }
        guard !changes.isEmpty else { return [] }
        return ConnectivityText.waiting(changes, words) + ["Until then your deadline stays."]
    }

    /// "2 hours, 30 minutes before".
    static func reminders(_ settings: CheckInSettings) -> String {
        let leads = settings.reminders.map(\.lead.words)
        return leads.isEmpty ? "none" : "\(leads.joined(separator: ", ")) before"
    }
}

extension UserProfile {
}

struct ScheduleView: Encodable, Sendable {
    var plan: CheckInPlan
    var intervalSeconds: Int
    var remindTwoHoursBefore: Bool
    var remindThirtyMinutesBefore: Bool
    /// Empty before the first check-in, and without deadlines.
    var nextDeadlines: [Date]
    /// In a week without a change of clocks; omitted without deadlines.
    var longestSilenceSeconds: Int?
    var pausedUntil: Date?

    init(_ profile: UserProfile, at now: Date) {
        let settings = profile.settings
        plan = settings.plan
        intervalSeconds = settings.intervalSeconds
        remindTwoHoursBefore = settings.remindTwoHoursBefore
        remindThirtyMinutesBefore = settings.remindThirtyMinutesBefore
        nextDeadlines = profile.schedule.nextDeadlines(ScheduleText.count)
        longestSilenceSeconds = settings.longestSilence.map { Int($0.components.seconds) }
        pausedUntil = profile.pausedUntil(at: now)
    }
}
