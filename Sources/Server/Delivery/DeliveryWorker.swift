import Domain
import Foundation
import Persistence
import Synchronization

/// A finished attempt, or a provider's later report that its message has failed.
public struct DeliveryReport: Sendable, Equatable {
    public var channel: DeliveryChannel
    public var state: DeliveryState
    public var reason: DeliveryReason?

    public init(channel: DeliveryChannel, state: DeliveryState, reason: DeliveryReason? = nil) {
        self.channel = channel
        self.state = state
        self.reason = reason
    }
}

/// Sends the deliveries in the database: leases due rows, makes one attempt for each, and stores
/// the outcome. If a worker dies, its leases expire, and another worker tries the rows. So each
/// delivery is tried at least once.
public final class DeliveryWorker: Sendable {
    /// The length of a lease. It is longer than any attempt.
    private static let lease: Duration = .seconds(60)
    /// No attempt takes longer. A provider of SMS or calls has 20 seconds, a mail server 20 and 17
    /// more to answer QUIT, another HTTP server 10 for each request.
    private static let longestTry: Duration = .seconds(40)
    /// An endpoint counts as slow if an attempt takes longer than this. Slow and failing endpoints
    /// together get at most half of the places.
    private static let slow: Duration = .seconds(2)

    private let database: any DatabaseEngine
    private let channels: [DeliveryChannel: any Channel]
    private let kinds: [DeliveryChannel]
    private let jitter: @Sendable () -> Double
    private let hooks: Hooks
    private let budgets: Budgets
    private let queue: Mutex<DeliveryQueue>
    private let results = Mutex(FinishedTries())
    /// Leases whose commit is uncertain. None of their attempts has begun.
    private let doubtfulLeases = Mutex<[Lease]>([])

    /// Notifies the owner of an e-mail address, in the transaction that stores the failure.
    public typealias EmailOwnerNotifier =
        @Sendable (UserID, EndpointNews, Transaction) throws -> Void

    /// Notifies the owner of an endpoint, in the transaction that stores the failure.
    public typealias OwnerNotifier = @Sendable (EndpointNotice, Transaction) throws -> Void

    private struct FinishedTries {
        var waiting: [Finished] = []
        var isWriting = false
    }

    /// Runs one attempt. A server starts a task; the simulation decides the order of attempts.
    public typealias Start =
        @Sendable (LeasedDelivery, @escaping @Sendable () async -> Void) -> Void

    public struct Hooks: Sendable {
        /// Requests another `work()`, because a place is free.
        public var wake: @Sendable () -> Void
        /// Called when an endpoint has ended or was given up.
        public var notifyOwner: OwnerNotifier
        /// Called when mail can't be delivered to an address.
        public var notifyEmailOwner: EmailOwnerNotifier = { _, _, _ in }
        public var report: @Sendable (DeliveryReport) -> Void
        /// Called when the budgets of a channel didn't allow the beginning of an alert.
        public var reportUnpaidAlarm: @Sendable (DeliveryChannel) -> Void = { _ in }
        /// Called when outcomes could not be stored. The messages may be sent twice.
        public var reportFailure: @Sendable (any Error) -> Void = { _ in }
        /// Starts an attempt without waiting for its end.
        public var start: Start

        public init(
            wake: @escaping @Sendable () -> Void,
            notifyOwner: @escaping OwnerNotifier = { _, _ in },
            report: @escaping @Sendable (DeliveryReport) -> Void = { _ in },
            start: @escaping Start = { _, attempt in Task { await attempt() } }
        ) {
            self.wake = wake
            self.notifyOwner = notifyOwner
            self.report = report
            self.start = start
        }
    }

    /// - Parameters:
    ///   - limit: the maximum number of concurrent attempts.
    ///   - budgets: the limits for messages that cost money.
    ///   - jitter: returns a random number from 0 to 1 for each back-off.
    public init(
        database: any DatabaseEngine, channels: [any Channel], limit: Int,
        budgets: Budgets = .unlimited,
        jitter: @escaping @Sendable () -> Double = { Double.random(in: 0...1) }, hooks: Hooks
    ) {
        self.database = database
        self.channels = Dictionary(channels.map { ($0.kind, $0) }, uniquingKeysWith: { $1 })
        kinds = self.channels.keys.sorted { $0.rawValue < $1.rawValue }
        queue = Mutex(DeliveryQueue(channels: kinds, limit: limit, isShared: database.isShared))
        self.jitter = jitter
        self.budgets = budgets
        self.hooks = hooks
    }

    var notifyOwner: OwnerNotifier { hooks.notifyOwner }
    private var notifyEmailOwner: EmailOwnerNotifier { hooks.notifyEmailOwner }
    private func now() -> Date { database.now() }

