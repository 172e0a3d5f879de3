/// A way into one case of an enum: how to make a root from the case's value, and how to get the
/// value back.
///
/// Code that uses case paths names them with case key paths (``CaseKeyPath``,
/// `\.contacts.loadContacts`); this is the value behind one. A case of several associated values
/// has a labelled tuple as its value, a case of none has `Void`.
public struct AnyCasePath<Root, Value>: Sendable {
    @usableFromInline let _embed: @Sendable (Value) -> Root
    @usableFromInline let _extract: @Sendable (Root) -> Value?
    /// Returns false, without calling the closure, when the root is another case.
    @usableFromInline
    let _modify: @Sendable (_ root: inout Root, _ body: (inout Value) -> Void) -> Bool

    /// Makes a case path from its two directions.
    ///
    /// - Parameters:
    ///   - embed: Makes a root from a value. `extract(embed(value))` has to give the value back.
    ///   - extract: Gets the value out of a root, `nil` when the root is another case.
    public init(
        embed: @escaping @Sendable (Value) -> Root,
        extract: @escaping @Sendable (Root) -> Value?
    ) {
        self.init(
            embed: embed, extract: extract,
            modify: { root, body in
                guard var value = extract(root) else { return false }
                body(&value)
                root = embed(value)
                return true
            })
    }

    /// Makes a case path that changes the value of a case in place, without a copy of it.
    ///
    /// - Parameters:
    ///   - embed: Makes a root from a value. `extract(embed(value))` has to give the value back.
    ///   - extract: Gets the value out of a root, `nil` when the root is another case.
    ///   - modify: Calls the closure with the value and returns true; returns false when the root
    ///     is another case.
    public init(
        embed: @escaping @Sendable (Value) -> Root,
        extract: @escaping @Sendable (Root) -> Value?,
        modify: @escaping @Sendable (_ root: inout Root, _ body: (inout Value) -> Void) -> Bool
    ) {
        self._embed = embed
        self._extract = extract
        self._modify = modify
    }

    /// The path from a value to itself: it always matches.
    public init() where Root == Value {
        self.init(
            embed: { $0 }, extract: { $0 },
            modify: { root, body in
                body(&root)
                return true
            })
    }

    /// The case path that a case key path names.
    public init(_ keyPath: CaseKeyPath<Root, Value>) {
        self = Case<Root>()[keyPath: keyPath].path(from: Root.self)
    }

    /// Makes a root from a value.
    @inlinable
    public func embed(_ value: Value) -> Root {
        self._embed(value)
    }

    /// The value of the case, `nil` when the root is another case.
    @inlinable
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
            extract: { self._extract($0).flatMap(path._extract) },
            modify: { root, body in
                var isMatching = false
                _ = self._modify(&root) { isMatching = path._modify(&$0, body) }
                return isMatching
            }
        )
    }

    /// Changes the value of the case in place.
    ///
    /// - Throws: ``CasePathMismatch`` when the root is another case.
    public func modify<Result>(
        _ root: inout Root,
        _ body: (inout Value) throws -> Result
    ) throws -> Result {
        var result: Swift.Result<Result, any Error>?
        _ = self._modify(&root) { value in
            do { result = .success(try body(&value)) } catch { result = .failure(error) }
        }
        guard let result else { throw CasePathMismatch() }
        return try result.get()
    }

    /// Changes the value of the case in place; nil when the root is another case.
    @inlinable
    func modifyIfPresent<Result>(_ root: inout Root, _ body: (inout Value) -> Result) -> Result? {
        var result: Result?
        _ = self._modify(&root) { result = body(&$0) }
        return result
    }

    /// True if a root is the case, for use in a `switch`.
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
