import Domain
import Foundation
import Persistence
import Synchronization

/// Copies changed people to Firestore, always in their newest state. Keeps no state that a crash
/// could lose: the rows of `firestore_changes` say who is left.
public final class FirestoreWorker: Sendable {
    /// How long a person belongs to this server. A commit starts only if it can end in this time.
    static let lease: Duration = .minutes(2)
    /// The time limit of one commit: two tries of 15 s, with two requests of 10 s for tokens, are
    /// less.
    static let longestCommit: Duration = .minutes(1)
    static let people = 64
    static let peopleAtOnce = 8
    static let longestPause = CopyChange.longestRetryDelay
    /// The longest back-off that Google can ask for.
    static let longestWish: Duration = .hours(1)
    static let pauseBetweenCounts: Duration = .seconds(5)
    /// A warning begins after this time without a successful request, or when a change has waited
    /// for `longestWait`.
    static let patience: Duration = .minutes(1)
    static let longestWait: Duration = .minutes(5)

    public enum Report: Equatable, Sendable {
        case copied
        case failed(DeliveryReason)
    }

    private struct State {
        var hasReleased = false
        /// The consecutive failures of the service.
        var failures = 0
        var failingSince: Date?
        var pausedUntil: Date?
        var lastReason: DeliveryReason?
        var backlog = CopyBacklog()
        var countedAt: Date?
        var countPause = FirestoreWorker.pauseBetweenCounts
        /// Where the list of all documents continues after a failure.
        var listToken: String?
    }

    private let database: any DatabaseEngine
    private let client: FirestoreClient
    private let documents: FirestoreDocuments
    private let peopleAtOnce: Int
    private let makeLease: @Sendable () -> Int64
    private let report: @Sendable (Report) -> Void
    private let state = Mutex(State())

    /// - Parameters:
    ///   - pictureURL: returns the server's own address of a picture.
    ///   - peopleAtOnce: how many people are copied at the same time; nil for the usual number.
    ///   - makeLease: returns a random number.
    ///   - report: called after each copy and each failure.
    public init(
        database: any DatabaseEngine, client: FirestoreClient,
        pictureURL: @escaping @Sendable (PictureID) -> URL, peopleAtOnce: Int? = nil,
        makeLease: @escaping @Sendable () -> Int64,
        report: @escaping @Sendable (Report) -> Void = { _ in }
    ) {
        self.database = database
        self.client = client
        self.peopleAtOnce = peopleAtOnce ?? Self.peopleAtOnce
        documents = FirestoreDocuments(root: client.root, pictureURL: pictureURL)
        self.makeLease = makeLease
        self.report = report
    }

    // MARK: Passes

    /// Copies the people who are due. Returns when to continue; nil if nothing is due.
    public func work() async throws -> Date? {
        try await count()
        if let end = pause { return end }
        try await releaseLeases()
        guard try await fill() else { return pause }
        // A single request finds out whether a failing service works again.
        let limit = state.withLock { $0.failures > 0 } ? 1 : Self.people
        let lease = makeLease()
        let end = database.now().adding(Self.lease)
        let changes = try await database.write(about: .none) {
            try $0.leaseCopyChanges(lease, for: Self.lease, limit: limit)
        }
        guard !changes.isEmpty else { return nil }
        let outcomes = await copy(changes, until: end)
        try await database.write(about: .none) { try $0.settleCopyChanges(outcomes) }
        if let end = pause { return end }
        return changes.count == limit ? database.now() : nil
    }

    private typealias Settled = (change: CopyChange, outcome: CopyOutcome)

