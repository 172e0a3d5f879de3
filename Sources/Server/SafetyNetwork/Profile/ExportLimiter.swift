import Domain
import Persistence
import Synchronization

/// Limits the load of exports: one export at a time per user, and besides it one by an
/// administrator, and one page at a time for all users. A page's turn ends before the page is sent,
/// so a slow reader doesn't delay other exports.
final class ExportLimiter: Sendable {
    /// The wait after a refusal.
    static let pause: Duration = .seconds(10)

    let pages = Turns(1)
    private let running = Mutex<Set<Subject>>([])

    fileprivate struct Subject: Hashable {
        var user: UserID
        var isByAdministrator: Bool
    }

    /// Throws `rateLimited` while another export of this user is in progress. The user's own export
    /// doesn't stop an administrator's.
    func begin(
        for user: UserID, byAdministrator: Bool = false
    ) throws(CommandError) -> Ticket {
        let subject = Subject(user: user, isByAdministrator: byAdministrator)
        guard running.withLock({ $0.insert(subject).inserted }) else {
            throw .rateLimited(retryAfter: Self.pause)
        }
        return Ticket(limiter: self, subject: subject)
    }

    /// Marks an export as in progress. Releasing the last reference ends the export, even if it
    /// wasn't written.
    final class Ticket: Sendable {
        private let limiter: ExportLimiter
        private let subject: Subject
        private let isOver = Mutex(false)

        fileprivate init(limiter: ExportLimiter, subject: Subject) {
            self.limiter = limiter
            self.subject = subject
        }

        func end() {
            let isFirst = isOver.withLock { isOver in
                defer { isOver = true }
                return !isOver
            }
            if isFirst { limiter.running.withLock { _ = $0.remove(subject) } }
        }

        deinit { end() }
    }
}
