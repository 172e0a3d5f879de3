import Domain
import Foundation
import Persistence
import Synchronization

/// Brings what the ledger holds to where it belongs: takes rows that are due, makes one try each, enters the outcome. A
/// worker that dies in the middle leaves rows whose lease runs out; then they are tried again: at least once, never not.
public final class DeliveryWorker: Sendable {
    /// Longer than any try can take.
    private static let lease: Duration = .seconds(60)
    private static let pauseWithoutWork: Duration = .seconds(1)

    private let database: any DatabaseEngine
    private let channels: [DeliveryChannel: any Channel]
    private let limit: Int
    private let now: @Sendable () -> Date
    private let jitter: @Sendable () -> Double
    private let wake: @Sendable () -> Void
    private let report: @Sendable (DeliveryChannel, DeliveryState) -> Void
    private let running = Mutex(0)

    /// - Parameters:
    ///   - limit: how many tries run at the same time.
    ///   - jitter: a random number from 0 to 1 for each pause.
    ///   - wake: asks for another `work()`, because a place has become free.
    ///   - report: told the state that each try led to.
    public init(
        database: any DatabaseEngine, channels: [any Channel], limit: Int, now: @escaping @Sendable () -> Date,
        jitter: @escaping @Sendable () -> Double = { Double.random(in: 0...1) }, wake: @escaping @Sendable () -> Void,
        report: @escaping @Sendable (DeliveryChannel, DeliveryState) -> Void = { _, _ in }
    ) {
        self.database = database
        self.channels = Dictionary(channels.map { ($0.kind, $0) }, uniquingKeysWith: { $1 })
        self.limit = limit
        self.now = now
        self.jitter = jitter
        self.wake = wake
        self.report = report
    }

    /// Starts a try for each row that is due, as far as there are free places. Returns when the next row is due; nil when a
    /// finished try will wake the worker anyway.
    public func work() async throws -> Date? {
        let free = running.withLock { limit - $0 }
        guard free > 0, !channels.isEmpty else { return nil }
        let kinds = channels.keys.sorted { $0.rawValue < $1.rawValue }
        guard try await database.read({ try $0.nextDelivery(channels: kinds) }).map({ $0 <= now() }) == true else {
            return try await database.read { try $0.nextDelivery(channels: kinds) }
        }
        let leased = try await database.write { [now] transaction in
            try transaction.leaseDeliveries(channels: kinds, at: now(), lease: Self.lease, limit: free)
        }
        running.withLock { $0 += leased.count }
        for delivery in leased {
            Task {
                await attempt(delivery)
                running.withLock { $0 -= 1 }
                wake()
            }
        }
        // A row that is due and can't be taken (its notification has gone) must not keep the worker busy.
        return leased.isEmpty ? now().adding(Self.pauseWithoutWork) : nil
    }

    /// One try and its outcome.
    func attempt(_ delivery: LeasedDelivery) async {
        guard let channel = channels[delivery.record.channel] else { return }
        let outcome = await channel.send(delivery)
        let record = delivery.record
        let now = now()
        let next = DeliveryRules.nextTry(
            afterAttempt: record.attempts, of: record.notification.type, createdAt: record.createdAt, at: now, jitter: jitter()
        )
        let state: DeliveryState =
            switch outcome {
            case .accepted: .accepted
            case .failed: next == nil ? .givenUp : .retrying
            case .refused, .gone: .failed
            }
        // If this can't be written the lease runs out and the row is tried again.
        _ = try? await database.write { transaction in
            switch outcome {
            case .accepted(let providerID):
                try transaction.settleDelivery(record, as: state, nextTry: nil, providerID: providerID, at: now)
            case .failed:
                try transaction.settleDelivery(record, as: state, nextTry: next, at: now)
            case .refused:
                try transaction.settleDelivery(record, as: state, nextTry: nil, at: now)
            case .gone:
                try transaction.settleDelivery(record, as: state, nextTry: nil, at: now)
                if let device = record.deviceID { try transaction.forgetDevice(device, of: record.userID) }
            }
        }
        report(record.channel, state)
    }
}
