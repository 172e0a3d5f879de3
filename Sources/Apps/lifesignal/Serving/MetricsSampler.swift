import Domain
import Foundation
import HTTPServer
import Persistence
import SafetyNetwork
import Synchronization

/// The metrics that are looked up rather than counted. Refreshed now and then, so that a scraper
/// never waits for a query.
final class MetricsSampler: Sendable {
    private struct Values {
        /// nil while another server has the metrics of the database.
        var due: Int?
        var open: [DeliveryState: Int]?
        var backupAge: Double?
    }

    private let network: SafetyNetwork
    private let values: ValueBox
    private let backupAge: @Sendable (Date) -> Double?

    private final class ValueBox: Sendable { let values = Mutex(Values()) }

    /// - Parameter backupAge: of the last verified backup, in seconds.
    init(
        _ network: SafetyNetwork, hub: EventHub, clock: ServerClock, metrics: Metrics,
        backupAge: @escaping @Sendable (Date) -> Double?
    ) {
        self.network = network
        self.backupAge = backupAge
        let box = ValueBox()
        values = box
        metrics.add(.init(.streams) { Double(hub.streamCount) })
        metrics.add(.init(.clockGap) { clock.gap / .seconds(1) })
        metrics.add(.init(.clockSynchronised) { clock.isSynchronised ? 1 : 0 })
        metrics.add(.init(.clockError) { clock.knownError / .seconds(1) })
        metrics.add(.init(.dueDeadlines) { box.values.withLock { $0.due.map(Double.init) } })
        metrics.add(.init(.backupAge) { box.values.withLock { $0.backupAge } })
        for state in [DeliveryState.queued, .sending, .retrying] {
            metrics.add(
                .init(.openDeliveries, labels: "state=\"\(state.rawValue)\"") {
                    box.values.withLock { $0.open.map { Double($0[state] ?? 0) } }
                })
        }
    }

    func refresh(at now: Date) async throws {
        var new = Values(backupAge: backupAge(now))
        if try await network.isResponsible(for: .metrics) {
            (new.due, new.open) = try await network.database.read {
                (try $0.countDueSchedules(at: now, limit: 10_000), try $0.openDeliveries())
            }
        }
        values.values.withLock { [new] in $0 = new }
    }
}
