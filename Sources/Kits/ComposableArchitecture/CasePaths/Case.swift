/// The root of case key paths. A key path from `Case<Root>` to `Case<Value>` names a case of
/// `Root`.
///
/// Dynamic member lookup finds the cases of a ``CasePathable`` enum: `\.contacts.loadContacts`.
@dynamicMemberLookup
public struct Case<Value>: Sendable {
    /// `nil` for the identity case. Every key path starts at the identity case.
    private let storage: (any CaseStorage<Value>)?

    /// Creates the identity case, whose value is the whole root.
    public init() {
        self.storage = nil
    }

    public init<Root>(
        embed: @escaping @Sendable (Value) -> Root,
        extract: @escaping @Sendable (Root) -> Value?
    ) {
        self.init(AnyCasePath(embed: embed, extract: extract))
    }

    public init<Root>(_ path: AnyCasePath<Root, Value>) {
        self.storage = TypedCaseStorage(path: path)
    }

    public init<Root>(_ keyPath: CaseKeyPath<Root, Value>) {
        self = Case<Root>()[keyPath: keyPath]
    }

    private init(storage: any CaseStorage<Value>) {
        self.storage = storage
    }

    /// The case of this case's value that a key path names.
    public subscript<AppendedValue>(
        dynamicMember keyPath: KeyPath<Value.AllCasePaths, AnyCasePath<Value, AppendedValue>>
            & Sendable
    ) -> Case<AppendedValue> where Value: CasePathable {
        self.appending(path: Value.allCasePaths[keyPath: keyPath])
    }

    /// Returns the case at the end of `path`, which starts at this case's value.
    public func appending<AppendedValue>(
        path: AnyCasePath<Value, AppendedValue>
    ) -> Case<AppendedValue> {
        guard let storage = self.storage else { return Case<AppendedValue>(path) }
        return Case<AppendedValue>(storage: storage.appending(path))
    }

    /// Embeds a value in a root of unknown type.
    public func embed(_ value: Value) -> Any {
        self.storage?.embed(value) ?? value
    }

    /// Returns the value of the case. Returns `nil` if the root is in another case or has another
    /// type.
    public func extract(from root: Any) -> Value? {
        guard let storage = self.storage else { return root as? Value }
        return storage.extract(from: root)
    }

    func path<Root>(from _: Root.Type) -> AnyCasePath<Root, Value> {
        if let typed = self.storage as? TypedCaseStorage<Root, Value> { return typed.path }
        return AnyCasePath<Root, Value>(
            embed: { value in
                guard let root = self.embed(value) as? Root else {
                    // Fails only if an extension of `Case` creates a case with the wrong root type.
                    preconditionFailure(
                        "A case of '\(Value.self)' does not belong to the root '\(Root.self)'")
                }
                return root
            },
            extract: { self.extract(from: $0) }
        )
    }
}

/// Reads a case whose value has an unknown type: the end of a ``PartialCaseKeyPath``.
protocol UntypedCase {
    static var valueType: Any.Type { get }
    func embedUntyped(_ value: Any) -> Any?
    func extractUntyped(from root: Any) -> Any?
}

extension Case: UntypedCase {
    static var valueType: Any.Type { Value.self }

    func embedUntyped(_ value: Any) -> Any? {
        (value as? Value).map(self.embed)
    }

    func extractUntyped(from root: Any) -> Any? {
        self.extract(from: root).map { $0 as Any }
    }
}

private protocol CaseStorage<Value>: AnyObject, Sendable {
    associatedtype Value
    func embed(_ value: Value) -> Any
    func extract(from root: Any) -> Value?
    func appending<AppendedValue>(
        _ path: AnyCasePath<Value, AppendedValue>
    ) -> any CaseStorage<AppendedValue>
}

/// Keeps the type of the root, so that ``Case/path(from:)`` returns a path that doesn't box its
/// values.
private final class TypedCaseStorage<Root, Value>: CaseStorage {
    let path: AnyCasePath<Root, Value>

    init(path: AnyCasePath<Root, Value>) {
        self.path = path
    }

    func embed(_ value: Value) -> Any {
        self.path.embed(value)
    }

    func extract(from root: Any) -> Value? {
        (root as? Root).flatMap(self.path.extract)
    }

    func appending<AppendedValue>(
        _ path: AnyCasePath<Value, AppendedValue>
    ) -> any CaseStorage<AppendedValue> {
        TypedCaseStorage<Root, AppendedValue>(path: self.path.appending(path: path))
    }
}
