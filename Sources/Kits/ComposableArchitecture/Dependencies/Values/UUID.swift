import Foundation
import IssueReporting
import Synchronization

extension DependencyValues {
    /// Makes new UUIDs: `@Dependency(\.uuid) var uuid` and `uuid()`.
    ///
    /// Reports an issue in a test until it is set: `$0.uuid = .incrementing`.
    public var uuid: UUIDGenerator {
        get { self[UUIDGeneratorKey.self] }
        set { self[UUIDGeneratorKey.self] = newValue }
    }

    private enum UUIDGeneratorKey: DependencyKey {
        static var liveValue: UUIDGenerator { UUIDGenerator { UUID() } }
        static var testValue: UUIDGenerator {
            UUIDGenerator {
                reportIssue(#"Unimplemented: @Dependency(\.uuid)"#)
                return UUID()
            }
        }
    }
}

/// Makes UUIDs.
public struct UUIDGenerator: Sendable {
    private let generate: @Sendable () -> UUID

    /// A generator that asks a closure for each UUID.
    public init(_ generate: @escaping @Sendable () -> UUID) {
        self.generate = generate
    }

    /// A generator that always gives the same UUID.
    public static func constant(_ uuid: UUID) -> Self {
        Self { uuid }
    }

    /// A new generator that counts: `00000000-0000-0000-0000-000000000000`, `…000000000001`, and so
    /// on.
    public static var incrementing: Self {
        let counter = Counter()
        return Self { UUID(counter.next()) }
    }

    /// A new UUID.
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
    /// The UUID whose last twelve digits are a number in hexadecimal, as the incrementing generator
    /// makes them.
    ///
    /// - Parameter intValue: From 0 to 2⁴⁸ - 1; of others the lowest 48 bits count.
    public init(_ intValue: Int) {
        let number = UInt64(truncatingIfNeeded: intValue)
        let byte = { (index: UInt64) in UInt8(truncatingIfNeeded: number >> (index * 8)) }
        self.init(
            uuid: (
                0, 0, 0, 0, 0, 0, 0, 0, 0, 0, byte(5), byte(4), byte(3), byte(2), byte(1), byte(0)
            ))
    }
}