    /// Starts as many attempts as there are free places. Returns the next due time; nil if there is
    /// none, or if a finished attempt will wake the worker.
    public func work() async throws -> Date? {
        guard !channels.isEmpty else { return nil }
        try await releaseDoubtfulLeases()
        guard queue.withLock({ $0.free }) > 0 else { return nil }
        let now = now()
        let next = try await database.readUrgently { [self] in try fillQueue(in: $0, at: now) }
        let rows = queue.withLock { $0.take() }
        guard !rows.isEmpty else { return next }
        let lease: Lease
        do {
            lease = try await self.lease(rows)
        } catch {
            queue.withLock { queue in
                for row in rows {
                    queue.finish(row.endpoint, .blocked, at: now)
                }
            }
            throw error
        }
        let hasLeftOver = settleLease(of: rows, lease, at: now)
        for delivery in lease.taken { hooks.start(delivery) { [self] in await attempt(delivery) } }
        // Skipped rows have left places free.
        if hasLeftOver { hooks.wake() }
        return queue.withLock { $0.free } > 0 ? next : nil
    }

    /// Leases rows. Never retries the transaction, because a retry wouldn't find rows that the
    /// first run has leased. The next `work()` releases leases whose commit is uncertain.
    private func lease(_ rows: [DueDelivery]) async throws -> Lease {
        let last = Mutex<Lease?>(nil)
        do {
            return try await database.write(about: Subjects([])) { [budgets] transaction in
                let lease = try transaction.leaseDeliveries(
                    rows, lease: Self.lease, budgets: budgets)
                last.withLock { $0 = lease }
                return lease
            }
        } catch {
            if let lease = last.withLock({ $0 }) { doubtfulLeases.withLock { $0.append(lease) } }
            throw error
        }
    }

    private func releaseDoubtfulLeases() async throws {
        let leases = doubtfulLeases.withLock { leases in
            defer { leases = [] }
            return leases
        }
        guard !leases.isEmpty else { return }
        do {
            try await database.write(about: .none) { transaction in
                for lease in leases { try transaction.release(lease) }
            }
        } catch {
            doubtfulLeases.withLock { $0 += leases }
            throw error
        }
    }

    /// Returns the next due time.
    private func fillQueue(in connection: any SQLConnection, at now: Date) throws -> Date? {
        queue.withLock { $0.begin(at: now) }
        while let endpoint = queue.withLock({ $0.wanted(at: now) }) {
            let row = try connection.nextDelivery(at: endpoint, at: now)
            queue.withLock { $0.offer(row, at: now) }
        }
        for lane in queue.withLock({ $0.lanes }) {
            var mayHaveMore = true
            while mayHaveMore, let (last, limit) = queue.withLock({ $0.position(in: lane) }) {
                let rows = try connection.dueDeliveries(
                    lane.channel, priority: lane.priority, after: last, at: now, limit: limit)
                mayHaveMore = queue.withLock { $0.offer(rows, in: lane, at: now) }
            }
        }
        let due = try connection.nextDelivery(channels: kinds, after: now)
        return [due, queue.withLock { $0.nextRestEnd }].compactMap(\.self).min()
    }

    /// Frees the places of rows that will not be tried. Returns whether there were any.
    private func settleLease(of rows: [DueDelivery], _ lease: Lease, at now: Date) -> Bool {
        let taken = Set(lease.taken.map(\.record.id))
        let blocked = Set(lease.blocked.map(\.id))
        let busy = Set(lease.busy.map(\.id))
        queue.withLock { queue in
            for row in rows where !taken.contains(row.id) {
                let end: DeliveryQueue.End =
                    if blocked.contains(row.id) {
                        .blocked
                    } else if busy.contains(row.id) { .busy } else { .notTried }
                queue.finish(row.endpoint, end, at: now)
            }
        }
        for row in lease.settled {
            hooks.report(DeliveryReport(channel: row.channel, state: row.state, reason: row.reason))
        }
        for channel in lease.unpaidAlarms { hooks.reportUnpaidAlarm(channel) }
        return taken.count < rows.count
    }

    private func attempt(_ delivery: LeasedDelivery) async {
        guard let channel = channels[delivery.record.channel] else { return }
        let start = now()
        // The server may have been paused since the lease. Another server then sends the message.
        if let end = delivery.leasedUntil, end.since(start) < Self.longestTry {
            queue.withLock { $0.finish(delivery.endpoint, .notTried, at: start) }
            return hooks.wake()
        }
        let isLate = await database.isWithdrawnCall(delivery.record)
        let result = isLate ? .failed(.superseded) : await channel.send(delivery)
        let isSlow = now().since(start) > Self.slow
        await enter(
            Finished(
                delivery: delivery, result: result, time: now(), isSlow: isSlow, jitter: jitter())
        )
    }

