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
    private let passedAt = Mutex<Date?>(nil)
    private let lastPass = Mutex<ContinuousClock.Instant?>(nil)

    public struct Schedule: Sendable {
        var wakeup: Wakeup
        /// The maximum sleep. Limits the delay after a lost wake-up.
        var longestPause: Duration
        /// The minimum sleep. Work that becomes due meanwhile is batched.
        var shortestPause: Duration
        var now: @Sendable () -> Date

        public init(
            wakeup: Wakeup = Wakeup(), longestPause: Duration = .seconds(1),
            shortestPause: Duration = .zero, now: @escaping @Sendable () -> Date
        ) {
            self.wakeup = wakeup
            self.longestPause = longestPause
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

    /// The time since `work` last returned or threw; nil before its first run.
    public var sinceLastPass: Duration? {
        let now = schedule.now()
        return passedAt.withLock { $0 }.map { max(now.since($0), .zero) }
    }

    /// The same by a clock that nobody sets.
    var timeSinceLastPass: Duration? { lastPass.withLock { $0 }.map { ContinuousClock.now - $0 } }

    public func run() async throws {
        await withTaskCancellationOrGracefulShutdownHandler {
            while !Task.isCancelled, !Task.isShuttingDownGracefully {
                let pause = await workOnce()
                if schedule.shortestPause > .zero {
                    try? await Task.sleep(for: schedule.shortestPause)
                }
                await wakeup.sleep(for: pause, until: schedule.now().adding(pause))
            }
        } onCancelOrGracefulShutdown: { [wakeup] in
            wakeup.wake()
        }
    }

    private func workOnce() async -> Duration {
        defer {
            passedAt.withLock { [now = schedule.now()] in $0 = now }
            lastPass.withLock { $0 = .now }
        }
        do {
            let due = try await work()
            isFailing.withLock { $0 = false }
            guard let due else { return schedule.longestPause }
            return min(max(due.since(schedule.now()), .milliseconds(1)), schedule.longestPause)
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
