import ComposableArchitecture
import Domain
import Foundation

extension CheckInFeature.State {
    /// Until the deadline, less than zero after it; nil without one.
    public var timeRemaining: Duration? { nextCheckInTime?.since(now) }

    public var isOverdue: Bool { nextCheckInTime.map { CheckInRules.isMissed(deadline: $0, at: now) } ?? false }

    public var status: CheckInStatus { CheckInStatus(deadline: nextCheckInTime, at: now) }

    public var canCheckIn: Bool { !isCheckingIn }

    /// A check-in has not reached the server.
    public var isWaitingToBeSent: Bool { waitingCheckInTime != nil }

    public var settings: CheckInSettings {
        CheckInSettings(
            intervalSeconds: Int(checkInInterval.components.seconds), remindTwoHoursBefore: remindTwoHoursBefore,
            remindThirtyMinutesBefore: remindThirtyMinutesBefore
        )
    }

    public var canSaveInterval: Bool { !isSavingSettings && intervalSheet?.isAccepted == true }
    public var canSaveReminders: Bool { !isSavingSettings && remindersSheet != nil }

    private var now: Date {
        // Read for those who observe: a moment that passed makes them ask again.
        _ = lastMoment
        @Dependency(\.date.now) var now
        return now
    }

    mutating func apply(_ profile: UserProfile) {
        lastCheckInTime = profile.lastCheckInTime
        nextCheckInTime = profile.nextCheckInTime
        apply(profile.settings)
    }

    mutating func apply(_ settings: CheckInSettings) {
        checkInInterval = settings.interval
        remindTwoHoursBefore = settings.remindTwoHoursBefore
        remindThirtyMinutesBefore = settings.remindThirtyMinutesBefore
    }

    /// One that is older than the last check-in never moves the deadline back.
    mutating func apply(_ checkIn: CheckInRecord) {
        keepInHistory(checkIn)
        if let lastCheckInTime, checkIn.occurredAt < lastCheckInTime { return }
        lastCheckInTime = checkIn.occurredAt
        nextCheckInTime = checkIn.nextCheckInTime
    }

    mutating func keepInHistory(_ checkIn: CheckInRecord) {
        guard !checkInHistory.contains(where: { $0.id == checkIn.id }) else { return }
        let place = checkInHistory.firstIndex { $0.occurredAt < checkIn.occurredAt } ?? checkInHistory.endIndex
        checkInHistory.insert(checkIn, at: place)
    }
}

extension CheckInFeature {
    /// What is chosen in the interval's sheet and not saved.
    public struct IntervalSheet: Equatable, Sendable {
        public var interval: Duration
        /// The number of hours, when it was typed and not one of the presets tapped.
        public var typedHours: Int?

        public init(interval: Duration, typedHours: Int? = nil) {
            self.interval = interval
            self.typedHours = typedHours
        }

        public var presets: [Duration] { CheckInSettings.presets }
        public var isPreset: Bool { presets.contains(interval) }
        /// 1 hour to 7 days.
        public var isAccepted: Bool { (try? IntervalLimits.standard.check(settings(changing: .standard))) != nil }

        func settings(changing settings: CheckInSettings) -> CheckInSettings {
            var settings = settings
            settings.intervalSeconds = Int(interval.components.seconds)
            return settings
        }
    }

    /// What is chosen in the reminders' sheet and not saved.
    public struct RemindersSheet: Equatable, Sendable {
        public var twoHoursBefore: Bool
        public var thirtyMinutesBefore: Bool

        public init(_ settings: CheckInSettings) {
            twoHoursBefore = settings.remindTwoHoursBefore
            thirtyMinutesBefore = settings.remindThirtyMinutesBefore
        }

        func settings(changing settings: CheckInSettings) -> CheckInSettings {
            CheckInSettings(
                intervalSeconds: settings.intervalSeconds, remindTwoHoursBefore: twoHoursBefore, remindThirtyMinutesBefore: thirtyMinutesBefore
            )
        }
    }

    /// A part of the history.
    public struct HistoryPage: Equatable, Sendable {
        public var checkIns: [CheckInRecord]
        /// Where the next page begins; nil at the end.
        public var next: String?
        public var isFirst: Bool

        public init(checkIns: [CheckInRecord], next: String?, isFirst: Bool) {
            self.checkIns = checkIns
            self.next = next
            self.isFirst = isFirst
        }
    }
}
