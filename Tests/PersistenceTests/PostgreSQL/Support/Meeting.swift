import Foundation
import Synchronization

/// A barrier: threads wait for each other.
final class Meeting: Sendable {
    private let condition = NSCondition()
    private let missing: Mutex<Int>
    private let isCancelled = Mutex(false)

    init(of count: Int) { missing = Mutex(count) }

    /// Throws `NobodyCame` after the time limit, and once the meeting is cancelled.
    func arrive() throws {
        condition.lock()
        defer { condition.unlock() }
        missing.withLock { $0 -= 1 }
        condition.broadcast()
        let deadline = Date(timeIntervalSinceNow: NobodyCame.limit)
        while missing.withLock({ $0 > 0 }) {
            guard !isCancelled.withLock({ $0 }), condition.wait(until: deadline) else {
                throw NobodyCame()
            }
        }
    }

    /// Sends everyone home, because somebody can't come.
    func cancel() {
        condition.lock()
        defer { condition.unlock() }
        isCancelled.withLock { $0 = true }
        condition.broadcast()
    }
}

struct NobodyCame: Error {
    /// The time limit in seconds, longer than even a busy machine needs.
    static let limit: TimeInterval = 240
}

extension DispatchSemaphore {
    func waitInTime() throws {
        guard wait(timeout: .now() + NobodyCame.limit) == .success else { throw NobodyCame() }
    }
}

func wait(until condition: () async throws -> Bool) async throws {
    let deadline = ContinuousClock.now + .seconds(NobodyCame.limit)
    while try await !condition() {
        guard .now < deadline else { throw NobodyCame() }
        await Task.yield()
    }
}