    /// Stores outcomes in batches. Outcomes that arrive during a write share the next commit.
    private func enter(_ finished: Finished) async {
        let mustWrite = results.withLock { results in
            results.waiting.append(finished)
            defer { results.isWriting = true }
            return !results.isWriting
        }
        guard mustWrite else { return }
        while true {
            let batch = results.withLock { results in
                defer { results.waiting = [] }
                if results.waiting.isEmpty { results.isWriting = false }
                return results.waiting
            }
            guard !batch.isEmpty else { return }
            await write(batch)
        }
    }

    private func write(_ batch: [Finished]) async {
        let owners =
            batch.filter(\.isOwnerConcerned).map(\.delivery.record.userID)
            + batch.compactMap(\.ownerOfRefusedStep)
        var reports: [DeliveryReport] = []
        do {
            reports = try await database.write(
                about: Subjects(owners, isRepeatable: true)
            ) { [self] transaction in
                try settle(batch, in: transaction)
            }
        } catch {
            // The leases expire, and the rows are tried once more.
            hooks.reportFailure(error)
        }
        queue.withLock { queue in
            for finished in batch {
                queue.finish(finished.endpoint, end(of: finished), at: finished.time)
            }
        }
        for report in reports { hooks.report(report) }
        for _ in batch { hooks.wake() }
    }
}

extension DeliveryWorker {
    struct Finished {
        var delivery: LeasedDelivery
        var result: DeliveryResult
        var time: Date
        var isSlow: Bool
        var jitter: Double

        /// Whether the failure is the endpoint's, so that its owner may have to know.
        var isEndpointAtFault: Bool {
            delivery.record.pushEndpointID != nil && result.reason?.isOfTheEndpoint == true
        }

        /// Whether the provider has rejected the message permanently.
        var isRefused: Bool {
            switch result {
            case .refused, .ended: true
            case .accepted, .failed, .gone: false
            }
        }

        /// Whether a push or e-mail about the end of an alert was accepted.
        var hasToldOfEnd: Bool {
            result.reason == nil && delivery.purpose == .alertEnd
                && Ladder.step(of: record.channel) == .push
        }

        /// The alert of a call that has failed permanently, so that the next calls need not wait;
        /// else nil.
        var alertOfEndedCall: AlertKey? {
            let record = delivery.record
            guard record.channel == .voice, isRefused, let owner = delivery.alertOwner else {
                return nil
            }
            return record.notification.alertID.map { AlertKey(owner: owner, id: $0) }
        }

        /// The owner of an alert or a drill whose message was rejected permanently, because the
        /// next call may then be due; else nil.
        var ownerOfRefusedStep: UserID? {
            guard isRefused, Ladder.step(of: record.channel) != nil else { return nil }
            return delivery.purpose == .drill
                ? record.notification.aboutUserID : delivery.alertOwner
        }

        /// Whether the mailbox doesn't exist. Other mail failures concern the operator, not the
        /// owner.
        var isMailboxGone: Bool {
            if record.channel == .email, case .gone = result { true } else { false }
        }

        var isOwnerConcerned: Bool { isEndpointAtFault || isMailboxGone }

        var record: DeliveryRecord { delivery.record }

        var endpointSuccess: EndpointSuccess? {
            guard result.reason == nil, let device = delivery.record.pushEndpointID,
                let url = delivery.url
            else { return nil }
            var success = EndpointSuccess(device, of: delivery.record.userID, url: url, at: time)
            success.kind = kind
            return success
        }

        var kind: PushEndpoint.Kind {
            PushEndpoint.Kind.allCases.first { $0.channel == delivery.record.channel } ?? .webhook
        }

        var endpoint: DeliveryEndpoint { delivery.endpoint }
    }

    func end(of finished: Finished) -> DeliveryQueue.End {
        guard let reason = finished.result.reason, finished.endpoint.pushEndpointID != nil else {
            return finished.isSlow ? .slow : .done
        }
        // No back-off: nothing was sent, and the browser may have a new subscription.
        if reason == .keyChanged { return .done }
        return .rests(until: restEnd(of: finished))
    }

    private func restEnd(of finished: Finished) -> Date {
        let rest = EndpointRules.rest(
            failingSince: finished.delivery.failingSince ?? finished.time, at: finished.time,
            jitter: finished.jitter)
        return finished.time.adding(rest)
    }

