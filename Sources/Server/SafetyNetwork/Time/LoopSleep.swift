import Domain
import Foundation
import Persistence

/// How long a background loop sleeps at most.
public struct LoopPauses: Equatable, Sendable {
    public static let afterFailure: Duration = .seconds(1)

    /// The maximum sleep after news. Limits the delay after a lost wake-up.
    public var longest: Duration
    /// The maximum sleep without news.
    public var quiet: Duration

    /// - Parameter quiet: nil for `longest`. Longer only if `LoopSleep.noteNews` is called after
    ///   everything that may make work.
    public init(longest: Duration = .seconds(1), quiet: Duration? = nil) {
        self.longest = longest
        self.quiet = max(quiet ?? longest, longest)
    }

    /// Whether the loop sleeps longer while there is no news.
    public var awaitsNews: Bool { quiet > longest }

    /// Returns the sleep after a pass.
    /// - Parameter due: the next due time; nil if nothing is planned.
    public func pause(until due: Date?, at now: Date) -> Duration {
        guard let due else { return quiet }
        return min(max(due.since(now), .milliseconds(1)), quiet)
    }

    /// Returns the pauses of the loops that deliver. They are shorter for a shared database. Other
    /// servers' commits don't wake this loop, and their hints can get lost.
    public static func deliveries(isShared: Bool) -> Self {
        isShared ? Self() : Self(longest: .seconds(5), quiet: .minutes(1))
    }

    /// - Parameter noticesClockSets: whether a set clock wakes the loop. It makes deadlines due
    ///   that are hours away.
    public static func deadlines(isShared: Bool, noticesClockSets: Bool) -> Self {
        isShared || !noticesClockSets ? Self() : Self(quiet: .minutes(1))
    }
}

/// What a commit asks of the background loops.
public struct LoopCalls: Equatable, Sendable {
    /// When the deadline monitor must look at the latest; nil if nothing became due.
    public var deadlines: Date?
    public var deliveries: Bool
    /// Whether loops that await news look once more.
    public var isNews: Bool

    public init(deadlines: Date? = nil, deliveries: Bool = false, isNews: Bool = true) {
        (self.deadlines, self.deliveries, self.isNews) = (deadlines, deliveries, isNews)
    }

    public init(_ report: CommitReport) {
        self.init(
            deadlines: report.outbox.nextDue, deliveries: report.outbox.hasDeliveries,
            isNews: report.hasWritten)
    }
}

/// Decides when a loop sleeps. It reads no clock, so that the server and the simulation decide
/// alike.
public struct LoopSleep: Sendable {
    public private(set) var isAsleep = false
    private var isPending = false
    /// The server's time at the end of the current sleep; nil if unknown.
    public private(set) var planned: Date?
    /// The end of the current sleep by the sleep's own clock.
    private var end: ContinuousClock.Instant?
    /// Whether `noteNews` was called since a sleep last began.
    private var hasNews = false
    private var lastNews: ContinuousClock.Instant?

    public init() {}

    /// Ends the current sleep and returns true. Without a current sleep, ends the next sleep at
    /// once.
    public mutating func wake() -> Bool {
        guard isAsleep else {
            isPending = true
            return false
        }
        isAsleep = false
        return true
    }

    /// Like `wake`, but only if the planned end is later than `time`.
    public mutating func wake(at time: Date) -> Bool {
        if let planned, planned <= time { return false }
        return wake()
    }

    /// Ends the current sleep and returns true if it would last longer than `pause`. The next sleep
    /// is short, too (`begin`). So news that came without another wake-up waits at most `pause`.
    public mutating func noteNews(
        at now: ContinuousClock.Instant, sleepingAtMost pause: Duration
    ) -> Bool {
        (hasNews, lastNews) = (true, now)
        guard isAsleep, let end, end > now + pause else { return false }
        isAsleep = false
        return true
    }

    /// Begins a sleep and returns its length; nil if a wake-up has ended it.
    /// - Parameters:
    ///   - pauseAfterNews: the longest duration if `noteNews` was called since the last sleep
    ///     began, or less than this long ago. A sleep then ends soon after news, even if other
    ///     wake-ups follow.
    ///   - planned: the server's time at the end of the sleep; nil if unknown.
    public mutating func begin(
        for duration: Duration, orAfterNews pauseAfterNews: Duration?, until planned: Date?,
        at now: ContinuousClock.Instant
    ) -> Duration? {
        guard !isPending else {
            isPending = false
            return nil
        }
        let most = pauseAfterNews ?? duration
        let isSoon = hasNews || lastNews.map { now - $0 < most } ?? false
        let length = isSoon ? min(duration, most) : duration
        hasNews = false
        isAsleep = true
        self.planned = planned?.adding(length - duration)
        end = now + length
        return length
    }

    /// Forgets the planned end, because the loop is awake.
    public mutating func finish() { (isAsleep, planned, end) = (false, nil, nil) }
}
