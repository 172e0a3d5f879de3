import Domain
import Foundation
import Synchronization

/// One check-in that must be stored.
struct PendingCheckIn: Sendable {
    let id: CheckInID
    let occurredAt: Date
    /// When the device sent the check-in, by the device's clock.
    let sentAt: Date?
    let caller: Caller
    let limiterEntry = CheckInLimiter.Request()

    var user: UserID { caller.userID }
}

/// Check-ins that arrive while others are being stored wait, and are then stored together, because
/// statements of PostgreSQL take lists. A check-in that arrives alone is stored at once.
final class CheckInGroups: Sendable {
    /// Stores requests of different people. Returns the result of each; nil for a request that must
    /// be stored alone.
    typealias Together =
        @Sendable ([PendingCheckIn]) async -> [Result<CheckInRecord, any Error>?]
    typealias Alone = @Sendable (PendingCheckIn) async throws -> CheckInRecord

    private struct Waiting {
        let since = ContinuousClock.now
        var request: PendingCheckIn
        var answer: CheckedContinuation<CheckInRecord, any Error>
    }

    private struct State {
        /// True while a task stores one group after the other.
        var isWorking = false
        /// The number of tasks that each store one group while another group is slow.
        var helpers = 0
        /// True while a task waits for `patience`.
        var isWatched = false
        /// The number of groups so far.
        var begun = 0
        var waiting: [Waiting] = []

        /// Removes the oldest request of each person.
        mutating func takeGroup() -> [Waiting] {
            begun += 1
            var (people, group, rest): (Set<UserID>, [Waiting], [Waiting]) = ([], [], [])
            for one in waiting {
                if group.count < mostTogether, people.insert(one.request.user).inserted {
                    group.append(one)
                } else {
                    rest.append(one)
                }
            }
            waiting = rest
            return group
        }

        mutating func takeLate(_ limit: Duration) -> [Waiting] {
            let end = ContinuousClock.now - limit
            let late = waiting.filter { $0.since <= end }
            waiting.removeAll { $0.since <= end }
            return late
        }
    }

    static let mostTogether = 64
    /// How long requests wait for a group before another group begins beside it. A group may wait
    /// for rows that an alert has locked. Otherwise one group at a time is faster, because groups
    /// are larger.
    static let patience: Duration = .milliseconds(50)
    static let mostHelpers = 3
    /// A request that has waited longer fails, as without a free connection.
    static let longestWait: Duration = .seconds(10)

    private let state = Mutex(State())
    private let longestWait: Duration
    private let sleep: @Sendable (Duration) async -> Void

    /// - Parameter sleep: pauses a task; a parameter for tests.
    init(
        longestWait: Duration = longestWait,
        sleep: @escaping @Sendable (Duration) async -> Void = { try? await Task.sleep(for: $0) }
    ) {
        self.longestWait = longestWait
        self.sleep = sleep
    }

    /// The number of requests that belong to no group yet.
    var waitingCount: Int { state.withLock { $0.waiting.count } }

    /// Stores a check-in, together with others that are waiting as well. Cancelling the task
    /// doesn't end the wait.
    func store(
        _ request: PendingCheckIn, together: @escaping Together, alone: @escaping Alone
    ) async throws -> CheckInRecord {
        try await withCheckedThrowingContinuation { continuation in
            let (isFirst, isUnwatched) = state.withLock { state in
                state.waiting.append(Waiting(request: request, answer: continuation))
                defer { state.isWorking = true }
                guard state.isWorking else { return (true, false) }
                defer { state.isWatched = true }
                return (false, !state.isWatched)
            }
            if isFirst { Task { await work(together, alone) } }
            if isUnwatched { Task { await watch(together, alone) } }
        }
    }

    private func work(_ together: Together, _ alone: @escaping Alone) async {
        while true {
            let group = state.withLock { state in
                let group = state.takeGroup()
                state.isWorking = !group.isEmpty
                return group
            }
            guard !group.isEmpty else { return }
            await store(group, together, alone)
        }
    }

    /// Lets another group begin whenever no group has begun for `patience`, and refuses requests
    /// that have waited too long.
    private func watch(_ together: @escaping Together, _ alone: @escaping Alone) async {
        var begun = state.withLock { $0.begun }
        while true {
            await sleep(Self.patience)
            let (late, isSlow, isDone) = state.withLock { state in
                defer { begun = state.begun }
                let late = state.takeLate(longestWait)
                let isDone = state.waiting.isEmpty
                if isDone { state.isWatched = false }
                let isSlow =
                    !isDone && state.begun == begun && state.helpers < Self.mostHelpers
                if isSlow { state.helpers += 1 }
                return (late, isSlow, isDone)
            }
            for one in late {
                one.answer.resume(
                    throwing: CommandError.unavailable(
                        "The server can't store your check-in now. Please try again."))
            }
            if isSlow { Task { await help(together, alone) } }
            if isDone { return }
        }
    }

    private func help(_ together: Together, _ alone: @escaping Alone) async {
        await store(state.withLock { $0.takeGroup() }, together, alone)
        state.withLock { $0.helpers -= 1 }
    }

    private func store(
        _ group: [Waiting], _ together: Together, _ alone: @escaping Alone
    ) async {
        guard !group.isEmpty else { return }
        let results = await together(group.map(\.request))
        for (one, result) in zip(group, results) {
            if let result {
                one.answer.resume(with: result)
            } else {
                // In a task of its own, because it may wait for a lock.
                Task { await Self.answer(one, alone) }
            }
        }
    }

    private static func answer(_ one: Waiting, _ alone: Alone) async {
        do {
            one.answer.resume(returning: try await alone(one.request))
        } catch {
            one.answer.resume(throwing: error)
        }
    }
}
