/// A path to one case of an enum: embeds the case's value in a root, and extracts it again.
///
/// Code refers to a case path by a case key path (``CaseKeyPath``, `\.contacts.loadContacts`); this
/// type is the value behind that key path. The value of a case with several associated values is a
/// labelled tuple; the value of a case without any is `Void`.
public struct AnyCasePath<Root, Value>: Sendable {
    @usableFromInline let _embed: @Sendable (Value) -> Root
    @usableFromInline let _extract: @Sendable (Root) -> Value?
    /// Returns false, without calling the closure, if the root is in another case.
    @usableFromInline
    let _modify: @Sendable (_ root: inout Root, _ body: (inout Value) -> Void) -> Bool

    /// Creates a case path from one function for each direction.
    ///
    /// - Parameters:
    ///   - embed: Embeds a value in a root. `extract(embed(value))` must return the value.
    ///   - extract: Extracts the value from a root; returns `nil` if the root is in another case.
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

    /// Creates a case path that modifies the value of a case in place, without copying it.
    ///
    /// - Parameters:
    ///   - embed: Embeds a value in a root. `extract(embed(value))` must return the value.
    ///   - extract: Extracts the value from a root; returns `nil` if the root is in another case.
    ///   - modify: Calls the closure with the value and returns true; returns false if the root is
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

    /// Creates the case path that a case key path names.
    public init(_ keyPath: CaseKeyPath<Root, Value>) {
        self = Case<Root>()[keyPath: keyPath].path(from: Root.self)
    }

    /// Embeds a value in a root.
    @inlinable
    public func embed(_ value: Value) -> Root {
        self._embed(value)
    }

    /// Extracts the value of the case; returns `nil` if the root is in another case.
    @inlinable
    public func extract(from root: Root) -> Value? {
        self._extract(root)
    }

    /// Embeds a value in a root: `path(value)`.
    public func callAsFunction(_ value: Value) -> Root {
        self._embed(value)
    }

    /// Creates a root of a case without a value: `path()`.
    public func callAsFunction() -> Root where Value == Void {
        self._embed(())
    }

    /// Returns a path that continues through another case path.
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

    /// Returns true if a root is in the case, for use in a `switch`.
    public static func ~= (path: Self, root: Root) -> Bool {
        path._extract(root) != nil
    }
}

extension AnyCasePath: CustomDebugStringConvertible {
    public var debugDescription: String {
        "AnyCasePath<\(Root.self), \(Value.self)>"
    }
}

/// Thrown by ``AnyCasePath/modify(_:_:)`` if the enum is in another case.
public struct CasePathMismatch: Error {
    public init() {}
}
