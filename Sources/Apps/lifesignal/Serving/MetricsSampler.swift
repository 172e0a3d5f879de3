import Domain
import Foundation
import HTTPServer
import Persistence
import SafetyNetwork
import Synchronization

/// The figures that are looked up rather than counted. Refreshed now and then, so that a scraper
/// never waits for a query.
final class MetricsSampler: Sendable {
    private struct Values {
        var due = 0
        var open: [DeliveryState: Int] = [:]
        var backupAge = Double.infinity
    }

    private let database: any DatabaseEngine
    private let values: ValueBox
    private let backupAge: @Sendable (Date) -> Double

    private final class ValueBox: Sendable { let values = Mutex(Values()) }

    /// - Parameter backupAge: of the last verified backup, in seconds.
    init(
        database: any DatabaseEngine, hub: EventHub, clock: ServerClock, metrics: Metrics,
        backupAge: @escaping @Sendable (Date) -> Double
    ) {
        self.database = database
        self.backupAge = backupAge
        let box = ValueBox()
        values = box
        metrics.add(.init(.streams) { Double(hub.streamCount) })
        metrics.add(.init(.clockGap) { clock.gap / .seconds(1) })
        metrics.add(.init(.clockSynchronised) { clock.isSynchronised ? 1 : 0 })
        metrics.add(.init(.clockError) { clock.knownError / .seconds(1) })
        metrics.add(.init(.dueDeadlines) { Double(box.values.withLock { $0.due }) })
        metrics.add(.init(.backupAge) { box.values.withLock { $0.backupAge } })
        for state in [DeliveryState.queued, .sending, .retrying] {
            metrics.add(
                .init(.openDeliveries, labels: "state=\"\(state.rawValue)\"") {
                    Double(box.values.withLock { $0.open[state] ?? 0 })
                })
        }
    }

    func refresh(at now: Date) async throws {
        let (due, open) = try await database.read {
            (try $0.countDueSchedules(at: now, limit: 10_000), try $0.openDeliveries())
        }
        let age = backupAge(now)
        values.values.withLock { $0 = Values(due: due, open: open, backupAge: age) }
    }
}
