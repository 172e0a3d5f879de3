import Foundation
import IssueReporting

extension DependencyValues {
    /// The current date: `@Dependency(\.date.now) var now`.
    ///
    /// Reports an issue in a test until it is set: `$0.date =
    /// .constant(Date(timeIntervalSince1970: 0))`, or `$0.date.now = …`.
    public var date: DateGenerator {
        get { self[DateGeneratorKey.self] }
        set { self[DateGeneratorKey.self] = newValue }
    }

    private enum DateGeneratorKey: DependencyKey {
        static var liveValue: DateGenerator { DateGenerator { Date() } }
        static var testValue: DateGenerator {
            DateGenerator {
                reportIssue(#"Unimplemented: @Dependency(\.date)"#)
                return Date()
            }
        }
    }
}

/// Generates dates.
public struct DateGenerator: Sendable {
    private var generate: @Sendable () -> Date

    /// Creates a generator that calls a closure for each date.
    public init(_ generate: @escaping @Sendable () -> Date) {
        self.generate = generate
    }

    /// Returns a generator that always returns the same date.
    public static func constant(_ now: Date) -> Self {
        Self { now }
    }

    /// The current date. Setting it freezes the date.
    public var now: Date {
        get { self.generate() }
        set { self.generate = { newValue } }
    }

    /// Returns the current date.
    public func callAsFunction() -> Date {
        self.generate()
    }
}
