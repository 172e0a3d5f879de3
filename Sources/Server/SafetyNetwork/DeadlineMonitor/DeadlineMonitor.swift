import Domain
import Foundation
import Persistence
import Synchronization

/// Handles what time makes due: reminders, missed deadlines, escalation, expired pings. All state
/// is in the database, so a restarted monitor continues where the last one stopped.
public final class DeadlineMonitor: Sendable {
    /// The most people of one step that handles each person alone, and of all steps on SQLite. A
    /// transaction has a step for each kind of work.
    static let chunk = 25
    /// How often a transaction may repeat its steps while more is due. Larger transactions write
    /// each page of the database less often (`lifesignal-bench --only crowd`).
    static let repeats = 7
    /// A transaction repeats no step after this time. Check-ins wait for it and for its commit,
    /// which may take as long again.
    static let timeForRepeats: Duration = .milliseconds(15)
    /// The concurrent transactions on a shared database while more than a chunk is due. They
    /// mostly wait for round trips. With more of them, check-ins would wait for connections.
    private static let sharedShares = 4
    /// The most schedules of one step on a shared database. There, 250 schedules need few more
    /// statements than one. The people stay locked for about 0.5 s if 20,000 are due
    /// (`make bench-postgresql ARGS="--only crowd"`).
    fileprivate static let sharedSchedules = 250
    /// The chunks of due rows to read if several servers share the database, so that each server
    /// finds people that no other server has locked.
    fileprivate static let sharedCandidates = 10
    static let postponement: Duration = .minutes(1)
    /// How long a failure keeps the warning. A row that keeps failing fails again after
    /// `postponement`, so its warning lasts until it is handled.
    static let failureMemory: Duration = .minutes(2)
    /// The pause while other servers handle the people that they have locked.
    private static let pauseWhileOthersWork: Duration = .milliseconds(20)

    private let network: SafetyNetwork
    private let uptime: @Sendable () -> ContinuousClock.Instant
    private let report: @Sendable (Report) -> Void
    private let lastPass = Mutex<ContinuousClock.Instant?>(nil)
    private let lastFailure = Mutex<ContinuousClock.Instant?>(nil)

    public struct Report: Sendable {
        public var missed = 0
        public var reminders = 0
        public var repeatedAlerts = 0
        public var expiredPings = 0
        public var drills = 0
        public var calls = 0
        /// The time from each missed deadline until the monitor noticed it.
        public var delays: [Duration] = []
        public var skipped = 0
        /// One entry for each row that failed and was postponed.
        public var failures: [Failure] = []

        /// A database's error names tables, columns and files, but no values. Other errors may
        /// contain personal data.
        mutating func note(_ failure: any Error, of kind: Failure.Kind) {
            let reason = (failure as? DatabaseError)?.description ?? "\(type(of: failure))"
            failures.append(Failure(kind: kind, reason: reason))
        }

        /// True if more may be due than the transaction has handled.
        var hasMore = false
        /// True if other servers have locked everything that is due.
        var isIdle: Bool {
            skipped > 0 && failures.isEmpty
                && missed + reminders + repeatedAlerts + expiredPings + calls + drills == 0
        }
    }

    /// A row that failed and was postponed.
    public struct Failure: Sendable, Equatable, CustomStringConvertible {
        /// What the row holds. The raw values appear in the log and in metrics.
        public enum Kind: String, Sendable, CaseIterable {
            case alert, calls, schedule, journey, ping, drill
        }

        public var kind: Kind
        /// The error, without personal data.
        public var reason: String

        public var description: String { "\(kind.rawValue): \(reason)" }
    }

    /// - Parameter uptime: measures the time since the last pass.
    public init(
        _ network: SafetyNetwork, report: @escaping @Sendable (Report) -> Void = { _ in },
        uptime: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
    ) {
        self.network = network
        self.uptime = uptime
        self.report = report
    }

    /// The time since the last finished pass; nil before the first one.
    public var timeSinceLastPass: Duration? {
        lastPass.withLock { $0 }.map { uptime() - $0 }
    }

    /// Says that something due could not be handled, until `failureMemory` has passed without a
    /// failure.
    public var warning: String? {
        guard let failure = lastFailure.withLock({ $0 }), uptime() - failure <= Self.failureMemory
        else { return nil }
        return "a deadline could not be handled, and its people may not be told; the log says why"
    }

    @discardableResult
    public func handleDueDeadlines() async throws -> Date? {
        try await network.serverLife.prepareForDeadlines()
        var next = try await nextDue()
        var shares = 1
        while let due = next, due <= network.now() {
            let passes = try await handleDue(shares: shares)
            for work in passes { report(work) }
            if passes.contains(where: { !$0.failures.isEmpty }) {
                lastFailure.withLock { $0 = uptime() }
            }
            lastPass.withLock { $0 = uptime() }
            try await network.serverLife.prepareForDeadlines()
            guard passes.contains(where: { !$0.isIdle }) else {
                return network.now().adding(Self.pauseWhileOthersWork)
            }
            let hasMore = passes.contains(where: \.hasMore)
            shares = network.database.isShared && hasMore ? Self.sharedShares : 1
            next = try await nextDue()
        }
        lastPass.withLock { $0 = uptime() }
        return next
    }

