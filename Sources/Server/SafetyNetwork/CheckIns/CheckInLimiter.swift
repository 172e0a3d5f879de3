import Domain
import Foundation
import Persistence
import Synchronization

/// Counts the check-ins that limits may refuse (product.md, "Check-in"). It counts in memory: a
/// restart forgets at most an hour, and nothing is written for a check-in that is refused.
final class CheckInLimiter: Sendable {
    private struct State {
        var taken: [UserID: [Date]] = [:]
        /// Users who are over a request limit: their last check-in, or a newer one that is being
        /// taken.
        var last: [UserID: Date] = [:]
    }

    /// One request's check-in, which counts once however often its transaction runs.
    final class Request: Sendable {
        fileprivate let isCounted = Atomic(false)
    }

    /// The number of users above which those whose hour is over are forgotten.
    private static let sweepAt = 10_000

    private let perHour: Int
    private let state = Mutex(State())

    init(perHour: Int) { self.perHour = perHour }

    /// Throws `rateLimited` for a check-in that is neither exempt nor within the limit.
    func take(
        _ moment: Date, after last: Date?, by user: UserID, at now: Date, _ request: Request
    ) throws(CommandError) {
        guard perHour > 0, !CheckInLimits.isExempt(moment, after: last, at: now),
            !request.isCounted.load(ordering: .acquiring)
        else { return }
        let wait = state.withLock { state in
            if state.taken.count > Self.sweepAt {
                state.taken = state.taken.filter {
                    $0.value.last.map { now < $0.adding(CheckInLimits.window) } ?? false
                }
            }
            let wait = CheckInLimits.wait(
                after: state.taken[user, default: []], limit: perHour, at: now)
            if wait == nil {
                // Older ones than these can't make anybody wait.
                state.taken[user] = state.taken[user, default: []].suffix(perHour - 1) + [now]
                request.isCounted.store(true, ordering: .releasing)
            }
            return wait
        }
        if let wait { throw .rateLimited(retryAfter: wait) }
    }

    // MARK: Over a request limit

    /// True if a check-in of this moment may be exempt, without asking the database.
    func mayBeExempt(_ moment: Date, of user: UserID, at now: Date) -> Bool {
        state.withLock { CheckInLimits.isExempt(moment, after: $0.last[user], at: now) }
    }

    /// True if a check-in of this moment is exempt; from then on the next one has to be newer than
    /// it.
    func claim(_ moment: Date, after last: Date?, of user: UserID, at now: Date) -> Bool {
        state.withLock { state in
            if state.last.count > Self.sweepAt { state.last = [:] }
            let newest = [state.last[user], last].compactMap(\.self).max()
            let isExempt = CheckInLimits.isExempt(moment, after: newest, at: now)
            state.last[user] = isExempt ? moment : newest
            return isExempt
        }
    }

    /// The check-in of this moment was not stored after all.
    func giveBack(_ moment: Date, of user: UserID) {
        state.withLock { if $0.last[user] == moment { $0.last[user] = nil } }
    }
}

extension SafetyNetwork {
    /// Throws `rateLimited` when the user checks in too often. Inside the transaction that takes
    /// it.
    func limitCheckIn(
        at moment: Date, after last: Date?, of user: UserID, at now: Date,
        _ request: CheckInLimiter.Request
    ) throws(CommandError) {
        try checkInLimiter.take(moment, after: last, by: user, at: now, request)
    }

    /// A check-in from a user or an address over a request limit. It is taken when it is more than
    /// ten seconds newer than the last one, and else refused. A refusal costs no look-up: the last
    /// moment is kept in memory, so whoever asks a thousand times a second is looked up six times a
    /// minute.
    /// - Parameter refusal: what the request limit answers.
    public func checkIn(
        _ id: CheckInID, occurredAt: Date, by caller: Caller, unlessRefused refusal: CommandError
    ) async throws -> CheckInRecord {
        let (user, now) = (caller.userID, now())
        let moment = try CheckInRules.moment(
            occurredAt, receivedAt: now, clockGap: clock?.knownError ?? .zero)
        guard checkInLimiter.mayBeExempt(moment, of: user, at: now) else { throw refusal }
        let last = try await database.readUrgently { try $0.schedule(of: user)?.lastCheckIn }
        guard checkInLimiter.claim(moment, after: last, of: user, at: now) else { throw refusal }
        do {
            return try await checkIn(id, occurredAt: occurredAt, by: caller)
        } catch {
            checkInLimiter.giveBack(moment, of: user)
            throw error
        }
    }
}
