import Domain
import Foundation
import Persistence
import Synchronization

/// The part that looks at the clock: reminders, missed deadlines, escalation, expired pings, clean-up. Everything it has to
/// know is in the rows, so a watch that starts anew is where the last one was.
public final class Watch: Sendable {
    /// Small enough that a check-in never waits long for a group of alerts.
    private static let batch = 25
    private static let cleanUpEvery: Duration = .minutes(10)
    private static let postponement: Duration = .minutes(1)

    private let network: SafetyNetwork
    private let report: @Sendable (Report) -> Void
    private struct Progress {
        var lastLook: ContinuousClock.Instant?
        var cleanedAt: Date?
    }
    private let progress = Mutex(Progress())

    /// What a look at the clock has done.
    public struct Report: Sendable {
        public var missed = 0
        public var reminders = 0
        public var retold = 0
        public var expiredPings = 0
        /// How late each missed deadline was noticed.
        public var delays: [Duration] = []
        /// What could not be handled and was put off; the text names no person.
        public var failures: [String] = []
    }

    public init(_ network: SafetyNetwork, report: @escaping @Sendable (Report) -> Void = { _ in }) {
        self.network = network
        self.report = report
    }

    /// How long ago the watch last finished a look; nil before the first.
    public var sinceLastLook: Duration? { progress.withLock { $0.lastLook }.map { ContinuousClock.now - $0 } }

    /// Does everything that is due. Returns when the next thing is.
    @discardableResult
    public func look() async throws -> Date? {
        var next = try await network.database.read { try $0.nextDue() }
        while let due = next, due <= network.now() {
            report(try await network.database.write { [network] in try Self.handleDue(network, in: $0) })
            progress.withLock { $0.lastLook = .now }
            next = try await network.database.read { try $0.nextDue() }
        }
        try await cleanUpIfDue()
        progress.withLock { $0.lastLook = .now }
        return next
    }

    private static func handleDue(_ network: SafetyNetwork, in transaction: Transaction) throws -> Report {
        let now = network.now()
        var work = Report()
        let alerts = try transaction.dueAlerts(at: now, limit: batch)
        for alert in alerts {
            let failure = try transaction.isolated { try network.escalate(alert, at: now, in: transaction, &work) }
            if let failure {
                work.failures.append("alert: \(type(of: failure))")
                try transaction.postponeAlert(alert, until: now.adding(postponement))
            }
        }
        let schedules = try transaction.dueSchedules(at: now, limit: batch)
        for (user, schedule) in schedules {
            let failure = try transaction.isolated { try network.look(at: schedule, of: user, at: now, in: transaction, &work) }
            if let failure {
                work.failures.append("schedule: \(type(of: failure))")
                try transaction.postponeSchedule(of: user, until: now.adding(postponement))
            }
        }
        let pings = try transaction.expiredPings(at: now, limit: batch)
        for ping in pings {
            try network.expire(ping, at: now, in: transaction)
            work.expiredPings += 1
        }
        return work
    }

    private func cleanUpIfDue() async throws {
        let now = network.now()
        let isDue = progress.withLock { progress in
            guard let cleanedAt = progress.cleanedAt, abs(now.since(cleanedAt).milliseconds) < Self.cleanUpEvery.milliseconds else { return true }
            return false
        }
        guard isDue else { return }
        while try await network.database.write({ try $0.cleanUp(at: now, limit: 200) }) >= 200 {}
        progress.withLock { $0.cleanedAt = now }
    }
}
