import Domain
import Foundation
import Synchronization

/// A server's first writes, which resume the previous server's work. Background loops wait for
/// these writes before they handle deadlines or deliver. On a full disk the writes are retried.
/// Meanwhile the server answers reads and rejects other requests.
final class StartWork: Sendable {
    private let work: @Sendable () async throws -> Void
    private let done = Mutex(false)

    /// - Parameter work: called until it succeeds.
    init(_ work: @escaping @Sendable () async throws -> Void) { self.work = work }

    var isDone: Bool { done.withLock { $0 } }

    /// Does the work unless it is done. Must not run concurrently.
    func finish() async throws {
        guard !isDone else { return }
        try await work()
        done.withLock { $0 = true }
    }

    /// Returns the work of a background loop, postponed until this work is done.
    func before(
        now: @escaping @Sendable () -> Date, _ later: @escaping @Sendable () async throws -> Date?
    ) -> @Sendable () async throws -> Date? {
        { [self] in isDone ? try await later() : now().adding(.seconds(1)) }
    }
}
