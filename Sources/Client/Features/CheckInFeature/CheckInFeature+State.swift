import ComposableArchitecture
import Domain
import Foundation

extension CheckInFeature.State {
    public var isOverdue: Bool {
        guard let nextCheckInTime, let now else { return false }
        return CheckInRules.isMissed(deadline: nextCheckInTime, at: now)
    }

    public var status: CheckInStatus {
        CheckInStatus(deadline: nextCheckInTime, at: now ?? .distantPast)
    }

    public var canCheckIn: Bool { !isCheckingIn }

    /// A check-in has not reached the server.
    public var isWaitingToBeSent: Bool { waitingCheckInTime != nil }

    public var settings: CheckInSettings {
        CheckInSettings(
            intervalSeconds: Int(checkInInterval.components.seconds),
            remindTwoHoursBefore: remindTwoHoursBefore,
            remindThirtyMinutesBefore: remindThirtyMinutesBefore
        )
    }

    public var canSaveSchedule: Bool {
        !isSavingSettings && scheduleSheet != nil && !isIntervalRefused
    }

    /// An interval in force stays possible: the server's limits may be others.
    public var isIntervalRefused: Bool {
        guard let scheduleSheet else { return false }
        return !scheduleSheet.isAccepted && scheduleSheet.interval != checkInInterval
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
        let place =
            checkInHistory.firstIndex { $0.occurredAt < checkIn.occurredAt }
            ?? checkInHistory.endIndex
        checkInHistory.insert(checkIn, at: place)
    }
}

extension CheckInFeature {
    /// Interval and reminders as they are chosen and not saved.
    public struct ScheduleSheet: Equatable, Sendable {
        public var interval: Duration
        /// The number of hours, when it was typed and not one of the presets tapped.
        public var typedHours: Int?
        public var twoHoursBefore: Bool
        public var thirtyMinutesBefore: Bool

        public init(_ settings: CheckInSettings) {
            interval = settings.interval
            twoHoursBefore = settings.remindTwoHoursBefore
            thirtyMinutesBefore = settings.remindThirtyMinutesBefore
        }

        public var presets: [Duration] { CheckInSettings.presets }
        /// 1 hour to 7 days.
        public var isAccepted: Bool { (try? IntervalLimits.standard.check(settings)) != nil }

        var settings: CheckInSettings {
            CheckInSettings(
                intervalSeconds: Int(interval.components.seconds),
                remindTwoHoursBefore: twoHoursBefore,
                remindThirtyMinutesBefore: thirtyMinutesBefore)
        }
    }

    /// A part of the history.
    public struct HistoryPage: Equatable, Sendable {
        public var checkIns: [CheckInRecord]
        /// The cursor of the next page; nil at the end.
        public var next: String?
        public var isFirst: Bool

        public init(checkIns: [CheckInRecord], next: String?, isFirst: Bool) {
            self.checkIns = checkIns
            self.next = next
            self.isFirst = isFirst
        }
    }
}
