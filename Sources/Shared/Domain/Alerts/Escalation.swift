import Foundation

/// The times at which an open alert is repeated, and what interrupts the repeats (product.md,
/// "Escalation"). An open alert always has a next moment.
public struct Escalation: Equatable, Sendable {
    /// How long an acknowledgement stops the repeats.
    public static let quietAfterAcknowledgement: Duration = .minutes(30)
    /// How long the acknowledging responder has to confirm before everyone is back on alert.
    public static let patienceAfterQuestion: Duration = .minutes(5)
    /// How long a report ("I am with them") pauses the repeats.
    public static let pauseAfterReport: Duration = .hours(12)
    /// The owner is told that nobody has responded after this long without an acknowledgement.
    public static let ownerNotifiedAfter: Duration = .minutes(15)
    /// A message that comes this much after its time says so.
    public static let lateness: Duration = .minutes(1)

    /// Repeats count from here: the receipt of the alert, or a deadline missed since.
    public var startTime: Date
    /// How many moments are behind us, the beginning and those skipped during a pause included.
    public var repeats: Int
    public var attention: Attention

    public enum Attention: Equatable, Sendable {
        case none
        case acknowledged(at: Date)
        /// The acknowledging responder was asked whether it goes on.
        case asked(at: Date)
        /// A responder has reported something that pauses the repeats.
        case reported(at: Date)
    }

    public init(startTime: Date, repeats: Int, attention: Attention) {
        self.startTime = startTime
        self.repeats = repeats
        self.attention = attention
    }

    public enum DueAction: Equatable, Sendable {
        /// Alert every responder again; `repeats` counts what is behind us afterwards.
        case alertAgain(repeats: Int)
        /// Ask the acknowledging responder whether it goes on.
        case askResponder
        /// Nobody answered the question: the acknowledgement lapses, everyone is back on alert.
        case lapse(repeats: Int)
        /// The pause after a report is over: everyone is back on alert.
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

    /// The time when something is due; never nil, because an open alert never goes silent.
    public var nextDue: Date {
        switch attention {
        case .acknowledged(let time): time.adding(Self.quietAfterAcknowledgement)
        case .asked(let time): time.adding(Self.patienceAfterQuestion)
        case .reported(let time): time.adding(Self.pauseAfterReport)
        case .none: startTime.adding(Self.moment(repeats))
        }
    }

    /// The same alert after another missed deadline: it counts anew, and keeps what a responder
    /// does.
    public func restarted(at now: Date) -> Escalation {
        Escalation(startTime: now, repeats: 1, attention: attention)
    }

    /// True if the owner is to learn that nobody has taken the alert on.
    public func isTimeToTellOwner(at now: Date) -> Bool {
        attention == .none && now.since(startTime) >= Self.ownerNotifiedAfter
    }

    // MARK: The moments

    private static let firstMoments: [Duration] = [.zero, .minutes(5), .minutes(15), .minutes(30)]
    private static let hourly = 24
    private static let everySixHours = 24

    /// The moment with this number, counted from the start: at once, after 5, 15 and 30 minutes,
    /// after 1, 2, … 24 hours, after 30, 36, … 168 hours, and daily from then on.
    public static func moment(_ number: Int) -> Duration {
        if number < firstMoments.count { return firstMoments[max(number, 0)] }
        let hours = number - firstMoments.count + 1
        if hours <= hourly { return .hours(hours) }
        let sixths = hours - hourly
        if sixths <= everySixHours { return .hours(hourly + 6 * sixths) }
        return .hours(hourly + 6 * everySixHours) + .days(sixths - everySixHours)
    }

    /// How many moments have passed after this time, the beginning included; 0 before the start.
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
