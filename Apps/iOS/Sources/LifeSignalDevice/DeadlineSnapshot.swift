import Domain
import Foundation

/// The last deadline and journey that the app knew. The widget reads this instead of calling the
/// server.
public struct DeadlineSnapshot: Codable, Equatable, Sendable {
    public var lastCheckIn: Date?
    /// Nil before the first check-in, while signed out, and under a schedule without deadlines.
    public var deadline: Date?
    /// The end of the pause, which may have passed. Nil without a pause.
    public var pausedUntil: Date?
    /// The running journey; nil without one.
    public var journey: Journey?
    /// The measurement of the server's clock; nil before the first one, and in snapshots of earlier
    /// versions.
    public var clock: ClockMeasurement?

    public struct Journey: Codable, Equatable, Sendable {
        public var name: String
        public var expectedReturn: Date

        public init(_ journey: JourneyRecord) {
            (name, expectedReturn) = (journey.name, journey.expectedReturn)
        }
    }

    public init(
        lastCheckIn: Date? = nil, deadline: Date? = nil, pausedUntil: Date? = nil,
        journey: Journey? = nil
    ) {
        self.lastCheckIn = lastCheckIn
        self.deadline = deadline
        self.pausedUntil = pausedUntil
        self.journey = journey
    }

    public init(_ profile: UserProfile) {
        self.init(
            lastCheckIn: profile.lastCheckInTime, deadline: profile.nextCheckInTime,
            pausedUntil: profile.pause?.until, journey: profile.journey.map { Journey($0) })
    }

    /// Returns how far the server's clock is ahead of this device's clock, which somebody may have
    /// set since the measurement. The snapshot's times are the server's.
    public func clockOffset(at now: Date = .now, _ uptime: Uptime? = .ofThisDevice) -> Duration {
        clock?.offset(at: now, uptime) ?? .zero
    }

    /// Returns whether the system shows something else than with the snapshot `shown`. Ignores
    /// differences of the offset within the allowed clock skew, because each answer of the server
    /// measures a slightly different one.
    /// - Parameters:
    ///   - offset: this snapshot's offset now.
    ///   - shownOffset: the offset that `shown` was shown with.
    public func differs(
        from shown: DeadlineSnapshot, offset: Duration, shownOffset: Duration
    ) -> Bool {
        var sameClock = shown
        sameClock.clock = clock
        return sameClock != self || clock?.uptime?.start != shown.clock?.uptime?.start
            || !CheckInRules.isWithinSkew(offset - shownOffset)
    }

    /// Converts a time of the server to this device's clock, which the system counts by.
    public func onThisClock(_ time: Date) -> Date { time.adding(.zero - clockOffset()) }

    /// Converts a time by this device's clock to the server's time.
    public func onServerClock(_ time: Date) -> Date { time.adding(clockOffset()) }

    /// Returns the end of the pause if it is later than `now`, which is the server's time.
    public func pauseEnd(at now: Date) -> Date? {
        pausedUntil.flatMap { $0 > now ? $0 : nil }
    }

    /// Returns an empty snapshot if none was written.
    public static func read(in folder: URL) -> DeadlineSnapshot {
        guard let bytes = try? Data(contentsOf: file(in: folder)),
            let snapshot = try? JSONDecoder().decode(DeadlineSnapshot.self, from: bytes)
        else { return DeadlineSnapshot() }
        return snapshot
    }

    /// Writes the snapshot. Throws the file system's errors.
    public func write(in folder: URL) throws {
        try JSONEncoder().encode(self).write(to: Self.file(in: folder), options: .atomic)
    }

    private static func file(in folder: URL) -> URL { folder.appending(path: "deadline.json") }
}
