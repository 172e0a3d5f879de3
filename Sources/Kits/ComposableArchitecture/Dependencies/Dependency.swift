/// Accesses a dependency: `@Dependency(\.date.now) var now`,
/// `@Dependency(ContactClient.self) var contacts`.
///
/// The property keeps the values of the task that creates it; the values of the task that reads it
/// take precedence.
@propertyWrapper
public struct Dependency<Value>: Sendable {
    /// A class, so that a copy of the property is only a pointer. Reducers are copied often: a
    /// store copies a reducer into the bodies that contain it and into each of its effects.
    private final class Source: DependencyAccess {
        let initialValues: DependencyValues
        let value: @Sendable (DependencyValues) -> Value
        let origin: SourceOrigin

        init(
            initialValues: DependencyValues, value: @escaping @Sendable (DependencyValues) -> Value,
            origin: SourceOrigin
        ) {
            self.initialValues = initialValues
            self.value = value
            self.origin = origin
        }
    }

    private let source: Source

    /// Accesses a dependency by its property of ``DependencyValues``.
    public init(
        _ keyPath: KeyPath<DependencyValues, Value> & Sendable,
        fileID: StaticString = #fileID,
        filePath: StaticString = #filePath,
        line: UInt = #line,
        column: UInt = #column
    ) {
        self.init(
            origin: SourceOrigin(fileID: fileID, filePath: filePath, line: line, column: column),
            value: { $0[keyPath: keyPath] }
        )
    }

    /// Accesses a dependency by the type of its key.
    public init<Key: TestDependencyKey>(
        _ key: Key.Type,
        fileID: StaticString = #fileID,
        filePath: StaticString = #filePath,
        line: UInt = #line,
        column: UInt = #column
    ) where Key.Value == Value {
        let origin = SourceOrigin(fileID: fileID, filePath: filePath, line: line, column: column)
        self.init(origin: origin, value: { $0.value(of: key, name: nil, origin: origin) })
    }

    private init(origin: SourceOrigin, value: @escaping @Sendable (DependencyValues) -> Value) {
        // All users of a process share its defaults. A property that is created while a default is
        // being made must therefore not keep one user's overrides.
        let isInDefault = DependencyResolution.current?.isActive ?? false
        let current = DependencyValues._current
        source = Source(
            initialValues: isInDefault ? current.withoutOverrides : current, value: value,
            origin: origin)
    }

    /// The dependency's value in the current task.
    public var wrappedValue: Value {
        let current = DependencyValues._current
        var values = source.initialValues.merging(current)
        let isCurrent = values.isIdentical(to: current)
        values.access = source
        guard !isCurrent else { return source.value(values) }
        return DependencyValues.$_current.withValue(values) { source.value(values) }
    }
}

/// The place in the source that accesses a dependency, for reports.
protocol DependencyAccess: AnyObject, Sendable {
    var origin: SourceOrigin { get }
}
