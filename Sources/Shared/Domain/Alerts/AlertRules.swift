import Foundation

/// How a person raises and ends an alert by hand (product.md, "Manual alert").
public enum AlertRules {
    public static let presses = 4
    /// After this pause, the count of presses starts over.
    public static let tapTimeout: Duration = .seconds(4)
    /// The timeout for people who press slowly: ten times as long (WCAG 2.2, 2.2.1).
    public static let longTapTimeout: Duration = .seconds(40)
    /// How long a screen says that an alert has ended.
    public static let endedTextStays: Duration = .seconds(30)
    /// How long a device shows that another device ended an alert, unless the user reads the
    /// message earlier.
    public static let endElsewhereStays: Duration = .hours(24)
    /// How long a person must hold the button to end an alert.
    public static let hold: Duration = .seconds(3)
    /// The number of steps of the progress display during a hold.
    public static let holdSteps = 12

    /// Returns the progress after one more press; exactly 1 after the last press.
    public static func progress(afterPressAt progress: Double) -> Double {
        min(1, Double(presses(at: progress) + 1) / Double(presses))
    }

    /// Returns the number of presses that lead to this progress.
    public static func presses(at progress: Double) -> Int {
        Int((progress * Double(presses)).rounded())
    }

    /// Returns a person's most urgent open alert. A manual alert is more urgent than a missed
    /// check-in.
    public static func mostUrgent(of user: UserID, among alerts: [AlertRecord]) -> AlertRecord? {
        open(of: user, among: alerts).first
    }

    /// Returns a person's open alerts, the most urgent first.
    public static func open(of user: UserID, among alerts: [AlertRecord]) -> [AlertRecord] {
        let open = alerts.filter { $0.isActive && UserID($0.userId) == user }
        return open.filter { $0.kind == .manual } + open.filter { $0.kind != .manual }
    }

    /// Returns when an alert started. Never rejects an alert for its time: a time in the future or
    /// before the year 2000 becomes now.
    /// - Parameters:
    ///   - raisedAt: the time that the device sent; nil if the request had none.
    ///   - sentAt: see `CheckInRules.moment`.
    ///   - clockGap: see `CheckInRules.moment`.
    public static func moment(
        raisedAt: Date?, sentAt: Date? = nil, receivedAt now: Date, clockGap: Duration = .zero
    ) -> Date {
        guard let raisedAt else { return now }
        let moment = try? CheckInRules.moment(
            raisedAt, sentAt: sentAt, receivedAt: now, clockGap: clockGap)
        return moment ?? now
    }

    /// Returns when the person pressed "end", by the server's time. A future time becomes now. A
    /// time before the year 2000 counts as before every alert, so that it ends no newer one. The
    /// parameters are as in `CheckInRules.moment`.
    public static func endMoment(
        pressedAt: Date, sentAt: Date? = nil, receivedAt now: Date, clockGap: Duration = .zero
    ) -> Date {
        let moment = try? CheckInRules.moment(
            pressedAt, sentAt: sentAt, receivedAt: now, clockGap: clockGap)
        return moment ?? (pressedAt < now ? .distantPast : now)
    }

    /// Returns false if the person pressed "end" before an alert that another of their devices
    /// raised later. The press was meant for an earlier alert, which the server merged with that
    /// one.
    /// - Parameter pressedAt: the press by the server's time; nil if it was meant for this alert.
    public static func isEnded(byPressAt pressedAt: Date?, startedAt: Date) -> Bool {
        pressedAt.map { $0 >= startedAt } ?? true
    }

    /// Returns true if the alert arrived more than a minute after its start. Messages then give
    /// both times.
    public static func cameLate(startedAt: Date, receivedAt: Date) -> Bool {
        receivedAt.since(startedAt).isLate
    }

    /// Returns the missed deadline if the alert about it began more than a minute later, as after
    /// an outage. Texts then give both times.
    public static func lateDeadline(
        _ deadline: Date?, of kind: AlertKind, startedAt: Date
    ) -> Date? {
        guard kind == .missedCheckIn, let deadline, startedAt.since(deadline).isLate else {
            return nil
        }
        return deadline
    }

    /// Returns the back-off after a refused alert: 2, 4, 8, … seconds, at most 30.
    public static func retryDelay(afterFailures failures: Int) -> Duration {
        .seconds(min(30, 1 << min(max(failures, 1), 5)))
    }

    /// Returns true if everyone is alerted again once a report is lifted. While a responder other
    /// than its author is on the alert, only the report ends.
    public static func liftingAlertsEveryone<Person: Equatable>(
        by reporter: Person?, whileHelpedBy helper: Person?
    ) -> Bool {
        helper == nil || helper == reporter
    }
}
