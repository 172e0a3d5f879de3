import Domain
import Foundation
import Persistence
import Synchronization

/// Counts the check-ins that rate limits may refuse (product.md, "Check-in"). The counts are only
/// in memory, so that a refused check-in writes nothing to the database. A restart forgets at most
/// the counts of an hour.
final class CheckInLimiter: Sendable {
    private struct State {
        var taken: [UserID: [Date]] = [:]
        /// The moment of the newest check-in of each user who is over a request limit. Check-ins in
        /// progress are included.
        var last: [UserID: Date] = [:]
    }

    /// One request's check-in, which counts once even if its transaction is retried.
    final class Request: Sendable {
        fileprivate let isCounted = Atomic(false)
    }

    /// The number of users above which those without a check-in in the last hour are removed.
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
                // Only the newest `perHour` check-ins are kept, because earlier ones never cause a
                // wait.
                state.taken[user] = state.taken[user, default: []].suffix(perHour - 1) + [now]
                request.isCounted.store(true, ordering: .releasing)
            }
            return wait
        }
        if let wait { throw .rateLimited(retryAfter: wait) }
    }

    // MARK: Over a request limit

    /// Returns true if a check-in at this moment may be exempt. Doesn't query the database.
    func mayBeExempt(_ moment: Date, of user: UserID, at now: Date) -> Bool {
        state.withLock { CheckInLimits.isExempt(moment, after: $0.last[user], at: now) }
    }

    /// Returns true if a check-in at this moment is exempt. If it is, the user's next exempt
    /// check-in must be newer.
    func claim(_ moment: Date, after last: Date?, of user: UserID, at now: Date) -> Bool {
        state.withLock { state in
            if state.last.count > Self.sweepAt { state.last = [:] }
            let newest = [state.last[user], last].compactMap(\.self).max()
            let isExempt = CheckInLimits.isExempt(moment, after: newest, at: now)
            state.last[user] = isExempt ? moment : newest
            return isExempt
        }
    }

    /// Releases a claimed moment whose check-in wasn't stored.
    func giveBack(_ moment: Date, of user: UserID) {
        state.withLock { if $0.last[user] == moment { $0.last[user] = nil } }
    }
}
