import Foundation

/// The rules for push endpoints that fail.
public enum EndpointRules {
    /// How long an endpoint must have failed without a success before it is given up.
    public static let givenUpAfter: Duration = .days(daysUntilGivenUp)
    static let daysUntilGivenUp = 7
    /// The number of failed attempts of a retryable message before its endpoint is given up. It
    /// keeps one bad minute from removing an endpoint that is seldom used.
    public static let triesBeforeGivingUp = 5
    private static let shortestRest: Duration = .seconds(2)
    private static let longestRest: Duration = .minutes(1)
    private static let longestRestOnSecondDay: Duration = .minutes(10)

    /// Returns the back-off after a failure. It is as long as the endpoint has been failing, within
    /// bounds, so it doubles with each failure. On the first day it is at most a minute, because an
    /// alert must not wait long for an endpoint that works again.
    /// - Parameter jitter: 0 to 1; removes up to half of the back-off.
    public static func rest(failingSince since: Date, at now: Date, jitter: Double) -> Duration {
        let failing = now.since(since)
        let most = failing < .days(1) ? longestRest : longestRestOnSecondDay
        let whole = min(max(failing, shortestRest), most)
        let part = 1 - 0.5 * min(max(jitter, 0), 1)
        return .milliseconds(Int64(Double(whole.milliseconds) * part))
    }

    /// The most tests in an hour that one user may send to all of their endpoints together.
    public static let testsPerUser = 20
    public static let testWindow: Duration = .hours(1)
    private static let pauseBetweenTests: Duration = .minutes(1)

    /// Returns the wait before the next test; nil if it may be sent now. Tests are limited, because
    /// an endpoint can be another person's server.
    /// - Parameters:
    ///   - ofEndpoint: the times of this endpoint's tests, in any order.
    ///   - ofUser: the times of all the user's tests within the last hour.
    public static func waitForTest(
        ofEndpoint: [Date], ofUser: [Date], at now: Date
    ) -> Duration? {
        [
            SlidingWindow.wait(after: ofEndpoint, limit: 1, in: pauseBetweenTests, at: now),
            SlidingWindow.wait(after: ofUser, limit: testsPerUser, in: testWindow, at: now),
        ]
        .compactMap(\.self).max()
    }

    /// - Parameter isFinal: whether the message was rejected for good, so that it isn't retried.
    public static func isGivenUp(
        failingSince since: Date, attempts: Int, isFinal: Bool, at now: Date
    ) -> Bool {
        now.since(since) >= givenUpAfter && (isFinal || attempts >= triesBeforeGivingUp)
    }
}
