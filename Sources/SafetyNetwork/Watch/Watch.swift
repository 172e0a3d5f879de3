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

extension SafetyNetwork {
    /// One user whose time has come.
    func look(at schedule: CheckInSchedule, of user: UserID, at now: Date, in transaction: Transaction, _ work: inout Watch.Report) throws {
        var schedule = schedule
        guard let owner = try transaction.user(user) else { return }
        switch schedule.dueAction(at: now) {
        case .remind(let reminder, let deadline, let covers):
            schedule.remindersSent.formUnion(covers)
            try tell(Recipient(owner), Telling(text: .reminder(reminder, deadline: deadline), isReminder: true), at: now, in: transaction)
            work.reminders += 1
        case .missed(let deadline):
            schedule.isMissedTold = true
            // An alert that is open from an earlier deadline stands for this one too.
            if try transaction.openAlert(.missedCheckIn, of: user) == nil {
                let alert = AlertRow(
                    id: newID(), userID: user, kind: .missedCheckIn, startedAt: now, deadlineAt: deadline,
                    toldLate: now.since(deadline) > Escalation.lateness, told: 1
                )
                try open(alert, owner: owner, at: now, in: transaction)
            }
            work.missed += 1
            work.delays.append(now.since(deadline))
        case nil:
            break
        }
        try transaction.save(schedule, of: user)
    }

    /// One alert that has to be told again, or whose responder has to be asked.
    func escalate(_ alert: AlertRow, at now: Date, in transaction: Transaction, _ work: inout Watch.Report) throws {
        var alert = alert
        guard let owner = try transaction.user(alert.userID) else { return }
        let responders = try transaction.responders(of: owner.id)
        func tellAll(_ text: NotificationText) throws {
            for responder in responders {
                try tell(responder, Telling(text: text, about: owner.id, alert: alert, isUrgent: true), at: now, in: transaction)
            }
            work.retold += 1
        }
        switch alert.escalation.dueAction(at: now) {
        case .tellAgain(let told):
            alert.told = told
            try transaction.update(alert)
            try tellAll(.alertRepeated(name: owner.displayName, kind: alert.kind, since: alert.startedAt))
        case .askResponder:
            alert.askedAt = now
            try transaction.update(alert)
            guard let responder = responders.first(where: { $0.id == alert.acknowledgedBy }) else { break }
            let question = Telling(text: .doesItGoOn(name: owner.displayName), about: owner.id, alert: alert, isUrgent: true)
            try tell(responder, question, at: now, in: transaction)
        case .lapse(let told):
            alert.told = told
            alert.acknowledgedBy = nil
            alert.acknowledgedAt = nil
            alert.askedAt = nil
            try transaction.update(alert)
            try publish(alert, to: responders.map(\.id), at: now, in: transaction)
            try tellAll(.alertLapsed(name: owner.displayName))
        case nil:
            try transaction.update(alert)
        }
    }
}
