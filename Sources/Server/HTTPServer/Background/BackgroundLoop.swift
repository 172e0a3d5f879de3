import Domain
import Foundation
import Logging
import ServiceLifecycle
import Synchronization

/// Looks, sleeps until the next thing is due or somebody rings, and looks again, until the server
/// stops.
public final class BackgroundLoop: Service {
    private static let pauseAfterFailure: Duration = .seconds(1)

    public let name: String
    public let wakeup: Wakeup
    private let longestNap: Duration
    private let shortestNap: Duration
    private let now: @Sendable () -> Date
    private let work: @Sendable () async throws -> Date?
    private let logger: Logger
    private let isFailing = Mutex(false)

    /// - Parameters:
    ///   - longestNap: an upper bound, so that a ring that was lost costs no more than this.
    ///   - shortestNap: what is due meanwhile is done together.
    ///   - work: does what is due and returns when the next thing is.
    public init(
        _ name: String, wakeup: Wakeup, longestNap: Duration = .seconds(1),
        shortestNap: Duration = .zero,
        now: @escaping @Sendable () -> Date, logger: Logger,
        work: @escaping @Sendable () async throws -> Date?
    ) {
        self.name = name
        self.wakeup = wakeup
        self.longestNap = longestNap
        self.shortestNap = shortestNap
        self.now = now
        self.logger = logger
        self.work = work
    }

    /// The last call of `work` has failed.
    public var hasFailed: Bool { isFailing.withLock { $0 } }

    public func run() async throws {
        await withTaskCancellationOrGracefulShutdownHandler {
            while !Task.isCancelled, !Task.isShuttingDownGracefully {
                let nap = await workOnce()
                if shortestNap > .zero { try? await Task.sleep(for: shortestNap) }
                await wakeup.sleep(for: nap, until: now().adding(nap))
            }
        } onCancelOrGracefulShutdown: { [wakeup] in
            wakeup.wake()
        }
    }

    private func workOnce() async -> Duration {
        do {
            let due = try await work()
            isFailing.withLock { $0 = false }
            return due.map { min(max($0.since(now()), .milliseconds(1)), longestNap) } ?? longestNap
        } catch is CancellationError {
            return .zero
        } catch {
            isFailing.withLock { $0 = true }
            logger.error("\(name) failed and tries again", metadata: ["error": "\(error)"])
            return Self.pauseAfterFailure
        }
    }
}
