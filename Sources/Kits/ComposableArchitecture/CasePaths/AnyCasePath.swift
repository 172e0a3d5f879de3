/// Embeds the value of one case in an enum (the root), and extracts the value from the enum.
///
/// Code refers to a case path by a ``CaseKeyPath``, such as `\.contacts.loadContacts`. The value of
/// a case with several associated values is a labelled tuple. The value of a case without
/// associated values is `Void`.
public struct AnyCasePath<Root, Value>: Sendable {
    @usableFromInline let _embed: @Sendable (Value) -> Root
    @usableFromInline let _extract: @Sendable (Root) -> Value?
    /// Calls the closure with the case's value. Returns false if the root is in another case.
    @usableFromInline
    let _modify: @Sendable (_ root: inout Root, _ body: (inout Value) -> Void) -> Bool

    /// Creates a case path.
    ///
    /// - Parameters:
    ///   - embed: Embeds a value in a root. `extract(embed(value))` must return the value.
    ///   - extract: Extracts the value; returns `nil` if the root is in another case.
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

    /// Creates a case path that modifies the value of a case without copying the value.
    ///
    /// - Parameters:
    ///   - embed: Embeds a value in a root. `extract(embed(value))` must return the value.
    ///   - extract: Extracts the value; returns `nil` if the root is in another case.
    ///   - modify: Calls the closure with the value and returns true. Returns false if the root is
    ///     in another case.
    public init(
        embed: @escaping @Sendable (Value) -> Root,
        extract: @escaping @Sendable (Root) -> Value?,
        modify: @escaping @Sendable (_ root: inout Root, _ body: (inout Value) -> Void) -> Bool
    ) {
        self._embed = embed
        self._extract = extract
        self._modify = modify
    }

    /// Creates the identity path from a value to itself, which always matches.
    public init() where Root == Value {
        self.init(
            embed: { $0 }, extract: { $0 },
            modify: { root, body in
                body(&root)
                return true
            })
    }

    public init(_ keyPath: CaseKeyPath<Root, Value>) {
        self = Case<Root>()[keyPath: keyPath].path(from: Root.self)
    }

    @inlinable
    public func embed(_ value: Value) -> Root {
        self._embed(value)
    }

    /// Returns the value of the case, or `nil` if the root is in another case.
    @inlinable
    public func extract(from root: Root) -> Value? {
        self._extract(root)
    }

    /// Embeds a value in a root: `path(value)`.
    public func callAsFunction(_ value: Value) -> Root {
        self._embed(value)
    }

    /// Creates the root in a case without associated values: `path()`.
    public func callAsFunction() -> Root where Value == Void {
        self._embed(())
    }

    /// Returns a path to a case inside this case's value.
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

    /// Modifies the value of the case in place.
    ///
    /// - Throws: ``CasePathMismatch`` if the root is in another case.
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

    /// Modifies the value of the case in place; returns nil if the root is in another case.
    @inlinable
    func modifyIfPresent<Result>(_ root: inout Root, _ body: (inout Value) -> Result) -> Result? {
        var result: Result?
        _ = self._modify(&root) { result = body(&$0) }
        return result
    }

    /// Returns true if the root is in the case: `switch action { case path: … }`.
    public static func ~= (path: Self, root: Root) -> Bool {
        path._extract(root) != nil
    }
}

extension AnyCasePath: CustomDebugStringConvertible {
    public var debugDescription: String {
        "AnyCasePath<\(Root.self), \(Value.self)>"
    }
}

/// The error of ``AnyCasePath/modify(_:_:)`` for an enum in another case.
public struct CasePathMismatch: Error {
    public init() {}
}
