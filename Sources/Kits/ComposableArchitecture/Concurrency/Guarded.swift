import Foundation

/// A value protected by a lock, like the standard library's `Mutex`.
///
/// On Linux, `Mutex` waits with a system call that Thread Sanitizer doesn't know. Thread Sanitizer
/// would therefore report each guarded access as a race. It knows `NSLock`.
///
/// Unchecked because the compiler can't see that `value` is used only under the lock.
final class Guarded<Value>: @unchecked Sendable {
    private let lock = NSLock()
    private var value: Value

    init(_ value: sending Value) {
        self.value = value
    }

    /// Accesses the value under the lock. Must not be called recursively.
    func withLock<R>(_ body: (inout Value) throws -> R) rethrows -> R {
        try self.lock.withLock { try body(&self.value) }
    }
}
