import Delivery
import Domain
import Foundation
import HTTPServer
import SafetyNetwork

/// The metrics, warnings and heartbeat that show the operator the server's state.
struct OperatorWatch: Sendable {
    let budgets: BudgetWatch
    let sampler: MetricsSampler
    /// nil if the operator has named no URL.
    let heartbeat: Heartbeat?
    let readiness: Readiness

    init(_ base: ServerBase, _ loops: WorkLoops) {
        let (settings, carriers, codes) = (base.settings, base.carriers, base.codes)
        let (network, copy) = (base.network, loops.copy)
        ProcessMetrics.add(
            to: base.metrics, descriptorLimit: Process.descriptorLimit,
            version: LifeSignal.configuration.version)
        let budgets = BudgetWatch(
            settings.reach.budgets, metrics: base.metrics, logger: base.logger)
        let heartbeat = Heartbeat.calling(
            settings.heartbeatURL, watching: loops.urgent, loops.deadlineMonitor,
            DatabaseProbe(base.database), settings.database, carriers, now: base.now,
            logger: base.logger)
        self.budgets = budgets
        sampler = MetricsSampler(
            network, channels: base.channels, hub: base.news.hub, clock: base.clock,
            metrics: base.metrics, backupAge: settings.database.backupAge)
        self.heartbeat = heartbeat
        let (unpaidAlarms, now) = (base.reports.unpaidAlarms, base.now)
        readiness = Readiness(
            database: base.database, deadlineMonitor: loops.deadlineMonitor,
            deadlineLoop: loops.deadlines, loops: loops.all, clock: base.clock,
            warnings: [
                { carriers.warnings }, { budgets.warnings }, { codes.warnings },
                { unpaidAlarms.warnings(at: now()) },
                { [heartbeat?.warning, copy?.worker.warning].compactMap(\.self) },
                { [DiskSpace.warning(free: settings.database.freeDisk)].compactMap(\.self) },
                { network.keyRotation.isBehind ? [KeySource.missingKey] : [] },
                { [network.serverLife.channelWarning].compactMap(\.self) },
            ])
    }
}
