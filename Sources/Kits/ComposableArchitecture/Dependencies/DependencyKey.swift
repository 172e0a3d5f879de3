import IssueReporting

/// A key of a dependency with a live value.
///
/// A preview uses the live value unless the key has a `previewValue`. A test must not use the live
/// value by accident: a key without a `testValue` reports an issue when a test uses it.
public protocol DependencyKey<Value>: TestDependencyKey {
    /// The value in a running program.
    static var liveValue: Value { get }

    associatedtype Value = Self

    static var previewValue: Value { get }
    static var testValue: Value { get }
}

/// A key of a dependency whose live value is in another module, or that has no live value.
public protocol TestDependencyKey<Value>: SendableMetatype {
    /// The type of the dependency.
    associatedtype Value: Sendable = Self

    /// The value in a preview, by default the test value.
    static var previewValue: Value { get }

    /// The value in a test.
    static var testValue: Value { get }

    /// True to report a dependency without a value for the context. The default is true.
    static var shouldReportUnimplemented: Bool { get }
}

extension DependencyKey {
    public static var previewValue: Value { Self.liveValue }

    /// Reports that the dependency has no test value, and returns the preview value.
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

    /// Returns the default value for a context.
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
