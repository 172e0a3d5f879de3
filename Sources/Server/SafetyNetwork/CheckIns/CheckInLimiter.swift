import Domain
import Foundation
import Persistence
import Synchronization

/// Counts the check-ins that a rate limit may refuse (product.md, "Check-in"). The counts stay in
/// memory, so that a refused check-in costs no write. A restart forgets at most an hour's counts.
final class CheckInLimiter: Sendable {
    private struct State {
        var taken: [UserID: [Date]] = [:]
        /// The newest check-in of each user who exceeds a request limit, including check-ins in
        /// progress.
        var last: [UserID: Date] = [:]
    }

    /// One request's check-in. It counts once, even if its transaction is retried.
    final class Request: Sendable {
        fileprivate let isCounted = Atomic(false)
    }

    /// Above this number of users, those without a check-in in the last hour are removed.
    private static let sweepAt = 10_000

    private let perHour: Int
    private let state = Mutex(State())

    init(perHour: Int) { self.perHour = perHour }

    /// Throws `rateLimited` for a check-in that exceeds the limit and isn't exempt.
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
                // Only the newest `perHour` check-ins can cause a wait.
                state.taken[user] = state.taken[user, default: []].suffix(perHour - 1) + [now]
                request.isCounted.store(true, ordering: .releasing)
            }
            return wait
        }
        if let wait { throw .rateLimited(retryAfter: wait) }
    }

    // MARK: Over a request limit

    /// Returns true if this check-in may be exempt. Doesn't query the database.
    func mayBeExempt(_ moment: Date, of user: UserID, at now: Date) -> Bool {
        state.withLock { CheckInLimits.isExempt(moment, after: $0.last[user], at: now) }
    }

    /// Returns true if this check-in is exempt. The user's next check-in must then be newer to be
    /// exempt.
    func claim(_ moment: Date, after last: Date?, of user: UserID, at now: Date) -> Bool {
        state.withLock { state in
            if state.last.count > Self.sweepAt { state.last = [:] }
            let newest = [state.last[user], last].compactMap(\.self).max()
            let isExempt = CheckInLimits.isExempt(moment, after: newest, at: now)
            state.last[user] = isExempt ? moment : newest
            return isExempt
        }
    }

    func giveBack(_ moment: Date, of user: UserID) {
        state.withLock { if $0.last[user] == moment { $0.last[user] = nil } }
    }
}
