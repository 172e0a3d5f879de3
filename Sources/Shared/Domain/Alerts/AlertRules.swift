import Foundation

/// How a person raises and ends an alert by hand (product.md, "Manual alert").
public enum AlertRules {
    /// The progress of one tap: four raise the alert.
    public static let tap = 0.25
    /// The taps start over after this long without one.
    public static let tapTimeout: Duration = .seconds(4)
    /// How long a screen says that an alert has ended.
    public static let endedTextStays: Duration = .seconds(30)
    /// How long ending an alert is held.
    public static let hold: Duration = .seconds(3)
    /// The number of steps in which a hold is shown when no pointer measures it.
    public static let holdSteps = 12

    /// The most urgent open alert of a person: a call for help before a missed check-in, as in
    /// their status.
    public static func mostUrgent(of user: UserID, among alerts: [AlertRecord]) -> AlertRecord? {
        let open = alerts.filter { $0.isActive && UserID($0.userId) == user }
        return open.first { $0.kind == .manual } ?? open.first
    }

    /// The moment an alert starts at. None is refused for its time: the future means now.
    /// - Parameters:
    ///   - raisedAt: what the device says; nil when it says nothing.
    ///   - clockGap: as for a check-in (`CheckInRules.moment`).
    public static func moment(
        raisedAt: Date?, receivedAt now: Date, clockGap: Duration = .zero
    ) -> Date {
        guard let raisedAt else { return now }
        return CheckInRules.reading(of: raisedAt, receivedAt: now, clockGap: clockGap)
    }

    /// More than a minute on the way: both times are told.
    public static func cameLate(startedAt: Date, receivedAt: Date) -> Bool {
        receivedAt.since(startedAt) > Escalation.lateness
    }

    /// How long to wait before an alert that was refused is tried again: 2, 4, 8, … seconds, at
    /// most 30.
    public static func retryDelay(afterFailures failures: Int) -> Duration {
        .seconds(min(30, 1 << min(max(failures, 1), 5)))
    }
}
