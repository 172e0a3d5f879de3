import Delivery
import Domain
import Foundation
import HTTPServer
import Persistence
import SafetyNetwork

/// Passes on what a commit changed: to event streams, cached callers, metrics and background loops.
struct CommitNews: Sendable {
    let hub = EventHub()
    let callers: CallerCache
    let reachNews = ReachNews()
    /// nil if the server sends no messages to Apple's devices.
    let refresh: BackgroundRefresh?

    let deadlineWakeup = Wakeup()
    let reachWakeup = Wakeup()
    let refreshWakeup = Wakeup()
    let deliveryWakeups: [DeliveryLoop: Wakeup]

    private let metrics: Metrics

    init(_ settings: ServeSettings, metrics: Metrics) {
        self.metrics = metrics
        callers = CallerCache(oldest: settings.database.oldestCaller)
        refresh = settings.apps.apns.map { _ in BackgroundRefresh() }
        deliveryWakeups = Dictionary(
            uniqueKeysWithValues: DeliveryLoop.allCases.map { ($0, Wakeup()) })
    }

    func pass(_ report: CommitReport) {
        metrics.observe(.commits, Double(report.operations))
        metrics.observe(.commitTime, report.duration / .seconds(1))
        if report.failure != nil { metrics.count(.commitFailures) }
        callers.forget(report.outbox.changedSessions)
        hub.publish(report.outbox)
        if reachNews.note(report.outbox) { reachWakeup.wake() }
        if refresh?.note(report.outbox) == true { refreshWakeup.wake() }
        if let due = report.outbox.nextDue { deadlineWakeup.wake(at: due) }
        if report.outbox.hasDeliveries { for wakeup in deliveryWakeups.values { wakeup.wake() } }
    }

    /// Passes on another server's commits.
    /// - Parameter hint: nil if hints may have been lost.
    func receive(_ hint: ServerHint?) {
        guard let hint else {
            callers.forgetAll()
            hub.receiveAnything()
            deadlineWakeup.wake()
            return
        }
        callers.forget(hint.endedSessions.union(hint.renewedSessions))
        hub.receive(hint)
        if let due = hint.nextDue { deadlineWakeup.wake(at: due) }
    }
}
