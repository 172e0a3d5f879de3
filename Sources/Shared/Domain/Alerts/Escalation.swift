import Foundation

/// The schedule of an open alert's repeats, and what interrupts them (product.md, "Escalation"). An
/// open alert always has a next due time.
public struct Escalation: Equatable, Sendable {
    /// How long an acknowledgement stops the repeats.
    public static let quietAfterAcknowledgement: Duration = .minutes(30)
    /// How long the acknowledging responder has to confirm that they are still on it, before
    /// everyone is back on alert.
    public static let patienceAfterQuestion: Duration = .minutes(5)
    /// How long a report ("I am with them") pauses the repeats.
    public static let pauseAfterReport: Duration = .hours(12)
    /// If no responder acknowledges the alert for this long, the owner is told.
    public static let ownerNotifiedAfter: Duration = .minutes(15)
    /// If everyone refuses, the alarms start over. This is the shortest time between two such
    /// restarts. It keeps one person who alternates between "I'm on it" and "I can't" from waking
    /// all others each time.
    public static let pauseBetweenRefusals: Duration = .minutes(30)
    /// Messages mention a delay that is longer than this.
    public static let lateness: Duration = .minutes(1)

    /// The start of the schedule: the time when the alert was received, or the latest missed
    /// deadline.
    public var startTime: Date
    /// How many moments of the schedule have passed, including the first one and those skipped in a
    /// pause.
    public var repeats: Int
    public var attention: Attention

    public enum Attention: Equatable, Sendable {
        case none
        case acknowledged(at: Date)
        /// The server asked the acknowledging responder whether they are still on it.
        case asked(at: Date)
        /// A responder's report pauses the repeats.
        case reported(at: Date)
    }

    public init(startTime: Date, repeats: Int, attention: Attention) {
        self.startTime = startTime
        self.repeats = repeats
        self.attention = attention
    }

    public enum DueAction: Equatable, Sendable {
        /// Alert every responder again. `repeats` is the new value of `Escalation.repeats`.
        case alertAgain(repeats: Int)
        /// Ask the acknowledging responder whether they are still on it.
        case askResponder
        /// The question wasn't answered: the acknowledgement lapses, and everyone is back on alert.
        case lapse(repeats: Int)
        /// The pause after a report has ended: everyone is back on alert.
        case resume(repeats: Int)
    }

    public func dueAction(at now: Date) -> DueAction? {
        guard nextDue <= now else { return nil }
        let behind = max(repeats, Self.moments(passedAfter: now.since(startTime)))
        return switch attention {
        case .acknowledged: .askResponder
        case .asked: .lapse(repeats: behind)
        case .reported: .resume(repeats: behind)
        case .none: .alertAgain(repeats: behind)
        }
    }

    /// The next due time; never nil, because an open alert never goes silent.
    public var nextDue: Date {
        switch attention {
        case .acknowledged(let time): time.adding(Self.quietAfterAcknowledgement)
        case .asked(let time): time.adding(Self.patienceAfterQuestion)
        case .reported(let time): time.adding(Self.pauseAfterReport)
        case .none: startTime.adding(Self.moment(repeats))
        }
    }

    /// Returns the schedule after another missed deadline: it starts over, but keeps the
    /// responders' reaction.
    public func restarted(at now: Date) -> Escalation {
        Escalation(startTime: now, repeats: 1, attention: attention)
    }

    /// Returns true if it is time to tell the owner that no responder is on it.
    public func isTimeToTellOwner(at now: Date) -> Bool {
        attention == .none && now.since(startTime) >= Self.ownerNotifiedAfter
    }

    /// Returns true if the responders are to be alerted again after all of them have refused.
    /// - Parameter last: the time of the last such restart; nil if there was none.
    public static func restartsAfterRefusals(last: Date?, at now: Date) -> Bool {
        // A time in the future was written by a wrong clock, so it is ignored.
        last.map { $0 > now || now.since($0) >= pauseBetweenRefusals } ?? true
    }

    // MARK: The moments

    private static let firstMoments: [Duration] = [.zero, .minutes(5), .minutes(15), .minutes(30)]
    private static let hourly = 24
    private static let everySixHours = 24

    /// Returns how long after the start a moment comes: at once, after 5, 15 and 30 minutes, after
    /// 1, 2, … 24 hours, after 30, 36, … 168 hours, and daily from then on.
    public static func moment(_ number: Int) -> Duration {
        if number < firstMoments.count { return firstMoments[max(number, 0)] }
        let hours = number - firstMoments.count + 1
        if hours <= hourly { return .hours(hours) }
        let sixths = hours - hourly
        if sixths <= everySixHours { return .hours(hourly + 6 * sixths) }
        return .hours(hourly + 6 * everySixHours) + .days(sixths - everySixHours)
    }

    /// Returns how many moments have passed by this time, including the first; 0 before the start.
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
