import Foundation
import IssueReporting
import Synchronization

extension DependencyValues {
    /// Generates UUIDs: `@Dependency(\.uuid) var uuid` and `uuid()`.
    ///
    /// Reports an issue in a test until it is set: `$0.uuid = .incrementing`.
    public var uuid: UUIDGenerator {
        get { self[UUIDGeneratorKey.self] }
        set { self[UUIDGeneratorKey.self] = newValue }
    }

    private enum UUIDGeneratorKey: DependencyKey {
        static var liveValue: UUIDGenerator { UUIDGenerator { .makeVersion4() } }
        static var testValue: UUIDGenerator {
            UUIDGenerator {
                reportIssue(#"Unimplemented: @Dependency(\.uuid)"#)
                return .makeVersion4()
            }
        }
    }
}

public struct UUIDGenerator: Sendable {
    private let generate: @Sendable () -> UUID

    public init(_ generate: @escaping @Sendable () -> UUID) {
        self.generate = generate
    }

    public static func constant(_ uuid: UUID) -> Self {
        Self { uuid }
    }

    /// A new generator that counts from `00000000-0000-0000-0000-000000000000`.
    public static var incrementing: Self {
        let counter = Counter()
        return Self { UUID(counter.next()) }
    }

    public func callAsFunction() -> UUID {
        self.generate()
    }

    private final class Counter: Sendable {
        private let count = Atomic<Int>(0)

        func next() -> Int {
            self.count.wrappingAdd(1, ordering: .relaxed).oldValue
        }
    }
}

extension UUID {
    /// Creates a random UUID, version 4 of RFC 9562.
    ///
    /// Replaces Foundation's `UUID()`. On Linux, `UUID()` returns the same UUID each time while the
    /// process lacks a free file descriptor.
    static func makeVersion4() -> UUID {
        var system = SystemRandomNumberGenerator()
        let high = system.next() & ~0xF000 | 0x4000
        let low = system.next() & ~(0b11 << 62) | 0b10 << 62
        return withUnsafeBytes(of: (high.bigEndian, low.bigEndian)) {
            UUID(uuid: $0.loadUnaligned(as: uuid_t.self))
        }
    }

    /// Creates a UUID with a number as its last twelve hexadecimal digits, for tests.
    ///
    /// - Parameter intValue: From 0 to 2⁴⁸ - 1. Higher bits are ignored.
    public init(_ intValue: Int) {
        let number = UInt64(truncatingIfNeeded: intValue)
        let byte = { (index: UInt64) in UInt8(truncatingIfNeeded: number >> (index * 8)) }
        self.init(
            uuid: (
                0, 0, 0, 0, 0, 0, 0, 0, 0, 0, byte(5), byte(4), byte(3), byte(2), byte(1), byte(0)
            ))
    }
}
