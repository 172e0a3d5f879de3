/// Accesses a dependency: `@Dependency(\.date.now) var now`,
/// `@Dependency(ContactClient.self) var contacts`.
///
/// The property keeps the overrides of the task that creates the property. The overrides of the
/// task that reads the property take precedence.
@propertyWrapper
public struct Dependency<Value>: Sendable {
    /// A class, so that copying the property copies only a pointer. Stores copy reducers often,
    /// together with their properties.
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
        // The default value being made may be shared by all users of the process. Its properties
        // must not keep one user's overrides.
        let isInDefault = DependencyResolution.current?.isActive ?? false
        let current = DependencyValues._current
        source = Source(
            initialValues: isInDefault ? current.withoutOverrides : current, value: value,
            origin: origin)
    }

    public var wrappedValue: Value {
        let current = DependencyValues._current
        var values = source.initialValues.merging(current)
        let isCurrent = values.isIdentical(to: current)
        values.access = source
        guard !isCurrent else { return source.value(values) }
        return DependencyValues.$_current.withValue(values) { source.value(values) }
    }
}

protocol DependencyAccess: AnyObject, Sendable {
    var origin: SourceOrigin { get }
}
