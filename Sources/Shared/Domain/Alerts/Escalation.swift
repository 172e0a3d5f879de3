import Foundation

/// When an open alert is repeated, and what pauses the repeats (product.md, "Escalation").
public struct Escalation: Equatable, Sendable {
    public static let quietAfterAcknowledgement: Duration = .minutes(30)
    /// How long the acknowledging responder has to answer "Are you still on it?". After that,
    /// everyone is alerted again.
    public static let patienceAfterQuestion: Duration = .minutes(5)
    public static let pauseAfterReport: Duration = .hours(12)
    /// Without an acknowledgement for this long, the server tells the owner.
    public static let ownerNotifiedAfter: Duration = .minutes(15)
    /// The shortest time between two restarts of the alarms after everyone has refused. Without it,
    /// one person who alternates between "I'm on it" and "I can't" could wake the others each time.
    public static let pauseBetweenRefusals: Duration = .minutes(30)

    /// The start of the schedule: the receipt of the alert, or the latest missed deadline.
    public var startTime: Date
    /// The number of scheduled alarms that are past. The first alarm counts, and so do repeats
    /// skipped in a pause.
    public var repeats: Int
    public var attention: Attention

    public enum Attention: Equatable, Sendable {
        case none
        case acknowledged(at: Date)
        case asked(at: Date)
        case reported(at: Date)
    }

    public init(startTime: Date, repeats: Int, attention: Attention) {
        self.startTime = startTime
        self.repeats = repeats
        self.attention = attention
    }

    public enum DueAction: Equatable, Sendable {
        /// Alert every responder again. `repeats` becomes `Escalation.repeats`.
        case alertAgain(repeats: Int)
        /// Ask the responder who is on it whether they still are.
        case askResponder
        /// The responder didn't answer in time. Their acknowledgement lapses, and everyone is
        /// alerted again.
        case lapse
        /// The pause after a report is over, and everyone is alerted again.
        case resume
    }

    public func dueAction(at now: Date) -> DueAction? {
        guard nextDue <= now else { return nil }
        return switch attention {
        case .acknowledged: .askResponder
        case .asked: .lapse
        case .reported: .resume
        case .none: .alertAgain(repeats: pastAlarms(at: now))
        }
    }

    /// Returns how many scheduled alarms are past, including those that a pause skipped.
    public func pastAlarms(at now: Date) -> Int {
        max(repeats, Self.moments(passedAfter: now.since(startTime)))
    }

    /// The next due time. Not optional, because an open alert never goes silent.
    public var nextDue: Date {
        switch attention {
        case .acknowledged(let time): time.adding(Self.quietAfterAcknowledgement)
        case .asked(let time): time.adding(Self.patienceAfterQuestion)
        case .reported(let time): time.adding(Self.pauseAfterReport)
        case .none: startTime.adding(Self.moment(repeats))
        }
    }

    /// Returns the schedule after another missed deadline. The repeats start over; an
    /// acknowledgement or report stays.
    public func restarted(at now: Date) -> Escalation {
        Escalation(startTime: now, repeats: 1, attention: attention)
    }

    /// Returns true if the owner should learn that no responder is on it.
    public func isTimeToTellOwner(at now: Date) -> Bool {
        attention == .none && now.since(startTime) >= Self.ownerNotifiedAfter
    }

    /// Returns true if the alarms should start over after everyone has refused.
    /// - Parameter last: the time of the last such restart; nil if there was none.
    public static func restartsAfterRefusals(last: Date?, at now: Date) -> Bool {
        // If the time is in the future, a wrong clock wrote it. Such a time is ignored.
        last.map { $0 > now || now.since($0) >= pauseBetweenRefusals } ?? true
    }

    // MARK: The schedule

    private static let firstMoments: [Duration] = [.zero, .minutes(5), .minutes(15), .minutes(30)]
    private static let hourly = 24
    private static let everySixHours = 24

    /// Returns the time from the start to an alarm: 0, 5, 15 and 30 minutes, 1, 2, … 24 hours, 30,
    /// 36, … 168 hours, then daily.
    public static func moment(_ number: Int) -> Duration {
        if number < firstMoments.count { return firstMoments[max(number, 0)] }
        let hours = number - firstMoments.count + 1
        if hours <= hourly { return .hours(hours) }
        let sixths = hours - hourly
        if sixths <= everySixHours { return .hours(hourly + 6 * sixths) }
        return .hours(hourly + 6 * everySixHours) + .days(sixths - everySixHours)
    }

    /// Returns the number of scheduled alarms up to this time, including the first; 0 before the
    /// start.
    public static func moments(passedAfter time: Duration) -> Int {
        let early = firstMoments.count { $0 <= time }
        guard time >= .hours(1) else { return early }
        let hours = Int(time.milliseconds / Duration.hours(1).milliseconds)
        if hours <= hourly { return early + hours }
        let sixths = (hours - hourly) / 6
        if sixths <= everySixHours { return early + hourly + sixths }
        return early + hourly + everySixHours + (hours - hourly - 6 * everySixHours) / 24
    }
}
