import Domain
import Foundation
import Synchronization

/// One request to store a check-in.
struct CheckInRequest: Sendable {
    let id: CheckInID
    let occurredAt: Date
    /// When the device sent the check-in, by the device's clock.
    let sentAt: Date?
    let caller: Caller
    let count = CheckInLimiter.Request()

    var user: UserID { caller.userID }
}

/// Check-ins that arrive while others are being stored wait, and are then stored together. On
/// PostgreSQL, a group needs about as many statements as one check-in. Without other check-ins,
/// none waits.
final class CheckInGroups: Sendable {
    /// Stores requests of different people. Returns the result of each; nil for a request that must
    /// be stored alone.
    typealias Together =
        @Sendable ([CheckInRequest]) async -> [Result<CheckInRecord, any Error>?]
    typealias Alone = @Sendable (CheckInRequest) async throws -> CheckInRecord

    private struct Waiting {
        var request: CheckInRequest
        var answer: CheckedContinuation<CheckInRecord, any Error>
    }

    private struct State {
        /// True while a task stores one group after the other.
        var isWorking = false
        /// The number of tasks that store one group each, beside a slow one.
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
    }

    static let mostTogether = 64
    /// How long requests wait for a group before another group begins beside it. A group may wait
    /// for rows that an alert has locked. Without such waits, several groups at once would only be
    /// smaller.
    static let patience: Duration = .milliseconds(50)
    static let mostHelpers = 3

    private let state = Mutex(State())
    private let sleep: @Sendable (Duration) async -> Void

    /// - Parameter sleep: pauses a task; a parameter for tests.
    init(
        sleep: @escaping @Sendable (Duration) async -> Void = { try? await Task.sleep(for: $0) }
    ) {
        self.sleep = sleep
    }

    /// The number of requests that belong to no group yet.
    var waitingCount: Int { state.withLock { $0.waiting.count } }

    /// Stores a check-in, together with others that are waiting as well. Cancelling the task
    /// doesn't end the wait.
    func store(
        _ request: CheckInRequest, together: @escaping Together, alone: @escaping Alone
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

    /// Lets another group begin whenever no group has begun for `patience`.
    private func watch(_ together: @escaping Together, _ alone: @escaping Alone) async {
        var begun = state.withLock { $0.begun }
        while true {
            await sleep(Self.patience)
            let (isSlow, isDone) = state.withLock { state in
                defer { begun = state.begun }
                let isDone = state.waiting.isEmpty
                if isDone { state.isWatched = false }
                guard !isDone, state.begun == begun, state.helpers < Self.mostHelpers else {
                    return (false, isDone)
                }
                state.helpers += 1
                return (true, isDone)
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
        guard group.count > 1 else {
            for one in group { await Self.answer(one, alone) }
            return
        }
        let results = await together(group.map(\.request))
        for (one, result) in zip(group, results) {
            if let result {
                one.answer.resume(with: result)
            } else {
                // Such a request may wait for a lock. The next group doesn't wait for it.
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
