import IssueReporting

/// A key of a dependency with a live value.
///
/// A preview uses the live value unless the key has a `previewValue`. A test that uses a key
/// without a `testValue` reports an issue: tests must not run live code by accident.
public protocol DependencyKey<Value>: TestDependencyKey {
    static var liveValue: Value { get }

    associatedtype Value = Self

    static var previewValue: Value { get }
    static var testValue: Value { get }
}

/// A key of a dependency without a live value in the same module.
public protocol TestDependencyKey<Value>: SendableMetatype {
    associatedtype Value: Sendable = Self

    /// The value in a preview. The default is the test value.
    static var previewValue: Value { get }

    static var testValue: Value { get }

    /// Whether to report an issue if the key lacks a value for the context. The default is true.
    static var shouldReportUnimplemented: Bool { get }
}

extension DependencyKey {
    public static var previewValue: Value { Self.liveValue }

    /// Reports that the key lacks a test value, and returns the preview value.
    public static var testValue: Value {
        DependencyResolution.current?.find { $0.isUnimplemented = true }
        guard Self.shouldReportUnimplemented, !DependencyValues.isSetting else {
            return Self.previewValue
        }
        let resolution = DependencyResolution.current
        reportIssue(
            """
            \(resolution?.subject ?? "A dependency") has no test implementation, but was accessed \
            from a test context:

            \(DependencyResolution.facts(
                key: Self.self, value: Value.self, origin: resolution?.origin))

            A test must not run a live implementation by accident. Override it for the test with \
            'withDependencies', \
            or give its key a 'testValue'.
            """,
            at: resolution?.origin
        )
        return Self.previewValue
    }
}

extension TestDependencyKey {
    public static var previewValue: Value { Self.testValue }

    public static var shouldReportUnimplemented: Bool { true }

    static func value(for context: DependencyContext) -> Value {
        switch context {
        case .live: Self.liveValueOrReport()
        case .preview: Self.previewValue
        case .test: Self.testValue
        }
    }

    private static func liveValueOrReport() -> Value {
        if let key = Self.self as? any DependencyKey.Type, let value = key.liveValue as? Value {
            return value
        }
        let resolution = DependencyResolution.current
        resolution?.find { $0.isUnimplemented = true }
        if Self.shouldReportUnimplemented, !DependencyValues.isSetting {
            reportIssue(
                """
                \(resolution?.subject ?? "A dependency") has no live implementation, but was \
                accessed from a live context:

                \(DependencyResolution.facts(
                    key: Self.self, value: Value.self, origin: resolution?.origin))

                Conform the key to 'DependencyKey' in a module that the program is linked with.
                """,
                at: resolution?.origin
            )
        }
        return Self.testValue
    }
}
