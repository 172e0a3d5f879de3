import Domain
import Persistence
import Synchronization

/// Keeps exports from being a burden: one at a time for a user, and of all exports one page at a
/// time. Who reads slowly holds up nobody, because the page's turn ends before it is sent.
final class ExportLimiter: Sendable {
    /// A refused user may ask again after this.
    static let pause: Duration = .seconds(10)

    let pages = Turns(1)
    private let users = Mutex<Set<UserID>>([])

    /// Throws `rateLimited` while another export of this user is under way.
    func begin(for user: UserID) throws(CommandError) -> Ticket {
        guard users.withLock({ $0.insert(user).inserted }) else {
            throw .rateLimited(retryAfter: Self.pause)
        }
        return Ticket(limiter: self, user: user)
    }

    /// Ends at the latest with the last one who holds it, whether or not the export was ever
    /// written.
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
