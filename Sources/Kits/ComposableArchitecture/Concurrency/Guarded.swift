import Foundation

/// A value protected by a lock, like the standard library's `Mutex`.
///
/// Replaces `Mutex` because Thread Sanitizer doesn't know the system call of `Mutex` on Linux, and
/// would report false races. Thread Sanitizer knows `NSLock`.
///
/// Unchecked because the compiler can't see that the lock protects every use of `value`.
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
