import Foundation
import Synchronization

/// A place where threads wait for each other.
final class Meeting: Sendable {
    private let condition = NSCondition()
    private let missing: Mutex<Int>

    init(of count: Int) { missing = Mutex(count) }

    func arrive() {
        condition.lock()
        defer { condition.unlock() }
        missing.withLock { $0 -= 1 }
        condition.broadcast()
        while missing.withLock({ $0 > 0 }) { condition.wait() }
    }
}
