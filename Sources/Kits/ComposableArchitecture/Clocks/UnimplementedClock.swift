import IssueReporting

/// A clock that reports an issue at each use, for tests of code that must not depend on time.
public final class UnimplementedClock<Duration: DurationProtocol & Hashable>: Clock, Sendable {
    public typealias Instant = AnyClock<Duration>.Instant

    private let base: AnyClock<Duration>
    private let name: String

    /// Creates a clock that reports an issue and then calls `base`.
    ///
    /// - Parameter name: The clock's name in the report.
    public init(_ base: some Clock<Duration>, name: String = "UnimplementedClock") {
        self.base = AnyClock(base)
        self.name = name
    }

    public var now: Instant {
        reportIssue("Unimplemented: \(self.name).now")
        return self.base.now
    }

    public var minimumResolution: Duration {
        reportIssue("Unimplemented: \(self.name).minimumResolution")
        return self.base.minimumResolution
    }

    public func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
        reportIssue("Unimplemented: \(self.name).sleep")
        try await self.base.sleep(until: deadline, tolerance: tolerance)
    }
}

extension UnimplementedClock where Duration == Swift.Duration {
    /// Creates a clock that reports an issue and then calls the continuous clock.
    public convenience init(name: String = "UnimplementedClock") {
        self.init(ContinuousClock(), name: name)
    }
}

extension Clock where Self == UnimplementedClock<Swift.Duration> {
    public static func unimplemented(name: String = "UnimplementedClock") -> Self {
        UnimplementedClock(name: name)
    }
}
