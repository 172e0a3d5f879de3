import Domain
import Foundation
import Synchronization

/// A server's first writes, which resume the work of the previous server. Background loops wait for
/// these writes, so no deadline is handled and nothing is delivered before them. On a full disk the
/// writes are retried, while the server answers requests that only read and rejects the others.
final class StartWork: Sendable {
    private let work: @Sendable () async throws -> Void
    private let done = Mutex(false)

    /// - Parameter work: is called again if it threw.
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
