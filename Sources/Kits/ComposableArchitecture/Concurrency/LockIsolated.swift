import Foundation

/// A value protected by a lock, for a value that a test's closures write and the test reads.
///
/// Unchecked because the compiler can't see that the lock protects every use of `storage`.
@dynamicMemberLookup
public final class LockIsolated<Value>: @unchecked Sendable {
    private var storage: Value
    private let lock = NSRecursiveLock()

    public init(_ value: @autoclosure @Sendable () throws -> Value) rethrows {
        self.storage = try value()
    }

    public subscript<Subject: Sendable>(dynamicMember keyPath: KeyPath<Value, Subject>) -> Subject {
        self.lock.withLock { self.storage[keyPath: keyPath] }
    }

    public func withValue<R: Sendable>(
        _ operation: @Sendable (inout Value) throws -> R
    ) rethrows -> R {
        try self.lock.withLock { try operation(&self.storage) }
    }

    public func setValue(_ newValue: @autoclosure @Sendable () throws -> Value) rethrows {
        try self.lock.withLock { self.storage = try newValue() }
    }
}

extension LockIsolated where Value: Sendable {
    public var value: Value {
        self.lock.withLock { self.storage }
    }

    public func setValue(_ newValue: Value) {
        self.lock.withLock { self.storage = newValue }
    }
}

extension LockIsolated: Equatable where Value: Equatable {
    public static func == (lhs: LockIsolated, rhs: LockIsolated) -> Bool {
        // Locks one value at a time. Two comparisons in opposite order therefore can't deadlock.
        lhs === rhs || lhs.copy == rhs.copy
    }

    private var copy: Value {
        self.lock.withLock { self.storage }
    }
}