    private func copy(_ changes: [CopyChange], until end: Date) async -> [Settled] {
        let untried = changes.map { (change: $0, outcome: CopyOutcome.untried) }
        let found: [UserID: FirestoreDocument]
        do {
            found = try await users(changes.map(\.user), until: end)
        } catch let failure as FirestoreFailure {
            _ = note(failure, attempts: 0)
            return untried
        } catch {
            return untried
        }
        return await withTaskGroup(of: Settled.self) { group in
            var outcomes: [Settled] = []
            for (index, change) in changes.enumerated() {
                if index >= peopleAtOnce, let outcome = await group.next() {
                    outcomes.append(outcome)
                }
                let document = found[change.user]
                group.addTask { [self] in
                    (change, await copy(change, over: document, until: end))
                }
            }
            for await outcome in group { outcomes.append(outcome) }
            return outcomes
        }
    }

    /// Returns the documents of these people. Creates those of new people in one commit.
    private func users(
        _ people: [UserID], until end: Date
    ) async throws -> [UserID: FirestoreDocument] {
        let found = try await client.users(people)
        let missing = people.filter { found[$0] == nil }
        guard !missing.isEmpty else { return found }
        let new = try await database.read { connection in
            try missing.filter { try connection.copiedPerson($0) != nil }
        }
        guard !new.isEmpty, hasTime(until: end) else { return found }
        do {
            try await client.commit(new.map { documents.creation(of: $0) })
        } catch let failure as FirestoreFailure where !failure.isOfService {
            // Someone's document exists meanwhile. Each person's copy creates the missing ones.
        }
        return found.merging(try await client.users(new)) { $1 }
    }

    private func hasTime(until end: Date) -> Bool {
        database.now().adding(Self.longestCommit) <= end
    }

    private func copy(
        _ change: CopyChange, over document: FirestoreDocument?, until end: Date
    ) async -> CopyOutcome {
        guard pause == nil else { return .untried }
        var document = document
        do {
            while true {
                let alerts = try await client.alerts(of: change.user)
                let copy = FirestoreCopy(user: document, alerts: alerts)
                // Read after the copy. So a server that has an older state of the person also has
                // an older time of the document, and its commit fails.
                let person = try await database.read { try $0.copiedPerson(change.user) }
                guard
                    let commit = documents.commit(
                        of: change.user, person, over: copy, number: change.number)
                else { break }
                guard hasTime(until: end) else { return .untried }
                try await client.commit(commit.writes)
                if commit.isLast { break }
                document = try await client.users([change.user])[change.user]
            }
            noteSuccess()
            report(.copied)
            return .copied
        } catch let failure as FirestoreFailure {
            return note(failure, attempts: change.attempts)
        } catch {
            // The database failed, or the server stops.
            return .untried
        }
    }

    /// With SQLite, no other server can hold a lease, so the leases are those of a process that
    /// died.
    private func releaseLeases() async throws {
        guard !database.isShared, !state.withLock({ $0.hasReleased }) else { return }
        try await database.write(about: .none) { try $0.releaseCopyLeases() }
        state.withLock { $0.hasReleased = true }
    }

    // MARK: The first copy

    private static let peopleInPage = 100

    /// Notes everyone, and documents without a person, unless that was done for this project.
    /// Returns false if Google can't be asked.
    private func fill() async throws -> Bool {
        let project = Self.number(of: client.root)
        guard try await database.read({ try $0.filledCopies() }) != project else { return true }
        do {
            var page: FirestoreClient.Page
            repeat {
                let token = state.withLock { $0.listToken }
                page = try await client.users(after: token)
                let people = page.documents.compactMap(\.userID)
                try await database.write(about: .none) { transaction in
                    let copied = try transaction.copied(among: people)
                    try transaction.saveCopyChanges(of: Set(people).subtracting(copied))
                }
                guard page.next == nil || page.next != token else {
                    throw FirestoreFailure(reason: .http(502))
                }
                let next = page.next
                state.withLock { $0.listToken = next }
            } while page.next != nil
        } catch let failure as FirestoreFailure {
            // Google may refuse an old token.
            if failure.reason == .credentials(400) { state.withLock { $0.listToken = nil } }
            _ = note(failure, attempts: 0)
            return false
        }
        var last: UserID?
        repeat {
            last = try await database.write(about: .none) { [last] in
                try $0.fillCopyChanges(after: last, limit: Self.peopleInPage)
            }
        } while last != nil
        try await database.write(about: .none) { try $0.noteCopiesFilled(project) }
        return true
    }