    func settle(_ batch: [Finished], in transaction: Transaction) throws -> [DeliveryReport] {
        let outcomes = batch.map { (record: $0.delivery.record, update: update(after: $0)) }
        let states = try transaction.settleDeliveries(outcomes)
        try transaction.noteEndpointSuccesses(batch.compactMap(\.endpointSuccess))
        let told = batch.filter(\.hasToldOfEnd).map(\.record)
        try transaction.withdrawReserves(of: told.map { ($0.userID, $0.notification.id) })
        for finished in batch { try noteEmail(finished, in: transaction) }
        let reports = try zip(batch, outcomes).map { finished, outcome in
            let (record, update) = outcome
            guard let reason = update.reason else {
                return DeliveryReport(channel: record.channel, state: .accepted)
            }
            try noteFailure(of: finished, reason: reason, in: transaction)
            return DeliveryReport(
                channel: record.channel, state: states[record.id] ?? update.state, reason: reason)
        }
        try advance(after: batch, in: transaction)
        return reports
    }

    /// Advances to the next escalation step after a permanent failure.
    private func advance(after batch: [Finished], in transaction: Transaction) throws {
        let refused = batch.filter {
            $0.isRefused
                && ($0.delivery.alertOwner != nil
                    || [.drill, .alertEnd].contains($0.delivery.purpose))
        }
        try transaction.advanceSteps(of: Array(Set(refused.map(\.delivery.record.userID))))
        for alert in Set(refused.compactMap(\.alertOfEndedCall)) {
            try transaction.hurryCalls(about: alert)
        }
        let freed = batch.filter { $0.record.channel == .voice && $0.result.reason != nil }
        if !freed.isEmpty { try transaction.hurryCalls(to: Set(freed.map(\.record.userID))) }
    }

    private func update(after finished: Finished) -> DeliveryUpdate {
        let record = finished.delivery.record
        let (result, time) = (finished.result, finished.time)
        guard let reason = result.reason else {
            let providerID = if case .accepted(let id) = result { id } else { nil as String? }
            return DeliveryUpdate(.accepted, providerID: providerID, at: time)
        }
        switch result {
        case .refused, .ended: return DeliveryUpdate(.failed, reason: reason, at: time)
        case .accepted, .failed, .gone: break
        }
        let next = DeliveryRules.nextTry(
            afterAttempt: record.attempts, usefulUntil: record.usefulUntil, wish: result.wish,
            at: time, jitter: finished.jitter)
        return DeliveryUpdate(
            next == nil ? .givenUp : .retrying, reason: reason, nextTry: next, at: time)
    }

    private func noteEmail(_ finished: Finished, in transaction: Transaction) throws {
        let record = finished.record
        guard record.channel == .email, let address = finished.delivery.email?.address
        else { return }
        guard let reason = finished.result.reason else {
            return try transaction.noteEmailSuccess(
                of: record.userID, address: address, at: finished.time)
        }
        guard finished.isMailboxGone else { return }
        let failure = EmailFailure(
            reason, address: address, attempts: record.attempts, at: finished.time)
        guard let news = try transaction.noteEmailFailure(of: record.userID, failure) else {
            return
        }
        _ = try transaction.isolated { try notifyEmailOwner(record.userID, news, transaction) }
    }

    private func noteFailure(
        of finished: Finished, reason: DeliveryReason, in transaction: Transaction
    ) throws {
        let record = finished.delivery.record
        guard finished.isEndpointAtFault, let device = record.pushEndpointID,
            let url = finished.delivery.url
        else { return }
        var failure = EndpointFailure(
            reason, url: url, attempts: record.attempts, at: finished.time)
        failure.kind = finished.kind
        switch finished.result {
        case .gone: failure.isGone = true
        case .refused: failure.isFinal = true
        case .ended(_, let time): (failure.hasEnded, failure.endedAt) = (true, time)
        case .accepted, .failed: break
        }
        let news = try transaction.noteEndpointFailure(device, of: record.userID, failure)
        guard let news else { return }
        var notice = EndpointNotice(news: news, userID: record.userID, url: url, reason: reason)
        notice.kind = finished.kind
        // An error in one notice must not roll back the other outcomes.
        _ = try transaction.isolated { try notifyOwner(notice, transaction) }
    }
}

extension LeasedDelivery {
    fileprivate var endpoint: DeliveryEndpoint {
        DeliveryEndpoint(
            userID: record.userID, channel: record.channel, pushEndpointID: record.pushEndpointID)
    }
}

extension DatabaseEngine {
    /// Returns whether a call has been withdrawn. The worker checks right before calling, because a
    /// call can't be undone. If the row can't be read, the call is made.
    func isWithdrawnCall(_ record: DeliveryRecord) async -> Bool {
        guard record.channel == .voice else { return false }
        let answer = try? await readUrgently {
            try $0.isWithdrawnCall(record.id, of: record.userID)
        }
        return answer ?? false
    }
}
