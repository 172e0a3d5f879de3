import Domain
import Foundation
import Persistence
import Synchronization

/// Handles what becomes due by time alone: reminders, missed deadlines, escalation, expired pings.
/// Its whole state is in the rows, so a restarted monitor continues where the last one stopped.
public final class DeadlineMonitor: Sendable {
    /// Small enough that a check-in never waits long for a group of alerts.
    fileprivate static let batch = 25
    /// Transactions side by side while there is more than one batch to handle. Each waits for a
    /// round trip most of the time; with more of them, check-ins would wait for connections.
    private static let sharedLanes = 4
    /// Candidates among which several servers find people whom no other has.
    fileprivate static let sharedCandidates = 250
    static let postponement: Duration = .minutes(1)
    /// The pause while another server handles what it has locked.
    private static let pauseWhileOthersWork: Duration = .milliseconds(20)

    private let network: SafetyNetwork
    private let report: @Sendable (Report) -> Void
    private let lastPass = Mutex<ContinuousClock.Instant?>(nil)

    /// The result of one pass of the deadline monitor.
    public struct Report: Sendable {
        public var missed = 0
        public var reminders = 0
        public var repeatedAlerts = 0
        public var expiredPings = 0
        public var drills = 0
        /// Alerts about whose calls something was decided.
        public var calls = 0
        /// How late each missed deadline was noticed.
        public var delays: [Duration] = []
        /// People whom another server has at this moment.
        public var skipped = 0
        /// Rows that could not be handled and were put off; the text names no person.
        public var failures: [String] = []
        /// How many people were found free.
        var taken = 0
        /// True if other servers have everything that is due.
        var isIdle: Bool {
            skipped > 0 && failures.isEmpty
                && missed + reminders + repeatedAlerts + expiredPings + calls + drills == 0
        }
    }

    public init(_ network: SafetyNetwork, report: @escaping @Sendable (Report) -> Void = { _ in }) {
        self.network = network
        self.report = report
    }

    /// The time since the last finished pass; nil before the first.
    public var timeSinceLastPass: Duration? {
        lastPass.withLock { $0 }.map { ContinuousClock.now - $0 }
    }

    /// Does everything that is due. Returns when the next thing is.
    @discardableResult
    public func handleDueDeadlines() async throws -> Date? {
        try await network.prepareForDeadlines()
        var next = try await nextDue()
        var lanes = 1
        while let due = next, due <= network.now() {
            let passes = try await handleDue(lanes: lanes)
            for work in passes { report(work) }
            lastPass.withLock { $0 = .now }
            try await network.prepareForDeadlines()
            guard passes.contains(where: { !$0.isIdle }) else {
                return network.now().adding(Self.pauseWhileOthersWork)
            }
            let hasMore = passes.contains { $0.taken >= Self.batch }
            lanes = network.database.isShared && hasMore ? Self.sharedLanes : 1
            next = try await nextDue()
        }
        lastPass.withLock { $0 = .now }
        return next
    }

    private func nextDue() async throws -> Date? {
        let calls = network.options.isVoiceAvailable
        return try await network.database.readUrgently { try $0.nextDue(calls: calls) }
    }

