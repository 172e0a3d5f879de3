import Domain
import Foundation
import Logging
import SafetyNetwork
import ServiceLifecycle
import Synchronization

/// Repeats `work` until the server stops. Between two runs it sleeps until the next due time or a
/// wake-up.
public final class BackgroundLoop: Service {
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
        var pauses: LoopPauses
        /// The minimum sleep. Work that becomes due meanwhile is batched.
        var shortestPause: Duration
        var now: @Sendable () -> Date

        /// - Parameter quietPause: see `LoopPauses.init`.
        public init(
            wakeup: Wakeup = Wakeup(), longestPause: Duration = .seconds(1),
            quietPause: Duration? = nil, shortestPause: Duration = .zero,
            now: @escaping @Sendable () -> Date
        ) {
            self.wakeup = wakeup
            pauses = LoopPauses(longest: longestPause, quiet: quietPause)
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
    public var awaitsNews: Bool { schedule.pauses.awaitsNews }

    /// Makes the next pass begin within the longest pause, because there may be work.
    public func noteNews() {
        if awaitsNews { wakeup.noteNews(sleepingAtMost: schedule.pauses.longest) }
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
                    for: pause, orAfterNews: schedule.pauses.longest,
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
            return schedule.pauses.pause(until: due, at: schedule.now())
        } catch is CancellationError {
            return .zero
        } catch {
            isFailing.withLock { $0 = true }
            logger.log(
                level: .error, "\(name) failed and tries again",
                metadata: ["error": "\(error)"], as: "\(error)", within: logLimit)
            return LoopPauses.afterFailure
        }
    }
}
