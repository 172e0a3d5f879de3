import Delivery
import Domain
import Foundation
import HTTPServer
import Persistence
import SafetyNetwork
import Synchronization

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
    let loops = QuietLoops()
    /// Raised by each stored event.
    let hasEvents = Mark()

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
        let calls = LoopCalls(report)
        if let due = calls.deadlines { deadlineWakeup.wake(at: due) }
        if calls.deliveries { for wakeup in deliveryWakeups.values { wakeup.wake() } }
        if !report.outbox.events.isEmpty { hasEvents.set(true) }
        if calls.isNews { loops.noteNews() }
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

/// The loops that sleep for a minute while nothing is stored.
final class QuietLoops: Sendable {
    private let loops = Mutex<[BackgroundLoop]>([])

    func set(_ all: [BackgroundLoop]) {
        let quiet = all.filter(\.awaitsNews)
        loops.withLock { $0 = quiet }
    }

    /// Called after each commit that has changed rows. A commit names the work that it makes
    /// (`Outbox`); this finds work that it forgot, as soon as a short sleep would.
    func noteNews() { for loop in loops.withLock({ $0 }) { loop.noteNews() } }

    /// Called when the clock was set or runs unevenly: the ends of all sleeps are wrong.
    func wake() { for loop in loops.withLock({ $0 }) { loop.wakeup.wake() } }
}

/// A truth value that any thread may change.
final class Mark: Sendable {
    private let value = Mutex(false)

    /// Returns true if the value has changed.
    @discardableResult
    func set(_ new: Bool) -> Bool {
        value.withLock { value in
            defer { value = new }
            return value != new
        }
    }
}