    /// Handles a batch in each of so many transactions side by side.
    private func handleDue(lanes: Int) async throws -> [Report] {
        guard lanes > 1 else { return [try await handleDue(lane: (0, 1))] }
        return try await withThrowingTaskGroup(of: Report.self) { group in
            for lane in 0..<lanes {
                group.addTask { [self] in try await handleDue(lane: (lane, lanes)) }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
    }

    private func handleDue(lane: Lane) async throws -> Report {
        try await network.database.write(about: .none) { [network] in
            try Self.handleDue(network, lane: lane, in: $0)
        }
    }

    typealias Lane = (index: Int, count: Int)

    private static func handleDue(
        _ network: SafetyNetwork, lane: Lane, in transaction: Transaction
    ) throws -> Report {
        let now = transaction.now
        var work = Report()
        // The clock was corrected just now, or the write has waited for the database: the rows have
        // to be corrected first.
        guard network.clock?.correction == nil, !network.mayFindOutage(at: now) else { return work }
        try handleAlerts(network, lane, in: transaction, &work)
        try handleCalls(network, lane, in: transaction, &work)
        try handleSchedules(network, lane, in: transaction, &work)
        try handlePings(network, lane, in: transaction, &work)
        try handleDrills(network, lane, in: transaction, &work)
        return work
    }

    /// Locks the people of a batch. Servers and their lanes begin at different places of what is
    /// due, so that they work side by side.
    static func take<Candidate>(
        _ due: [Candidate], _ network: SafetyNetwork, _ lane: Lane, in transaction: Transaction,
        _ work: inout Report, person: (Candidate) -> UserID
    ) throws -> [Candidate] {
        guard network.database.isShared, !due.isEmpty else { return due }
        let own = Int(UInt64(bitPattern: network.serverID) % UInt64(due.count))
        let start = (own + due.count * lane.index / lane.count) % due.count
        let rotated = Array(due[start...] + due[..<start])
        for start in stride(from: 0, to: rotated.count, by: batch) {
            let part = rotated[start..<min(start + batch, rotated.count)]
            let free = try transaction.tryLock(part.map(person))
            guard !free.isEmpty else { continue }
            work.taken += free.count
            return part.filter { free.contains(person($0)) }
        }
        work.skipped += due.count
        return []
    }

    // A candidate was read without a lock. Under it the row is read again: another server may have
    // handled it meanwhile.

    private static func handleAlerts(
        _ network: SafetyNetwork, _ lane: Lane, in transaction: Transaction,
        _ work: inout Report
    ) throws {
        let now = transaction.now
        let due = try transaction.dueAlerts(at: now, limit: network.deadlineCandidates)
        for candidate in try take(due, network, lane, in: transaction, &work, person: \.userID) {
            guard
                let alert = try transaction.dueAlert(
                    candidate.id, of: candidate.userID, at: now)
            else { continue }
            let failure = try transaction.isolated {
                try network.escalate(alert, in: transaction, &work)
            }
            if let failure {
                work.failures.append("alert: \(type(of: failure))")
                try transaction.postponeAlert(alert, until: now.adding(postponement))
            }
        }
    }

    private static func handleCalls(
        _ network: SafetyNetwork, _ lane: Lane, in transaction: Transaction,
        _ work: inout Report
    ) throws {
        // Another server may have a carrier.
        guard network.options.isVoiceAvailable else { return }
        let now = transaction.now
        let due = try transaction.alertsWithDueCalls(
            at: now, limit: network.deadlineCandidates)
        for candidate in try take(due, network, lane, in: transaction, &work, person: \.userID) {
            guard var alert = try transaction.alert(candidate.id, of: candidate.userID),
                let due = alert.nextCallAt, due <= now
            else { continue }
            let failure = try transaction.isolated {
                try network.startCalls(about: &alert, in: transaction)
            }
            if let failure {
                work.failures.append("calls: \(type(of: failure))")
                alert.nextCallAt = now.adding(postponement)
                try transaction.saveNextCall(of: alert)
            } else {
                work.calls += 1
            }
        }
    }

    private static func handleSchedules(
        _ network: SafetyNetwork, _ lane: Lane, in transaction: Transaction,
        _ work: inout Report
    ) throws {
        let now = transaction.now
        let due = try transaction.dueUsers(at: now, limit: network.deadlineCandidates)
        let people = try take(due, network, lane, in: transaction, &work, person: \.self)
        // All together, because statements cost more than rows.
        guard try attempt(people, network, in: transaction, &work) != nil else { return }
        for user in people {
            if let failure = try attempt([user], network, in: transaction, &work) {
                work.failures.append("schedule: \(type(of: failure))")
                try transaction.postponeSchedule(of: user, until: now.adding(postponement))
            }
        }
    }

    /// Returns the error that has undone the work, if there was one.
    private static func attempt(
        _ people: [UserID], _ network: SafetyNetwork, in transaction: Transaction,
        _ work: inout Report
    ) throws -> (any Error)? {
        guard !people.isEmpty else { return nil }
        var own = work
        let failure = try transaction.isolated {
            try network.handleDue(people, in: transaction, &own)
        }
        if failure == nil { work = own }
        return failure
    }

    private static func handlePings(
        _ network: SafetyNetwork, _ lane: Lane, in transaction: Transaction,
        _ work: inout Report
    ) throws {
        let now = transaction.now
        let due = try transaction.expiredPings(at: now, limit: network.deadlineCandidates)
        for candidate in try take(due, network, lane, in: transaction, &work, person: \.dependentID)
        {
            guard let ping = try transaction.ping(candidate.id, from: candidate.responderID),
                ping.state == .pending
            else { continue }
            let failure = try transaction.isolated { try network.expire(ping, in: transaction) }
            if let failure {
                work.failures.append("ping: \(type(of: failure))")
                try transaction.postponePing(ping, until: now.adding(postponement))
            } else {
                work.expiredPings += 1
            }
        }
    }
}

extension SafetyNetwork {
    var deadlineCandidates: Int {
        database.isShared ? DeadlineMonitor.sharedCandidates : DeadlineMonitor.batch
    }
}