    private func nextDue() async throws -> Date? {
        let calls = network.options.isVoiceAvailable
        return try await network.database.readUrgently { try $0.nextDue(calls: calls) }
    }

    /// Runs `shares` concurrent transactions.
    private func handleDue(shares: Int) async throws -> [Report] {
        guard shares > 1 else { return [try await handleDue(Share())] }
        return try await withThrowingTaskGroup(of: Report.self) { group in
            for index in 0..<shares {
                group.addTask { [self] in try await handleDue(Share(index: index, count: shares)) }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
    }

    private func handleDue(_ share: Share) async throws -> Report {
        try await network.database.write(about: .none) { [network] transaction in
            var pass = Pass(network: network, share: share, transaction: transaction)
            try pass.handleDue()
            return pass.report
        }
    }

    fileprivate struct Share {
        var index = 0
        var count = 1
    }

    struct Pass {
        let network: SafetyNetwork
        fileprivate let share: Share
        let transaction: Transaction
        var report = Report()
        fileprivate var repeatsLeft = DeadlineMonitor.repeats
    }
}

extension DeadlineMonitor.Pass {
    fileprivate mutating func handleDue() throws {
        // Handles nothing after a correction of the clock. Also handles nothing after a long wait
        // for the database, which may be an outage. `prepareForDeadlines` corrects the stored times
        // before the next pass.
        guard network.clock?.correction == nil,
            !network.serverLife.mayFindOutage(at: transaction.now)
        else {
            return
        }
        // If more alarms may be due than fit into this pass, handles nothing else.
        let areAlarmsDone = [
            try finish { try $0.handleAlerts() }, try finish { try $0.handleCalls() },
            try finish { try $0.handleSchedules(areAlarms: true) },
            try finish { try $0.handleJourneys(areAlarms: true) },
        ]
        guard areAlarmsDone.allSatisfy({ $0 }) else { return }
        _ = try finish { try $0.handleSchedules(areAlarms: false) }
        _ = try finish { try $0.handleJourneys(areAlarms: false) }
        _ = try finish { try $0.handlePings() }
        _ = try finish { try $0.handleDrills() }
    }

    /// Runs a step until it finds less than a chunk, or the transaction has done enough. Returns
    /// false if more may be due.
    /// - Parameter step: returns true if more may be due than it has handled.
    private mutating func finish(_ step: (inout Self) throws -> Bool) throws -> Bool {
        while try step(&self) {
            guard mayRepeat else {
                report.hasMore = true
                return false
            }
            repeatsLeft -= 1
        }
        return true
    }

    /// On a shared database, other transactions handle further chunks.
    private var mayRepeat: Bool {
        !network.database.isShared && repeatsLeft > 0
            && network.now().since(transaction.now) < DeadlineMonitor.timeForRepeats
    }

    /// Locks the people of one chunk and returns their items. Each share of each server starts at
    /// another place in the list. They therefore seldom compete for the same people.
    private mutating func lockChunk<Candidate>(
        of due: [Candidate], size: Int = DeadlineMonitor.chunk, person: (Candidate) -> UserID
    ) throws -> [Candidate] {
        guard network.database.isShared, !due.isEmpty else { return due }
        let own = Int(UInt64(bitPattern: network.serverID) % UInt64(due.count))
        let start = (own + due.count * share.index / share.count) % due.count
        let rotated = Array(due[start...] + due[..<start])
        for start in stride(from: 0, to: rotated.count, by: size) {
            let part = rotated[start..<min(start + size, rotated.count)]
            let free = try transaction.tryLock(part.map(person))
            guard !free.isEmpty else { continue }
            return part.filter { free.contains(person($0)) }
        }
        report.skipped += due.count
        return []
    }

    // The functions below read each row again under its lock, because another server may have
    // handled it.

    // Each function returns true if it found at least a chunk, including items that other servers
    // handle.

    private mutating func handleAlerts() throws -> Bool {
        let now = transaction.now
        let due = try transaction.dueAlerts(at: now, limit: candidates)
        for candidate in try lockChunk(of: due, person: \.userID) {
            guard
                let alert = try transaction.dueAlert(
                    candidate.id, of: candidate.userID, at: now)
            else { continue }
            let failure = try transaction.isolated {
                try network.dueAlerts.escalate(alert, in: transaction, &report)
            }
            if let failure {
                report.note(failure, of: .alert)
                try transaction.postponeAlert(
                    alert, until: now.adding(DeadlineMonitor.postponement))
            }
        }
        return due.count >= DeadlineMonitor.chunk
    }

    private mutating func handleCalls() throws -> Bool {
        // Leaves the calls to a server that can call.
        guard network.options.isVoiceAvailable else { return false }
        let now = transaction.now
        let due = try transaction.alertsWithDueCalls(
            at: now, limit: candidates)
        for candidate in try lockChunk(of: due, person: \.userID) {
            guard var alert = try transaction.alert(candidate.id, of: candidate.userID),
                let due = alert.nextCallAt, due <= now
            else { continue }
            let failure = try transaction.isolated {
                try network.climbing.startCalls(about: &alert, in: transaction)
            }
            if let failure {
                report.note(failure, of: .calls)
                alert.nextCallAt = now.adding(DeadlineMonitor.postponement)
                try transaction.saveNextCall(of: alert)
            } else {
                report.calls += 1
            }
        }
        return due.count >= DeadlineMonitor.chunk
    }

    private mutating func handleSchedules(areAlarms: Bool) throws -> Bool {
        let isShared = network.database.isShared
        let size = isShared ? DeadlineMonitor.sharedSchedules : DeadlineMonitor.chunk
        let due = try transaction.dueUsers(
            isAlarm: areAlarms, at: transaction.now, limit: candidates(ofChunksOf: size))
        let people = try lockChunk(of: due, size: size, person: \.self)
        // Many people would stay locked for long while the failing row is searched.
        if people.count > DeadlineMonitor.chunk, try attempt(people) != nil {
            try handle(people.prefix(DeadlineMonitor.chunk))
            return true
        }
        if people.count <= DeadlineMonitor.chunk { try handle(people[...]) }
        return due.count >= size
    }

    /// Handles these people together, which needs fewer statements. If that fails, handles each
    /// half on its own, down to the person whose row fails.
    private mutating func handle(_ people: ArraySlice<UserID>) throws {
        guard let failure = try attempt(Array(people)) else { return }
        if people.count == 1, let user = people.first {
            report.note(failure, of: .schedule)
            return try transaction.postponeSchedule(
                of: user, until: transaction.now.adding(DeadlineMonitor.postponement))
        }
        let middle = people.startIndex + people.count / 2
        try handle(people[..<middle])
        try handle(people[middle...])
    }

    /// Handles these people together. Returns the error if the work was rolled back.
    private mutating func attempt(_ people: [UserID]) throws -> (any Error)? {
        guard !people.isEmpty else { return nil }
        var own = report
        let failure = try transaction.isolated {
            try network.dueCheckIns.handleDue(people, in: transaction, &own)
        }
        if failure == nil { report = own }
        return failure
    }

    private mutating func handleJourneys(areAlarms: Bool) throws -> Bool {
        let now = transaction.now
        let due = try transaction.dueJourneys(areAlarms: areAlarms, at: now, limit: candidates)
        for user in try lockChunk(of: due, person: \.self) {
            var own = report
            let failure = try transaction.isolated {
                try network.dueJourneys.handleDue(user, in: transaction, &own)
            }
            if let failure {
                report.note(failure, of: .journey)
                try transaction.postponeJourney(
                    of: user, until: now.adding(DeadlineMonitor.postponement))
            } else {
                report = own
            }
        }
        return due.count >= DeadlineMonitor.chunk
    }

    private mutating func handlePings() throws -> Bool {
        let now = transaction.now
        let due = try transaction.expiredPings(at: now, limit: candidates)
        for candidate in try lockChunk(of: due, person: \.dependentID) {
            guard let ping = try transaction.ping(candidate.id, from: candidate.responderID),
                ping.state == .pending
            else { continue }
            let failure = try transaction.isolated {
                try network.pings.expire(ping, in: transaction)
            }
            if let failure {
                report.note(failure, of: .ping)
                try transaction.postponePing(ping, until: now.adding(DeadlineMonitor.postponement))
            } else {
                report.expiredPings += 1
            }
        }
        return due.count >= DeadlineMonitor.chunk
    }
}

extension DeadlineMonitor.Pass {
    private var candidates: Int { candidates(ofChunksOf: DeadlineMonitor.chunk) }

    /// The due rows that a pass reads. Other servers may have locked some of them.
    private func candidates(ofChunksOf size: Int) -> Int {
        network.database.isShared ? size * DeadlineMonitor.sharedCandidates : size
    }

    private mutating func handleDrills() throws -> Bool {
        let now = transaction.now
        let due = try transaction.dueDrills(at: now, limit: candidates)
        for owner in try lockChunk(of: due, person: \.self) {
            let failure = try transaction.isolated {
                try network.drills.continueDrill(of: owner, in: transaction)
            }
            if let failure {
                report.note(failure, of: .drill)
                try transaction.saveNextDue(
                    ofDrillOf: owner, now.adding(DeadlineMonitor.postponement))
            } else {
                report.drills += 1
            }
        }
        return due.count >= DeadlineMonitor.chunk
    }
}
