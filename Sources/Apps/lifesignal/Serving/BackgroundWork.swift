import Delivery
import Domain
import Foundation
import HTTPServer
import Logging
import Persistence
import SafetyNetwork
import ServiceLifecycle
import Traces

/// Makes the background loops of a server. Loops that write wait for the start work, except the
/// stream ledger.
struct BackgroundWork: Sendable {
    let network: SafetyNetwork
    let start: StartWork
    let news: CommitNews
    let reports: WorkReports
    let clock: ServerClock
    let now: @Sendable () -> Date
    /// Whether the system tells when the clock is set (`ClockSetWatch`).
    let noticesClockSets: Bool
    /// nil if the server records no traces.
    let traces: TraceRecorder?

    private var database: any DatabaseEngine { network.database }

    /// The pauses of loops that commits wake.
    private var pauses: LoopPauses { .deliveries(isShared: database.isShared) }

    private func loop(
        _ name: String, wakeup: Wakeup = Wakeup(), longestPause: Duration = .seconds(1),
        quietPause: Duration? = nil, shortestPause: Duration = .zero,
        _ work: @escaping @Sendable () async throws -> Date?
    ) -> BackgroundLoop {
        BackgroundLoop(
            name,
            .init(
                wakeup: wakeup, longestPause: longestPause, quietPause: quietPause,
                shortestPause: shortestPause, now: now),
            logger: reports.logger, work: start.before(now: now, work))
    }

    /// Returns a loop for each provider, so that a slow provider delays no other.
    func deliveries(over carriers: Carriers, _ budgets: Budgets) -> [BackgroundLoop] {
        DeliveryLoop.allCases.map { kind in
            let wakeup = news.deliveryWakeups[kind] ?? Wakeup()
            var hooks = DeliveryWorker.Hooks(
                wake: { wakeup.wake() },
                notifyOwner: { [network] in try network.endpoints.notifyOwner($0, in: $1) },
                report: { [reports] in reports.enter($0) })
            hooks.notifyEmailOwner = { [network] in
                try network.emailAddresses.notifyOwner(ofEmail: $0, $1, in: $2)
            }
            hooks.reportFailure = { [reports] in reports.enterUnstoredOutcomes($0) }
            hooks.reportUnpaidAlarm = { [reports, now] in reports.enterUnpaidAlarm($0, at: now()) }
            let channels = carriers.channels(of: kind)
            let worker = DeliveryWorker(
                database: database, channels: traced(channels), limit: kind.triesAtOnce,
                budgets: budgets, hooks: hooks)
            // A provider that the operator hasn't set up has no work.
            let longestPause = channels.isEmpty ? .hours(1) : pauses.longest
            return loop(
                kind.rawValue, wakeup: wakeup, longestPause: longestPause, quietPause: pauses.quiet
            ) { try await worker.work() }
        }
    }

    private func traced(_ channels: [any Channel]) -> [any Channel] {
        guard let traces else { return channels }
        return channels.map { TracedChannel(channel: $0, traces: traces) }
    }

    func deadlines(_ monitor: DeadlineMonitor) -> BackgroundLoop {
        let pauses = LoopPauses.deadlines(
            isShared: database.isShared, noticesClockSets: noticesClockSets)
        return loop(
            "deadline monitor", wakeup: news.deadlineWakeup, longestPause: pauses.longest,
            quietPause: pauses.quiet
        ) { [self] in
            let due = try await handleDueDeadlines(monitor)
            guard clock.isUneven else { return due }
            return min(due ?? .distantFuture, now().adding(.seconds(1)))
        }
    }

    private func handleDueDeadlines(_ monitor: DeadlineMonitor) async throws -> Date? {
        guard let traces else { return try await monitor.handleDueDeadlines() }
        return try await traces.trace("deadline pass") { _ in
            try await monitor.handleDueDeadlines()
        }
    }

    func cleanUp() -> BackgroundLoop {
        let retention = Retention(network) { [reports] in reports.enter($0, deleted: $1) }
        return loop("clean-up", longestPause: .minutes(10)) { try await retention.pass() }
    }

    func deviceTests() -> BackgroundLoop {
        loop("device tests", longestPause: .minutes(10)) { [network] in
            try await network.reach.warnOfSilence()
            return try await network.silentEndpoints.testSilentDevices()
        }
    }

    func planRepairs() -> BackgroundLoop {
        loop("repair of deadlines", longestPause: .hours(1)) { [network, now] in
            _ = try await network.planRepair.repair()
            return now().adding(.hours(1))
        }
    }

    func sourceSilence() -> BackgroundLoop {
        loop("silence of sources", longestPause: .hours(1)) { [network, now] in
            _ = try await network.sources.tellOfSilence()
            return now().adding(.hours(1))
        }
    }

    func announcements() -> BackgroundLoop {
        loop("announcements", longestPause: .seconds(5), quietPause: pauses.quiet) {
            [network, now] in
            try await network.announcements.pass() ? now() : nil
        }
    }

    func keyRenewal() -> BackgroundLoop {
        loop("renewal after a new key", longestPause: .seconds(5), quietPause: pauses.quiet) {
            [network] in
            try await network.keyRotation.renew()
            return nil
        }
    }

    func numberMoves() -> BackgroundLoop {
        loop("changes of numbers", longestPause: .minutes(1)) { [network] in
            _ = try await network.numberMoves.pass()
            return nil
        }
    }

    func reachNews() -> BackgroundLoop {
        loop(
            "reachability news", wakeup: news.reachWakeup, longestPause: .minutes(1),
            shortestPause: .milliseconds(200)
        ) { [news, network] in try await news.reachNews.pass(network) }
    }

    /// Returns the loop that copies changes to Firestore; nil if the server keeps no copy.
    func copies(by copy: FirestoreCopying?) -> BackgroundLoop? {
        guard let copy else { return nil }
        // Failed copies become due without a commit.
        let quietPause: Duration? = database.isShared ? nil : .seconds(5)
        return loop("copies to Firestore", quietPause: quietPause) {
            // A stop must not wait for Google. The person stays due.
            try await cancelWhenGracefulShutdown { try await copy.worker.work() }
        }
    }

    /// Returns the loop that makes apps on Apple's devices load new data; nil if the server sends
    /// them no messages.
    func refreshes(by apns: APNsChannel?) -> BackgroundLoop? {
        guard let apns, let refresh = news.refresh else { return nil }
        return loop(
            "background refresh", wakeup: news.refreshWakeup, longestPause: .minutes(1),
            shortestPause: .milliseconds(200)
        ) { [database] in try await refresh.pass(database) { await apns.refresh($0) } }
    }

    /// Returns the loop that records which notifications went out on a stream. Doesn't wait for the
    /// start work: on a full disk, streams open before the start work is done.
    func ledger(_ ledger: StreamLedger, wakeup: Wakeup) -> BackgroundLoop {
        BackgroundLoop(
            "stream ledger",
            .init(
                wakeup: wakeup, longestPause: pauses.longest, quietPause: pauses.quiet,
                shortestPause: .milliseconds(100), now: now),
            logger: reports.logger
        ) {
            try await ledger.flush()
            return nil
        }
    }
}
