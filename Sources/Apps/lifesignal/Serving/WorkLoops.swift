import Delivery
import Domain
import Foundation
import HTTPServer
import SafetyNetwork

/// The background loops that do a server's work.
struct WorkLoops: Sendable {
    let deadlineMonitor: DeadlineMonitor
    /// The loop that runs `deadlineMonitor`.
    let deadlines: BackgroundLoop
    /// Deliveries and deadlines. The heartbeat watches them.
    let urgent: [BackgroundLoop]
    let all: [BackgroundLoop]
    /// nil if the server keeps no copy in Firestore.
    let copy: FirestoreCopying?

    init(_ base: ServerBase, _ work: BackgroundWork) {
        let (settings, news, reports) = (base.settings, base.news, base.reports)
        let copy = FirestoreCopying(
            settings, base.network, metrics: base.metrics, now: base.now, logger: base.logger)
        let deadlineMonitor = DeadlineMonitor(base.network) { reports.enter($0) }
        let deadlines = work.deadlines(deadlineMonitor)
        let urgent = work.deliveries(over: base.carriers, settings.reach.budgets) + [deadlines]
        let lessUrgent = [
            work.ledger(base.ledger, wakeup: base.ledgerWakeup), work.cleanUp(),
            work.deviceTests(), work.planRepairs(), work.announcements(), work.numberMoves(),
            work.keyRenewal(), work.sourceSilence(), work.reachNews(),
            base.open.newsOfOthers(for: news.hub, now: base.now, logger: base.logger),
            work.refreshes(by: base.carriers.apns), work.copies(by: copy),
        ]
        self.deadlineMonitor = deadlineMonitor
        self.deadlines = deadlines
        self.urgent = urgent
        all = urgent + lessUrgent.compactMap(\.self)
        self.copy = copy
    }
}
