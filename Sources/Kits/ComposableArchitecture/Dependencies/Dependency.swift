/// Accesses a dependency: `@Dependency(\.date.now) var now`,
/// `@Dependency(ContactClient.self) var contacts`.
///
/// The property keeps the overrides of the task that creates the property. The overrides of the
/// task that reads the property take precedence.
@propertyWrapper
public struct Dependency<Value>: Sendable {
    /// A class, so that copying the property copies only a pointer. Stores copy reducers often,
    /// together with their properties. Small, because a store makes a hundred of them.
    private final class Source: Sendable {
        let initial: KeptDependencies
        let declaration: Declaration

        init(initial: KeptDependencies, declaration: Declaration) {
            self.initial = initial
            self.declaration = declaration
        }
    }

    /// What all properties of one place in the source code have in common.
    private final class Declaration: DependencyAccess {
        enum Target: Sendable {
            case property(KeyPath<DependencyValues, Value> & Sendable)
            case key(ObjectIdentifier)
        }

        let target: Target
        let value: @Sendable (DependencyValues) -> Value
        let origin: SourceOrigin

        init(
            _ target: Target, value: @escaping @Sendable (DependencyValues) -> Value,
            origin: SourceOrigin
        ) {
            self.target = target
            self.value = value
            self.origin = origin
        }

        func isFor(_ other: Target) -> Bool {
            switch (target, other) {
            case (.property(let known), .property(let asked)): Self.areEqual(known, asked)
            case (.key(let known), .key(let asked)): known == asked
            case (.property, .key), (.key, .property): false
            }
        }

        /// Compares the references first, because literals of one place are usually one object.
        private static func areEqual(_ known: AnyKeyPath, _ asked: AnyKeyPath) -> Bool {
            known === asked || known == asked
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
        let origin = SourceOrigin(fileID: fileID, filePath: filePath, line: line, column: column)
        self.init(.property(keyPath), origin) { $0[keyPath: keyPath] }
    }

    public init<Key: TestDependencyKey>(
        _ key: Key.Type,
        fileID: StaticString = #fileID,
        filePath: StaticString = #filePath,
        line: UInt = #line,
        column: UInt = #column
    ) where Key.Value == Value {
        let origin = SourceOrigin(fileID: fileID, filePath: filePath, line: line, column: column)
        self.init(.key(ObjectIdentifier(key)), origin) {
            $0.value(of: key, name: nil, origin: origin)
        }
    }

    private init(
        _ target: Declaration.Target, _ origin: SourceOrigin,
        value: @escaping @Sendable (DependencyValues) -> Value
    ) {
        let place = DependencyPlace(origin)
        let declaration: Declaration
        if let known = place?.declaration as? Declaration, known.isFor(target) {
            declaration = known
        } else {
            declaration = Declaration(target, value: value, origin: origin)
            place?.know(declaration)
        }
        // The default value being made may be shared by all users of the process. Its properties
        // must not keep one user's overrides.
        let isInDefault = DependencyResolution.current?.isActive ?? false
        let current = DependencyValues._current
        source = Source(
            initial: (isInDefault ? current.withoutOverrides : current).kept,
            declaration: declaration)
    }

    public var wrappedValue: Value {
        let current = DependencyValues._current
        let declaration = source.declaration
        var values = source.initial.values.merging(current)
        let isCurrent = values.isIdentical(to: current)
        values.access = declaration
        guard !isCurrent else { return declaration.value(values) }
        return DependencyValues.$_current.withValue(values) { declaration.value(values) }
    }
}

protocol DependencyAccess: AnyObject, Sendable {
    var origin: SourceOrigin { get }
}

/// The place of a `@Dependency` property in the source code.
private struct DependencyPlace: Hashable {
    /// The first declaration of each place. Generic code can name several dependencies in one
    /// place.
    private static let declarations = Guarded<[DependencyPlace: any DependencyAccess]>([:])

    /// The address of the file's name, which is a constant of the program.
    private let file: Int
    private let line: UInt
    private let column: UInt

    /// Returns nil for a file's name without an address.
    init?(_ origin: SourceOrigin) {
        guard origin.fileID.hasPointerRepresentation else { return nil }
        file = Int(bitPattern: origin.fileID.utf8Start)
        (line, column) = (origin.line, origin.column)
    }

    var declaration: (any DependencyAccess)? { Self.declarations.withLock { $0[self] } }

    func know(_ declaration: any DependencyAccess) {
        Self.declarations.withLock { $0[self] = $0[self] ?? declaration }
    }
}
