import Domain
import Persistence
import SafetyNetwork
import ServiceLifecycle

/// Tells systemd that the server is alive while the deadline monitor passes. If the monitor hangs,
/// systemd restarts the server. A monitor that fails and retries doesn't hang: a restart helps
/// neither a database that is away nor a disk that is full.
public struct Watchdog: Service {
    /// The longest time without progress. A healthy monitor completes a pass at least every second,
    /// and after an outage it completes batches.
    static let longestPass: Duration = .minutes(1)
    /// The same while the database is the reason. A restart would end reads and streams, too, and
    /// may still help if this process causes the standstill.
    static let longestPassOfStuckDatabase: Duration = .minutes(10)
    /// The age of a waiting write from which the database counts as stuck.
    private static let stuckWrite: Duration = .seconds(5)

    private let manager: ServiceManager
    private let timeSinceProgress: @Sendable () -> Duration?
    private let isDatabaseStuck: @Sendable () -> Bool
    private let startedAt = ContinuousClock.now

    /// - Parameter timeSinceProgress: nil before the first progress.
    init(
        _ manager: ServiceManager, timeSinceProgress: @escaping @Sendable () -> Duration?,
        isDatabaseStuck: @escaping @Sendable () -> Bool
    ) {
        self.manager = manager
        self.timeSinceProgress = timeSinceProgress
        self.isDatabaseStuck = isDatabaseStuck
    }

    /// - Parameter loop: the loop that runs `monitor`. It passes even if the monitor fails, and
    ///   while the server's first writes wait for space on the disk.
    public init(
        _ manager: ServiceManager, watching loop: BackgroundLoop, _ monitor: DeadlineMonitor,
        _ database: any DatabaseEngine
    ) {
        self.init(manager) {
            [loop.timeSinceLastPass, monitor.timeSinceLastPass].compactMap(\.self).min()
        } isDatabaseStuck: {
            let health = database.health
            return health.oldestWaiting > Self.stuckWrite || health.lastFailure != nil
        }
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
        if !Self.hangs(after: age, isDatabaseStuck: isDatabaseStuck()) { manager.tell(.alive) }
    }

    /// - Parameter age: the time without progress.
    static func hangs(after age: Duration, isDatabaseStuck: Bool) -> Bool {
        age > (isDatabaseStuck ? longestPassOfStuckDatabase : longestPass)
    }
}
