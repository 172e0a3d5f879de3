import Foundation

/// A value under a lock, as the standard library's `Mutex` is.
///
/// `Mutex` on Linux waits by a system call that Thread Sanitizer does not know, which then takes
/// each guarded access for a race. It knows this one.
///
/// Unchecked because the compiler cannot see that `value` is used under the lock only.
final class Guarded<Value>: @unchecked Sendable {
    private let lock = NSLock()
    private var value: Value

    init(_ value: sending Value) {
        self.value = value
    }

    /// Reads or changes the value. Not to be called from within itself.
    func withLock<R>(_ body: (inout Value) throws -> R) rethrows -> R {
        try self.lock.withLock { try body(&self.value) }
    }
}
