/// The root of case key paths: a key path from `Case<Root>` to `Case<Value>` names a case of
/// `Root`.
///
/// Dynamic member lookup finds the cases of a ``CasePathable`` enum, so key paths compose:
/// `\.contacts.loadContacts`.
@dynamicMemberLookup
public struct Case<Value>: Sendable {
    /// `nil` for the identity case, from which every key path starts.
    private let storage: (any CaseStorage<Value>)?

    /// Creates the identity: the whole value as a case of itself.
    public init() {
        self.storage = nil
    }

    /// Creates a case from the functions that embed and extract its value.
    public init<Root>(
        embed: @escaping @Sendable (Value) -> Root,
        extract: @escaping @Sendable (Root) -> Value?
    ) {
        self.init(AnyCasePath(embed: embed, extract: extract))
    }

    /// Creates a case from a case path.
    public init<Root>(_ path: AnyCasePath<Root, Value>) {
        self.storage = TypedCaseStorage(path: path)
    }

    /// Creates the case that a key path names.
    public init<Root>(_ keyPath: CaseKeyPath<Root, Value>) {
        self = Case<Root>()[keyPath: keyPath]
    }

    private init(storage: any CaseStorage<Value>) {
        self.storage = storage
    }

    /// A case of this case's value.
    public subscript<AppendedValue>(
        dynamicMember keyPath: KeyPath<Value.AllCasePaths, AnyCasePath<Value, AppendedValue>>
            & Sendable
    ) -> Case<AppendedValue> where Value: CasePathable {
        self.appending(path: Value.allCasePaths[keyPath: keyPath])
    }

    /// Returns this case, continued through a path from its value.
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

    /// Extracts the value of the case; returns `nil` if the root is in another case or has another
    /// type.
    public func extract(from root: Any) -> Value? {
        guard let storage = self.storage else { return root as? Value }
        return storage.extract(from: root)
    }

    /// Returns the case as a case path with its root's type.
    func path<Root>(from _: Root.Type) -> AnyCasePath<Root, Value> {
        if let typed = self.storage as? TypedCaseStorage<Root, Value> { return typed.path }
        return AnyCasePath<Root, Value>(
            embed: { value in
                guard let root = self.embed(value) as? Root else {
                    // This happens only if an extension of `Case` creates a case whose root is not
                    // the one in its key path's type. There is no `Root` to return then.
                    preconditionFailure(
                        "A case of '\(Value.self)' does not belong to the root '\(Root.self)'")
                }
                return root
            },
            extract: { self.extract(from: $0) }
        )
    }
}

/// A case with a value of unknown type, at the end of a ``PartialCaseKeyPath``.
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

/// A case path whose root type is erased.
private protocol CaseStorage<Value>: AnyObject, Sendable {
    associatedtype Value
    func embed(_ value: Value) -> Any
    func extract(from root: Any) -> Value?
    func appending<AppendedValue>(
        _ path: AnyCasePath<Value, AppendedValue>
    ) -> any CaseStorage<AppendedValue>
}

/// The root's type is part of the class. A path through several cases can therefore be converted to
/// an ``AnyCasePath`` that doesn't box its values.
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
