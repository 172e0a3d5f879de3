import Foundation

/// How a push endpoint is treated that does not take what it is sent.
public enum EndpointRules {
    /// An endpoint that has done nothing but fail for this long is given up.
    public static let givenUpAfter: Duration = .days(daysUntilGivenUp)
    static let daysUntilGivenUp = 7
    /// A message that might still get through must have failed this often before its endpoint is
    /// given up: an endpoint that is seldom used is not lost to one bad minute.
    public static let triesBeforeGivingUp = 5
    private static let shortestRest: Duration = .seconds(2)
    private static let longestRest: Duration = .minutes(1)
    private static let longestRestOnSecondDay: Duration = .minutes(10)

    /// The pause after a failure: as long as the endpoint has been failing, within bounds, so that
    /// pauses double. During the first day at most a minute: an alert must not wait long for an
    /// endpoint that is back.
    /// - Parameter jitter: from 0 to 1; takes off up to a half.
    public static func rest(failingSince since: Date, at now: Date, jitter: Double) -> Duration {
        let failing = now.since(since)
        let most = failing < .days(1) ? longestRest : longestRestOnSecondDay
        let whole = min(max(failing, shortestRest), most)
        let part = 1 - 0.5 * min(max(jitter, 0), 1)
        return .milliseconds(Int64(Double(whole.milliseconds) * part))
    }

    /// Tests an hour that one user may send to all of their endpoints.
    public static let testsPerUser = 20
    public static let testWindow: Duration = .hours(1)
    private static let pauseBetweenTests: Duration = .minutes(1)

    /// How long to wait before the next test; nil when it may be sent now. An endpoint can be
    /// somebody else's server.
    /// - Parameters:
    ///   - ofEndpoint: when this endpoint was tested, in any order.
    ///   - ofUser: when any of the user's was, within the last hour.
    public static func waitForTest(
        ofEndpoint: [Date], ofUser: [Date], at now: Date
    ) -> Duration? {
        [
            SlidingWindow.wait(after: ofEndpoint, limit: 1, in: pauseBetweenTests, at: now),
            SlidingWindow.wait(after: ofUser, limit: testsPerUser, in: testWindow, at: now),
        ]
        .compactMap(\.self).max()
    }

    /// - Parameter isFinal: the message was refused for good, so it gets no further tries.
    public static func isGivenUp(
        failingSince since: Date, attempts: Int, isFinal: Bool, at now: Date
    ) -> Bool {
        now.since(since) >= givenUpAfter && (isFinal || attempts >= triesBeforeGivingUp)
    }
}
