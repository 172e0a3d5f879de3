import Domain
import Foundation
import HTTPServer
import Logging
import Persistence
import SafetyNetwork
import Synchronization

/// The metrics that are read from the database. Refreshed periodically, so that a scrape never
/// waits for a query.
final class MetricsSampler: Sendable {
    private struct Values {
        /// nil while another server reports the metrics of the database.
        var due: Int?
        var open: [DeliveryState: Int]?
        var people: Int?
        var armed: Int?
        /// The time of the last count of people and schedules.
        var countedAt: Date?
        var withoutChannel: Int?
        /// The time of the last count of people without a channel.
        var channelsCountedAt: Date?
        var backupAge: Double?
    }

    /// The minimum interval between counts of people and schedules, which read whole indexes.
    private static let pauseBetweenCounts: Duration = .seconds(60)

    /// The same for people without a channel, a count that also reads their endpoints.
    private static let pauseBetweenChannelCounts: Duration = .minutes(10)

    private let network: SafetyNetwork
    private let channels: Set<DeliveryChannel>
    private let values: ValueBox
    private let backupAge: @Sendable (Date) -> Double?

    private final class ValueBox: Sendable { let values = Mutex(Values()) }

    /// - Parameter channels: the channels that the server offers.
    init(
        _ network: SafetyNetwork, channels: Set<DeliveryChannel>, hub: EventHub,
        clock: ServerClock, metrics: Metrics,
        backupAge: @escaping @Sendable (Date) -> Double?
    ) {
        self.network = network
        self.channels = channels
        self.backupAge = backupAge
        let box = ValueBox()
        values = box
        metrics.add(.init(.streams) { Double(hub.streamCount) })
        metrics.add(
            .init(.refusedStatements) { [database = network.database] in
                Double(database.health.refusedStatements)
            })
        metrics.add(.init(.clockGap) { clock.gap / .seconds(1) })
        metrics.add(.init(.clockSynchronised) { clock.isSynchronised ? 1 : 0 })
        metrics.add(.init(.clockError) { clock.knownError / .seconds(1) })
        metrics.add(.init(.dueDeadlines) { box.values.withLock { $0.due.map(Double.init) } })
        metrics.add(.init(.people) { box.values.withLock { $0.people.map(Double.init) } })
        metrics.add(.init(.armedDeadlines) { box.values.withLock { $0.armed.map(Double.init) } })
        metrics.add(
            .init(.peopleWithoutChannel) {
                box.values.withLock { $0.withoutChannel.map(Double.init) }
            })
        metrics.add(.init(.backupAge) { box.values.withLock { $0.backupAge } })
        for state in [DeliveryState.queued, .sending, .retrying] {
            metrics.add(
                .init(.openDeliveries, labels: "state=\"\(state.rawValue)\"") {
                    box.values.withLock { $0.open.map { Double($0[state] ?? 0) } }
                })
        }
    }

    /// Returns the loop that refreshes the metrics, tells `budgets` what was spent, and looks at
    /// the providers.
    func loop(
        _ budgets: BudgetWatch, _ carriers: Carriers, now: @escaping @Sendable () -> Date,
        logger: Logger
    ) -> BackgroundLoop {
        let quietPause: Duration? = network.database.isShared ? nil : .minutes(1)
        return BackgroundLoop(
            "metrics", .init(longestPause: .seconds(5), quietPause: quietPause, now: now),
            logger: logger
        ) { [self] in
            carriers.look()
            try await refresh(at: now())
            budgets.note(try await network.database.read { try $0.spending() }, at: now())
            return nil
        }
    }

    private func refresh(at now: Date) async throws {
        var new = Values(backupAge: backupAge(now))
        if try await network.isResponsible(for: .metrics) {
            (new.due, new.open) = try await network.database.read {
                (try $0.countDueSchedules(at: now, limit: 10_000), try $0.openDeliveries(at: now))
            }
            let old = values.values.withLock { $0 }
            if isRecent(old.countedAt, Self.pauseBetweenCounts, at: now) {
                (new.people, new.armed) = (old.people, old.armed)
                new.countedAt = old.countedAt
            } else {
                (new.people, new.armed) = try await network.database.read {
                    (try $0.countPeople(), try $0.countArmedSchedules())
                }
                new.countedAt = now
            }
            if isRecent(old.channelsCountedAt, Self.pauseBetweenChannelCounts, at: now) {
                new.withoutChannel = old.withoutChannel
                new.channelsCountedAt = old.channelsCountedAt
            } else {
                new.withoutChannel = try await network.database.read { [channels] in
                    try $0.countPeopleWithoutChannel(by: channels)
                }
                new.channelsCountedAt = now
            }
        }
        values.values.withLock { [new] in $0 = new }
    }

    private func isRecent(_ last: Date?, _ pause: Duration, at now: Date) -> Bool {
        last.map { now >= $0 && now.since($0) < pause } ?? false
    }
}
