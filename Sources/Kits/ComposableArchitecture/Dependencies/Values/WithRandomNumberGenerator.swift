import Foundation
import IssueReporting

extension DependencyValues {
    /// Passes a random number generator to a closure:
    /// `withRandomNumberGenerator { Int.random(in: 1...6, using: &$0) }`.
    ///
    /// Reports an issue in a test until it is set to `WithRandomNumberGenerator(…)`.
    public var withRandomNumberGenerator: WithRandomNumberGenerator {
        get { self[WithRandomNumberGeneratorKey.self] }
        set { self[WithRandomNumberGeneratorKey.self] = newValue }
    }

    private enum WithRandomNumberGeneratorKey: DependencyKey {
        static var liveValue: WithRandomNumberGenerator {
            WithRandomNumberGenerator(SystemRandomNumberGenerator())
        }
        static var testValue: WithRandomNumberGenerator {
            WithRandomNumberGenerator(UnimplementedRandomNumberGenerator())
        }
    }
}

/// Passes a random number generator to one closure at a time.
///
/// Unchecked because the compiler can't see that the lock protects every use of `generator`.
public final class WithRandomNumberGenerator: @unchecked Sendable {
    private var generator: any RandomNumberGenerator & Sendable
    private let lock = NSRecursiveLock()

    public init(_ generator: some RandomNumberGenerator & Sendable) {
        self.generator = generator
    }

    public func callAsFunction<R>(
        _ work: (inout any RandomNumberGenerator & Sendable) -> R
    ) -> R {
        self.lock.withLock { work(&self.generator) }
    }
}

private struct UnimplementedRandomNumberGenerator: RandomNumberGenerator, Sendable {
    private var system = SystemRandomNumberGenerator()

    mutating func next() -> UInt64 {
        reportIssue(#"Unimplemented: @Dependency(\.withRandomNumberGenerator)"#)
        return self.system.next()
    }
}
