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
    private let onPass: @Sendable (Report) -> Void
    private let lastPass = Mutex<ContinuousClock.Instant?>(nil)
    private let lastFailure = Mutex<ContinuousClock.Instant?>(nil)

    public struct Report: Sendable {
        public var missed = 0
        public var reminders = 0
        public var repeatedAlerts = 0
        public var expiredPings = 0
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

        /// The number of rows of all kinds that the pass handled, without those that failed.
        var handled = 0
        /// True if more may be due than the transaction has handled.
        var hasMore = false
        /// True if the pass found only rows that other servers had locked.
        var isIdle: Bool { skipped > 0 && handled == 0 && failures.isEmpty }
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

    /// - Parameters:
    ///   - onPass: gets the report of each transaction.
    ///   - uptime: measures the time since the last pass.
    public init(
        _ network: SafetyNetwork, onPass: @escaping @Sendable (Report) -> Void = { _ in },
        uptime: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
    ) {
        self.network = network
        self.uptime = uptime
        self.onPass = onPass
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

    /// Handles all deadlines and reminders that are due.
    /// - Returns: when to call this again; nil if nothing will be due.
    @discardableResult
    public func handleDueDeadlines() async throws -> Date? {
        try await network.serverLife.prepareForDeadlines()
        var next = try await nextDue()
        var shares = 1
        while let due = next, due <= network.now() {
            let reports = try await handleDue(shares: shares)
            for report in reports { onPass(report) }
            if reports.contains(where: { !$0.failures.isEmpty }) {
                lastFailure.withLock { $0 = uptime() }
            }
            lastPass.withLock { $0 = uptime() }
            try await network.serverLife.prepareForDeadlines()
            guard reports.contains(where: { !$0.isIdle }) else {
                return network.now().adding(Self.pauseWhileOthersWork)
            }
            let hasMore = reports.contains(where: \.hasMore)
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

    /// Runs a step of the work on locked rows. A step that fails is rolled back, and what it
    /// reported is forgotten, because it runs again later.
    /// - Returns: the error of a step that failed.
    private mutating func attempt(
        rows: Int = 1, _ step: (inout DeadlineMonitor.Report) throws -> Void
    ) throws -> (any Error)? {
        var attempted = report
        let failure = try transaction.isolated { try step(&attempted) }
        guard failure == nil else { return failure }
        report = attempted
        report.handled += rows
        return nil
    }

    /// Handles each of these rows on its own, as far as other servers haven't locked its person. A
    /// row that fails is postponed. Returns true if it found at least a chunk, including rows that
    /// other servers handle.
    /// - Parameters:
    ///   - reread: reads the row again under its lock; nil if another server has handled it.
    ///   - postpone: saves when the monitor tries the row again.
    private mutating func handleEach<Candidate, Row>(
        _ due: [Candidate], _ kind: DeadlineMonitor.Failure.Kind, person: (Candidate) -> UserID,
        reread: (Candidate) throws -> Row?,
        step: (Row, inout DeadlineMonitor.Report) throws -> Void,
        postpone: (Row, Date) throws -> Void
    ) throws -> Bool {
        for candidate in try lockChunk(of: due, person: person) {
            guard let row = try reread(candidate) else { continue }
            guard let failure = try attempt({ report in try step(row, &report) }) else { continue }
            report.note(failure, of: kind)
            try postpone(row, transaction.now.adding(DeadlineMonitor.postponement))
        }
        return due.count >= DeadlineMonitor.chunk
    }

    private mutating func handleAlerts() throws -> Bool {
        let now = transaction.now
        let due = try transaction.dueAlerts(at: now, limit: candidates)
        return try handleEach(
            due, .alert, person: \.userID,
            reread: { [transaction] (alert: AlertRow) -> AlertRow? in
                try transaction.dueAlert(alert.id, of: alert.userID, at: now)
            },
            step: { [network, transaction] alert, report in
                try network.dueAlerts.escalate(alert, in: transaction, &report)
            },
            postpone: { [transaction] alert, time in
                try transaction.postponeAlert(alert, until: time)
            })
    }

    private mutating func handleCalls() throws -> Bool {
        // Leaves the calls to a server that can call.
        guard network.options.isVoiceAvailable else { return false }
        let now = transaction.now
        let due = try transaction.alertsWithDueCalls(at: now, limit: candidates)
        return try handleEach(
            due, .calls, person: \.userID,
            reread: { [transaction] (alert: AlertRow) -> AlertRow? in
                guard let row = try transaction.alert(alert.id, of: alert.userID),
                    let due = row.nextCallAt, due <= now
                else { return nil }
                return row
            },
            step: { [network, transaction] alert, _ in
                var alert = alert
                try network.climbing.startCalls(about: &alert, in: transaction)
            },
            postpone: { [transaction] alert, time in
                var alert = alert
                alert.nextCallAt = time
                try transaction.saveNextCall(of: alert)
            })
    }

    private mutating func handleSchedules(areAlarms: Bool) throws -> Bool {
        let isShared = network.database.isShared
        let size = isShared ? DeadlineMonitor.sharedSchedules : DeadlineMonitor.chunk
        let due = try transaction.dueUsers(
            isAlarm: areAlarms, at: transaction.now, limit: candidates(ofChunksOf: size))
        let people = try lockChunk(of: due, size: size, person: \.self)
        // Many people would stay locked for long while the failing row is searched.
        if people.count > DeadlineMonitor.chunk, try handleTogether(people) != nil {
            try handle(people.prefix(DeadlineMonitor.chunk))
            return true
        }
        if people.count <= DeadlineMonitor.chunk { try handle(people[...]) }
        return due.count >= size
    }

    /// Handles these people together, which needs fewer statements. If that fails, handles each
    /// half on its own, down to the person whose row fails.
    private mutating func handle(_ people: ArraySlice<UserID>) throws {
        guard let failure = try handleTogether(Array(people)) else { return }
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
    private mutating func handleTogether(_ people: [UserID]) throws -> (any Error)? {
        guard !people.isEmpty else { return nil }
        return try attempt(rows: people.count) { [network, transaction] report in
            try network.dueCheckIns.handleDue(people, in: transaction, &report)
        }
    }

    private mutating func handleJourneys(areAlarms: Bool) throws -> Bool {
        let due = try transaction.dueJourneys(
            areAlarms: areAlarms, at: transaction.now, limit: candidates)
        return try handleEach(
            due, .journey, person: \.self,
            // `handleDue` reads the row again.
            reread: { (user: UserID) -> UserID? in user },
            step: { [network, transaction] user, report in
                try network.dueJourneys.handleDue(user, in: transaction, &report)
            },
            postpone: { [transaction] user, time in
                try transaction.postponeJourney(of: user, until: time)
            })
    }

    private mutating func handlePings() throws -> Bool {
        let due = try transaction.expiredPings(at: transaction.now, limit: candidates)
        return try handleEach(
            due, .ping, person: \.dependentID,
            reread: { [transaction] (ping: PingRecord) -> PingRecord? in
                let row = try transaction.ping(ping.id, from: ping.responderID)
                return row?.state == .pending ? row : nil
            },
            step: { [network, transaction] ping, report in
                try network.pings.expire(ping, in: transaction)
                report.expiredPings += 1
            },
            postpone: { [transaction] ping, time in
                try transaction.postponePing(ping, until: time)
            })
    }

    private mutating func handleDrills() throws -> Bool {
        let due = try transaction.dueDrills(at: transaction.now, limit: candidates)
        return try handleEach(
            due, .drill, person: \.self,
            // `continueDrill` reads the row again.
            reread: { (owner: UserID) -> UserID? in owner },
            step: { [network, transaction] owner, _ in
                try network.drills.continueDrill(of: owner, in: transaction)
            },
            postpone: { [transaction] owner, time in
                try transaction.saveNextDue(ofDrillOf: owner, time)
            })
    }

    private var candidates: Int { candidates(ofChunksOf: DeadlineMonitor.chunk) }

    /// The due rows that a pass reads. Other servers may have locked some of them.
    private func candidates(ofChunksOf size: Int) -> Int {
        network.database.isShared ? size * DeadlineMonitor.sharedCandidates : size
    }
}
