import Domain
import Persistence
import Synchronization

/// Limits the load of exports: one at a time per user, and one page at a time for all users. A
/// page's turn ends before the page is sent, so a slow reader doesn't delay other exports.
final class ExportLimiter: Sendable {
    /// The wait after a refusal.
    static let pause: Duration = .seconds(10)

    let pages = Turns(1)
    private let users = Mutex<Set<UserID>>([])

    /// Throws `rateLimited` while another export of this user is in progress.
    func begin(for user: UserID) throws(CommandError) -> Ticket {
        guard users.withLock({ $0.insert(user).inserted }) else {
            throw .rateLimited(retryAfter: Self.pause)
        }
        return Ticket(limiter: self, user: user)
    }

    /// Marks an export as in progress. Releasing the last reference ends the export, even if it
    /// wasn't written.
    final class Ticket: Sendable {
        private let limiter: ExportLimiter
        private let user: UserID
        private let isOver = Mutex(false)

        fileprivate init(limiter: ExportLimiter, user: UserID) {
            self.limiter = limiter
            self.user = user
        }

        func end() {
            let isFirst = isOver.withLock { isOver in
                defer { isOver = true }
                return !isOver
            }
            if isFirst { limiter.users.withLock { _ = $0.remove(user) } }
        }

        deinit { end() }
    }
}
