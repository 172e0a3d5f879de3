/// Makes and caches default values.
///
/// The process's shared cache serves many users, so it must not contain a default made from one
/// user's overrides:
/// - In a running program or preview, a shared default is made without overrides. The shared cache
///   also stores the keys that the default read. A user who overrides one of those keys gets
///   another value, cached with the user's overrides.
/// - In a test, a default is made with the test's overrides. Without them, a dependency that the
///   test overrides would be reported as missing. If the default read an override, it is cached
///   with the overrides.
/// - A placeholder for a missing value isn't cached, so that each access is reported.
extension DependencyValues {
    /// - Parameter name: The property of `DependencyValues`; `nil` for an access by the key's type.
    func value<Key: TestDependencyKey>(
        of key: Key.Type, name: StaticString?, origin: SourceOrigin
    ) -> Key.Value {
        let id = ObjectIdentifier(key)
        let parent = DependencyResolution.current
        parent?.find { $0.reads.insert(id) }
        if !self.overrides.isEmpty, let value = self.overrides[id]?.value(as: Key.Value.self) {
            parent?.find { $0.usedOverrides = true }
            return value
        }
        let cacheKey = DependencyCache.Key(key, context: self.context)
        if let made = (self.own ?? self.shared).made(cacheKey),
            let value = made.box.value(as: Key.Value.self)
        {
            parent?.inherit(made.findings)
            return value
        }
        let make = { (values: DependencyValues) in
            values.makeDefault(of: key, name: name, origin: self.access?.origin ?? origin)
        }
        let (value, findings) =
            self.context == .test
            ? self.testDefault(cacheKey, make) : self.sharedDefault(cacheKey, make)
        parent?.inherit(findings)
        return value
    }

    private typealias Default<Value> = (value: Value, findings: DependencyResolution.Findings)

    private func sharedDefault<Value: Sendable>(
        _ key: DependencyCache.Key, _ make: (DependencyValues) -> Default<Value>
    ) -> Default<Value> {
        let result = self.shared.making(key) {
            Self.kept(key, in: self.shared)
                ?? Self.keep(make(self.withoutOverrides), for: key, in: self.shared)
        }
        guard let own = self.own else { return result }
        guard self.hasSet(anyOf: result.findings.reads) else {
            return Self.keep(result, for: key, in: own)
        }
        return own.making(key) {
            Self.kept(key, in: own) ?? Self.keep(make(self), for: key, in: own)
        }
    }

    private func testDefault<Value: Sendable>(
        _ key: DependencyCache.Key, _ make: (DependencyValues) -> Default<Value>
    ) -> Default<Value> {
        self.shared.making(key) {
            let shared: Default<Value>? = Self.kept(key, in: self.shared)
            guard let own = self.own else {
                return shared ?? Self.keep(make(self), for: key, in: self.shared)
            }
            if let shared, !self.hasSet(anyOf: shared.findings.reads) {
                return Self.keep(shared, for: key, in: own)
            }
            if let result = Self.kept(key, in: own) as Default<Value>? { return result }
            let result = make(self)
            if !result.findings.usedOverrides { Self.keep(result, for: key, in: self.shared) }
            return Self.keep(result, for: key, in: own)
        }
    }

    private func hasSet(anyOf keys: Set<ObjectIdentifier>) -> Bool {
        keys.contains { self.overrides[$0] != nil }
    }

    private static func kept<Value: Sendable>(
        _ key: DependencyCache.Key, in cache: DependencyCache
    ) -> Default<Value>? {
        guard let made = cache.made(key), let value = made.box.value(as: Value.self) else {
            return nil
        }
        return (value, made.findings)
    }

    @discardableResult
    private static func keep<Value: Sendable>(
        _ result: Default<Value>, for key: DependencyCache.Key, in cache: DependencyCache
    ) -> Default<Value> {
        if !result.findings.isUnimplemented {
            cache.keep(
                DependencyCache.Made(
                    box: TypedDependencyBox(result.value), findings: result.findings), for: key
            )
        }
        return result
    }

    private func makeDefault<Key: TestDependencyKey>(
        of key: Key.Type, name: StaticString?, origin: SourceOrigin
    ) -> Default<Key.Value> {
        let resolution = DependencyResolution(name: name, key: key, origin: origin)
        var values = self
        values.access = nil
        let value = DependencyResolution.$current.withValue(resolution) {
            Self.$_current.withValue(values) { Key.value(for: self.context) }
        }
        return (value, resolution.finish())
    }
}