    /// Returns a hash (FNV-1a), because Swift's own hashes differ between servers.
    private static func number(of text: String) -> Int64 {
        Int64(
            bitPattern: text.utf8.reduce(UInt64(0xcbf2_9ce4_8422_2325)) {
                ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01b3
            })
    }

    // MARK: Failures

    /// The end of the pause after a failure of the service; nil without a pause.
    private var pause: Date? {
        let now = database.now()
        return state.withLock { state in
            guard let end = state.pausedUntil, now < end else { return nil }
            // After a correction of the clock, an old pause would be too long.
            return end.since(now) > Self.longestWish ? nil : end
        }
    }

    private func noteSuccess() {
        let isPaused = pause != nil
        state.withLock { state in
            // During a pause, only requests succeed that were sent before it.
            guard !isPaused else { return }
            state.failures = 0
            state.failingSince = nil
            state.pausedUntil = nil
            state.lastReason = nil
        }
    }

    private func note(_ failure: FirestoreFailure, attempts: Int) -> CopyOutcome {
        report(.failed(failure.reason))
        let now = database.now()
        guard failure.isOfService else {
            // The service has answered.
            noteSuccess()
            state.withLock { $0.lastReason = failure.reason }
            return .failed(until: now.adding(Self.backOff(after: attempts)))
        }
        let isPaused = pause != nil
        state.withLock { state in
            // Requests that failed together are one failure.
            if !isPaused { state.failures += 1 }
            let pause = max(
                Self.backOff(after: state.failures - 1), min(failure.pause, Self.longestWish))
            state.pausedUntil = max(
                now.adding(pause), isPaused ? state.pausedUntil ?? now : now)
            state.failingSince = state.failingSince ?? now
            state.lastReason = failure.reason
        }
        return .untried
    }

    /// Returns one second, doubled with each failure up to five minutes.
    static func backOff(after failures: Int) -> Duration {
        min(Duration.seconds(1) * (1 << min(max(failures, 0), 10)), longestPause)
    }

    // MARK: The lag

    private func count() async throws {
        let now = database.now()
        let (last, pause) = state.withLock { ($0.countedAt, $0.countPause) }
        if let last, now >= last, now.since(last) < pause { return }
        let backlog = try await database.read { try $0.copyBacklog() }
        // With a million people waiting, a count reads a million rows.
        let time = database.now().since(now)
        state.withLock { state in
            state.backlog = backlog
            state.countedAt = now
            state.countPause = min(max(Self.pauseBetweenCounts, time * 50), .minutes(1))
        }
    }

    public var backlog: CopyBacklog { state.withLock { $0.backlog } }

    /// A text for the operator; nil if the copy is current.
    public var warning: String? {
        let now = database.now()
        let (backlog, since, reason) = state.withLock {
            ($0.backlog, $0.failingSince, $0.lastReason)
        }
        let isFailing = since.map { now.since($0) >= Self.patience } ?? false
        let isLate = backlog.oldest.map { now.since($0) >= Self.longestWait } ?? false
        guard isFailing || isLate else { return nil }
        return Self.words(backlog, reason: reason)
    }

    public static func words(_ backlog: CopyBacklog, reason: DeliveryReason? = nil) -> String {
        let why = reason.map { " (\($0))" } ?? ""
        guard let oldest = backlog.oldest else { return "Firestore refuses the copy\(why)" }
        let people = backlog.people == 1 ? "1 person waits" : "\(backlog.people) people wait"
        return "Firestore's copy is late: \(people) since \(Timestamp.text(oldest))\(why)"
    }
}
