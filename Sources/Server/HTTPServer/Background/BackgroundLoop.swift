import Domain
import Foundation
import Logging
import ServiceLifecycle
import Synchronization

/// Repeats `work` until the server stops. Between two runs it sleeps until the next due time or a
/// wake-up.
public final class BackgroundLoop: Service {
    private static let pauseAfterFailure: Duration = .seconds(1)

    public let name: String
    public var wakeup: Wakeup { schedule.wakeup }
    private let schedule: Schedule
    private let work: @Sendable () async throws -> Date?
    private let logger: Logger
    private let logLimit = LogLimit()
    private let isFailing = Mutex(false)
    /// The end of the last pass or of the sleep after it, which may be planned.
    private let progressedAt = Mutex<ContinuousClock.Instant?>(nil)

    public struct Schedule: Sendable {
        var wakeup: Wakeup
        /// The maximum sleep after news. Limits the delay after a lost wake-up.
        var longestPause: Duration
        /// The maximum sleep without news.
        var quietPause: Duration
        /// The minimum sleep. Work that becomes due meanwhile is batched.
        var shortestPause: Duration
        var now: @Sendable () -> Date

        /// - Parameter quietPause: nil for `longestPause`. Longer only if `noteNews` is called
        ///   after everything that may make work.
        public init(
            wakeup: Wakeup = Wakeup(), longestPause: Duration = .seconds(1),
            quietPause: Duration? = nil, shortestPause: Duration = .zero,
            now: @escaping @Sendable () -> Date
        ) {
            self.wakeup = wakeup
            self.longestPause = longestPause
            self.quietPause = max(quietPause ?? longestPause, longestPause)
            self.shortestPause = shortestPause
            self.now = now
        }
    }

    /// - Parameter work: does the due work. Returns the next due time; nil if nothing is planned.
    public init(
        _ name: String, _ schedule: Schedule, logger: Logger,
        work: @escaping @Sendable () async throws -> Date?
    ) {
        self.name = name
        self.schedule = schedule
        self.logger = logger
        self.work = work
    }

    /// Whether the last call of `work` failed.
    public var hasFailed: Bool { isFailing.withLock { $0 } }

    /// Whether the loop sleeps longer while there is no news.
    public var awaitsNews: Bool { schedule.quietPause > schedule.longestPause }

    /// Makes the next pass begin within the longest pause, because there may be work.
    public func noteNews() {
        if awaitsNews { wakeup.noteNews(sleepingAtMost: schedule.longestPause) }
    }

    /// The time since `work` last returned or threw, or since the planned end of the sleep after
    /// it; nil before its first run. A loop that sleeps as planned isn't late.
    public var timeWithoutProgress: Duration? {
        progressedAt.withLock { $0 }.map { max(ContinuousClock.now - $0, .zero) }
    }

    public func run() async throws {
        await withTaskCancellationOrGracefulShutdownHandler {
            while !Task.isCancelled, !Task.isShuttingDownGracefully {
                let pause = await workOnce()
                progressedAt.withLock { $0 = ContinuousClock.now + schedule.shortestPause + pause }
                if schedule.shortestPause > .zero {
                    try? await Task.sleep(for: schedule.shortestPause)
                }
                await wakeup.sleep(
                    for: pause, orAfterNews: schedule.longestPause,
                    until: schedule.now().adding(pause))
                progressedAt.withLock { $0 = ContinuousClock.now }
            }
        } onCancelOrGracefulShutdown: { [wakeup] in
            wakeup.wake()
        }
    }

    private func workOnce() async -> Duration {
        do {
            let due = try await work()
            isFailing.withLock { $0 = false }
            guard let due else { return schedule.quietPause }
            return min(max(due.since(schedule.now()), .milliseconds(1)), schedule.quietPause)
        } catch is CancellationError {
            return .zero
        } catch {
            isFailing.withLock { $0 = true }
            if let leftOut = logLimit.admit("\(error)") {
                var metadata: Logger.Metadata = ["error": "\(error)"]
                if leftOut > 0 { metadata["more"] = "\(leftOut)" }
                logger.error("\(name) failed and tries again", metadata: metadata)
            }
            return Self.pauseAfterFailure
        }
    }
}
