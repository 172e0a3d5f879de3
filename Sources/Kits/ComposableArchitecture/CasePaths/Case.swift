/// The root of case key paths: a key path from `Case<Root>` to `Case<Value>` names a case of
/// `Root`.
///
/// Dynamic member lookup finds the cases of a ``CasePathable`` enum, so that key paths compose:
/// `\.contacts.loadContacts`.
@dynamicMemberLookup
public struct Case<Value>: Sendable {
    /// `nil` for the identity, which is where every key path begins.
    private let storage: (any CaseStorage<Value>)?

    /// The identity: the whole value as a case of itself.
    public init() {
        self.storage = nil
    }

    /// A case by its two directions.
    public init<Root>(
        embed: @escaping @Sendable (Value) -> Root,
        extract: @escaping @Sendable (Root) -> Value?
    ) {
        self.init(AnyCasePath(embed: embed, extract: extract))
    }

    /// A case by a case path.
    public init<Root>(_ path: AnyCasePath<Root, Value>) {
        self.storage = TypedCaseStorage(path: path)
    }

    /// The case that a key path names.
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

    /// This case, and on through a path from its value.
    public func appending<AppendedValue>(
        path: AnyCasePath<Value, AppendedValue>
    ) -> Case<AppendedValue> {
        guard let storage = self.storage else { return Case<AppendedValue>(path) }
        return Case<AppendedValue>(storage: storage.appending(path))
    }

    /// Makes a root, whose type is not known here.
    public func embed(_ value: Value) -> Any {
        self.storage?.embed(value) ?? value
    }

    /// The value of the case, `nil` when the root is another case or of another type.
    public func extract(from root: Any) -> Value? {
        guard let storage = self.storage else { return root as? Value }
        return storage.extract(from: root)
    }

    /// The same as a case path with its root's type.
    func path<Root>(from _: Root.Type) -> AnyCasePath<Root, Value> {
        if let typed = self.storage as? TypedCaseStorage<Root, Value> { return typed.path }
        return AnyCasePath<Root, Value>(
            embed: { value in
                guard let root = self.embed(value) as? Root else {
                    // Only a case that was made by hand, in an extension of `Case`, can have
                    // another root than the key path to it says. There is no root to be returned
                    // then.
                    preconditionFailure(
                        "A case of '\(Value.self)' does not belong to the root '\(Root.self)'")
                }
                return root
            },
            extract: { self.extract(from: $0) }
        )
    }
}

/// A case whose value's type is not known, as a ``PartialCaseKeyPath`` leads to.
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

/// Holds a case path without naming its root.
private protocol CaseStorage<Value>: AnyObject, Sendable {
    associatedtype Value
    func embed(_ value: Value) -> Any
    func extract(from root: Any) -> Value?
    func appending<AppendedValue>(
        _ path: AnyCasePath<Value, AppendedValue>
    ) -> any CaseStorage<AppendedValue>
}

/// The root's type is kept in the class, so that a whole path of cases costs no boxing once it is
/// an ``AnyCasePath``.
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
