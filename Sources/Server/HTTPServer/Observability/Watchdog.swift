import Domain
import Persistence
import SafetyNetwork
import ServiceLifecycle

/// Tells systemd that the server is alive while the deadline monitor passes. If the monitor hangs,
/// systemd restarts the server. A monitor that fails and retries doesn't hang: a restart helps
/// neither a database that is away nor a disk that is full.
public struct Watchdog: Service {
    /// The longest time without progress. A healthy monitor sleeps as planned or completes a pass,
    /// and after an outage it completes batches.
    static let longestPass: Duration = .minutes(1)
    /// The same while the database is the reason, or a correction of the clock, which rewrites
    /// everybody's times in many transactions before the next pass. A restart would end reads and
    /// streams, too, and may still help if this process causes the standstill.
    static let longestSlowPass: Duration = .minutes(10)
    /// The database counts as stuck if a write waits this long.
    private static let stuckWrite: Duration = .seconds(5)

    private let manager: ServiceManager
    private let timeSinceProgress: @Sendable () -> Duration?
    private let mayBeSlow: @Sendable () -> Bool
    private let startedAt = ContinuousClock.now

    /// - Parameter timeSinceProgress: nil before the first progress.
    init(
        _ manager: ServiceManager, timeSinceProgress: @escaping @Sendable () -> Duration?,
        mayBeSlow: @escaping @Sendable () -> Bool
    ) {
        self.manager = manager
        self.timeSinceProgress = timeSinceProgress
        self.mayBeSlow = mayBeSlow
    }

    /// - Parameter loop: the loop that runs `monitor`. It passes even if the monitor fails, and
    ///   while the server's first writes wait for space on the disk.
    public init(
        _ manager: ServiceManager, watching loop: BackgroundLoop, _ monitor: DeadlineMonitor,
        _ database: any DatabaseEngine, by clock: ServerClock
    ) {
        self.init(manager) {
            [loop.timeWithoutProgress, monitor.timeSinceLastPass].compactMap(\.self).min()
        } mayBeSlow: {
            Self.isSlow(database, by: clock)
        }
    }

    /// Returns whether the database is stuck, or the clock is being corrected.
    static func isSlow(_ database: any DatabaseEngine, by clock: ServerClock) -> Bool {
        let health = database.health
        return health.oldestWaiting > stuckWrite || health.lastFailure != nil
            || health.commitsAreLate || clock.correction != nil
    }

    /// Feeds the watchdog until the server stops. A feed that is left out once, as after the
    /// machine's sleep, restarts nothing.
    public func run() async throws {
        let pause = manager.watchdogLimit.map { $0 / 4 } ?? .hours(1)
        await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                feed()
                try? await Task.sleep(for: pause)
            }
        }
        manager.tell(.stopping)
    }

    /// Tells systemd that the server is alive, unless the monitor hangs.
    func feed() {
        guard manager.watchdogLimit != nil else { return }
        let age = timeSinceProgress() ?? (ContinuousClock.now - startedAt)
        if !Self.hangs(after: age, mayBeSlow: mayBeSlow()) { manager.tell(.alive) }
    }

    /// - Parameter age: the time without progress.
    static func hangs(after age: Duration, mayBeSlow: Bool) -> Bool {
        age > (mayBeSlow ? longestSlowPass : longestPass)
    }
}
