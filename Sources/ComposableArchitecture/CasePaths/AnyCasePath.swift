/// A way into one case of an enum: how to make a root from the case's value, and how to get the value back.
///
/// Code that uses case paths names them with case key paths (``CaseKeyPath``, `\.contacts.loadContacts`); this is the
/// value behind one. A case of several associated values has a labelled tuple as its value, a case of none has `Void`.
public struct AnyCasePath<Root, Value>: Sendable {
    private let _embed: @Sendable (Value) -> Root
    private let _extract: @Sendable (Root) -> Value?

    /// Makes a case path from its two directions.
    ///
    /// - Parameters:
    ///   - embed: Makes a root from a value. `extract(embed(value))` has to give the value back.
    ///   - extract: Gets the value out of a root, `nil` when the root is another case.
    public init(
        embed: @escaping @Sendable (Value) -> Root,
        extract: @escaping @Sendable (Root) -> Value?
    ) {
        self._embed = embed
        self._extract = extract
    }

    /// The path from a value to itself: it always matches.
    public init() where Root == Value {
        self.init(embed: { $0 }, extract: { $0 })
    }

    /// The case path that a case key path names.
    public init(_ keyPath: CaseKeyPath<Root, Value>) {
        self = Case<Root>()[keyPath: keyPath].path(from: Root.self)
    }

    /// Makes a root from a value.
    public func embed(_ value: Value) -> Root {
        self._embed(value)
    }

    /// The value of the case, `nil` when the root is another case.
    public func extract(from root: Root) -> Value? {
        self._extract(root)
    }

    /// Makes a root from a value: `path(value)`.
    public func callAsFunction(_ value: Value) -> Root {
        self._embed(value)
    }

    /// Makes a root of a case without a value: `path()`.
    public func callAsFunction() -> Root where Value == Void {
        self._embed(())
    }

    /// A path that goes on through another case path.
    public func appending<AppendedValue>(
        path: AnyCasePath<Value, AppendedValue>
    ) -> AnyCasePath<Root, AppendedValue> {
        AnyCasePath<Root, AppendedValue>(
            embed: { self._embed(path._embed($0)) },
            extract: { self._extract($0).flatMap(path._extract) }
        )
    }

    /// Changes the value of the case in place.
    ///
    /// - Throws: ``CasePathMismatch`` when the root is another case.
    public func modify<Result>(
        _ root: inout Root,
        _ body: (inout Value) throws -> Result
    ) throws -> Result {
        guard var value = self._extract(root) else { throw CasePathMismatch() }
        let result = try body(&value)
        root = self._embed(value)
        return result
    }

    /// Whether a root is the case, for use in a `switch`.
    public static func ~= (path: Self, root: Root) -> Bool {
        path._extract(root) != nil
    }
}

extension AnyCasePath: CustomDebugStringConvertible {
    public var debugDescription: String {
        "AnyCasePath<\(Root.self), \(Value.self)>"
    }
}

/// Thrown by ``AnyCasePath/modify(_:_:)`` when the enum is in another case.
public struct CasePathMismatch: Error {
    public init() {}
}
