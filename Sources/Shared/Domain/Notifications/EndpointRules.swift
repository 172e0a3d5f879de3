import Foundation

/// When a failing push endpoint is retried and given up.
public enum EndpointRules {
    /// An endpoint is given up after failing this long without a success.
    public static let givenUpAfter: Duration = .days(daysUntilGivenUp)
    static let daysUntilGivenUp = 7
    /// The failed attempts of a retryable message before its endpoint is given up. One bad minute
    /// must not remove an endpoint that is seldom used.
    public static let triesBeforeGivingUp = 5
    private static let shortestRest: Duration = .seconds(2)
    private static let longestRest: Duration = .minutes(1)
    /// The longest back-off that `rest` returns.
    public static let longestRestOnSecondDay: Duration = .minutes(10)

    /// Returns the back-off after a failure. It equals the time since the first failure, within
    /// limits, so it doubles each time. On the first day it is at most a minute, because an alert
    /// must reach a recovered endpoint soon.
    /// - Parameter jitter: 0 to 1; removes up to half of the back-off.
    public static func rest(failingSince since: Date, at now: Date, jitter: Double) -> Duration {
        let failing = now.since(since)
        let most = failing < .days(1) ? longestRest : longestRestOnSecondDay
        let whole = min(max(failing, shortestRest), most)
        let part = 1 - 0.5 * min(max(jitter, 0), 1)
        return .milliseconds(Int64(Double(whole.milliseconds) * part))
    }

    /// The most tests per hour that one user may send to all their endpoints.
    public static let testsPerUser = 20
    public static let testWindow: Duration = .hours(1)
    private static let pauseBetweenTests: Duration = .minutes(1)

    /// Returns the wait before the next test; nil if it may be sent now. An endpoint can be another
    /// person's server, so tests are limited.
    /// - Parameters:
    ///   - ofEndpoint: the times of this endpoint's tests, in any order.
    ///   - ofUser: the times of all tests of this user within the last hour.
    public static func waitForTest(
        ofEndpoint: [Date], ofUser: [Date], at now: Date
    ) -> Duration? {
        [
            SlidingWindow.wait(after: ofEndpoint, limit: 1, in: pauseBetweenTests, at: now),
            SlidingWindow.wait(after: ofUser, limit: testsPerUser, in: testWindow, at: now),
        ]
        .compactMap(\.self).max()
    }

    /// - Parameter isFinal: true if the endpoint rejected the message for good, so that no retry
    ///   follows.
    public static func isGivenUp(
        failingSince since: Date, attempts: Int, isFinal: Bool, at now: Date
    ) -> Bool {
        now.since(since) >= givenUpAfter && (isFinal || attempts >= triesBeforeGivingUp)
    }
}
