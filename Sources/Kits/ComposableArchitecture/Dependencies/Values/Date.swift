import Foundation
import IssueReporting

extension DependencyValues {
    /// The current date: `@Dependency(\.date.now) var now`.
    ///
    /// Reports an issue in a test until it is set with `$0.date.now = …`.
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

public struct DateGenerator: Sendable {
    private var generate: @Sendable () -> Date

    public init(_ generate: @escaping @Sendable () -> Date) {
        self.generate = generate
    }

    public static func constant(_ now: Date) -> Self {
        Self { now }
    }

    /// The current date. Setting a date stops the time at that date.
    public var now: Date {
        get { self.generate() }
        set { self.generate = { newValue } }
    }

    public func callAsFunction() -> Date {
        self.generate()
    }
}
