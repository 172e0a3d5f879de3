import Foundation
import Synchronization

/// A place where threads wait for each other.
final class Meeting: Sendable {
    private let condition = NSCondition()
    private let missing: Mutex<Int>

    init(of count: Int) { missing = Mutex(count) }

    /// Throws `NobodyCame` when the others do not arrive in time.
    func arrive() throws {
        condition.lock()
        defer { condition.unlock() }
        missing.withLock { $0 -= 1 }
        condition.broadcast()
        let deadline = Date(timeIntervalSinceNow: NobodyCame.limit)
        while missing.withLock({ $0 > 0 }) {
            guard condition.wait(until: deadline) else { throw NobodyCame() }
        }
    }
}

/// A wait of a test that has taken too long.
struct NobodyCame: Error {
    /// In seconds; much more than a busy machine needs.
    static let limit: TimeInterval = 240
}

extension DispatchSemaphore {
    /// Throws `NobodyCame` when nobody signals in time.
    func waitInTime() throws {
        guard wait(timeout: .now() + NobodyCame.limit) == .success else { throw NobodyCame() }
    }
}

/// Returns when the condition is true. Throws `NobodyCame` when it does not become true in time.
func wait(until condition: () async throws -> Bool) async throws {
    let deadline = ContinuousClock.now + .seconds(NobodyCame.limit)
    while try await !condition() {
        guard .now < deadline else { throw NobodyCame() }
        await Task.yield()
    }
}
