import Domain

extension CheckInFeature {
    public struct ScheduleSheet: Equatable, Sendable {
        public var interval: Duration
        /// The typed number of hours; nil if the person has chosen a preset.
        public var typedHours: Int?
        public var twoHoursBefore: Bool
        public var thirtyMinutesBefore: Bool

        public init(_ settings: CheckInSettings) {
            interval = settings.interval
            twoHoursBefore = settings.remindTwoHoursBefore
            thirtyMinutesBefore = settings.remindThirtyMinutesBefore
        }

        public var presets: [Duration] { CheckInSettings.presets }
        /// True if the interval is between 1 hour and 7 days.
        public var isAccepted: Bool { (try? IntervalLimits.standard.check(settings)) != nil }

        var settings: CheckInSettings {
            CheckInSettings(
                intervalSeconds: Int(interval.components.seconds),
                remindTwoHoursBefore: twoHoursBefore,
                remindThirtyMinutesBefore: thirtyMinutesBefore)
        }
    }
}
