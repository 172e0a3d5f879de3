import IssueReporting

/// All dependencies of the current code. `@Dependency` reads them; `withDependencies` overrides
/// them for an operation.
///
/// Values belong to the current task, never to a global: one user of a process never sees another's
/// overrides. A default is made once per process, and in tests once per test.
public struct DependencyValues: Sendable {
    /// The values of the current task.
    @TaskLocal public static var _current = Self()

    /// True while values are being set, so that reading a value in order to change a part of it
    /// reports no issue.
    @TaskLocal static var isSetting = false

    private(set) var overrides = DependencyOverrides()
    private var contextOverride: DependencyContext?

    /// Defaults made without overrides.
    private(set) var shared: DependencyCache

    /// Defaults made with overrides; `nil` if there are no overrides. Each change of the overrides
    /// creates a new cache, so values with the same cache have the same overrides.
    private(set) var own: DependencyCache?

    /// The `@Dependency` property that reads one of the values. A reference, because each store and
    /// each effect keeps several copies of these values.
    var access: (any DependencyAccess)?

    /// Creates values without overrides and with their own defaults.
    public init() {
        self.shared = DependencyCache()
    }

    init(context: DependencyContext) {
        self.init()
        self.context = context
    }

    /// The context, which determines the values that aren't overridden.
    public var context: DependencyContext {
        get { self.contextOverride ?? .ofProcess }
        set {
            self.contextOverride = newValue
            self.own = DependencyCache()
        }
    }

    /// Accesses the dependency of a key: for properties in extensions of `DependencyValues`.
    public subscript<Key: TestDependencyKey>(
        key: Key.Type,
        fileID: StaticString = #fileID,
        filePath: StaticString = #filePath,
        function: StaticString = #function,
        line: UInt = #line,
        column: UInt = #column
    ) -> Key.Value {
        get {
            self.value(
                of: key, name: function,
                origin: SourceOrigin(fileID: fileID, filePath: filePath, line: line, column: column)
            )
        }
        set {
            self.overrides.set(TypedDependencyBox(newValue), for: ObjectIdentifier(key))
            self.own = DependencyCache()
        }
    }
}

extension DependencyValues {
    /// Switches to the test context, for a test store.
    ///
    /// XCTest does not identify the current test, so each store starts with its own defaults. With
    /// Swift Testing, each test has its own.
    mutating func beginTest() {
        if case .xcTest? = TestContext.current { self.shared = DependencyCache() }
        if self.context != .test || self.contextOverride == nil { self.context = .test }
    }

    /// Stores values as the defaults of this process, or of the running test.
    func prepare(_ updateValues: (inout DependencyValues) throws -> Void, origin: SourceOrigin)
        rethrows
    {
        let inUse = self.shared.keys
        var values = self
        try Self.$isSetting.withValue(true) { try updateValues(&values) }
        for id in Set(values.overrides.keys) {
            guard let box = values.overrides[id], self.overrides[id] !== box else { continue }
            self.shared.prepare(
                box, for: DependencyCache.Key(id: id, context: values.context), inUse: inUse,
                origin: origin)
        }
    }

    /// The same context and defaults, without overrides.
    var withoutOverrides: Self {
        var values = self
        values.overrides = DependencyOverrides()
        values.own = self.contextOverride == nil ? nil : DependencyCache()
        values.access = nil
        return values
    }

    /// Returns true if one was copied from the other and neither was changed since, so that both
    /// have the same overrides.
    func isIdentical(to other: Self) -> Bool {
        self.own === other.own && self.shared === other.shared
    }

    /// Returns these values merged with the overrides of `other`, which take precedence.
    func merging(_ other: Self) -> Self {
        guard let own = self.own, own !== other.own else { return other }
        guard let otherOwn = other.own else { return self }
        return own.merge(with: otherOwn) {
            // If `other` overrides the same keys, there is nothing to merge. This is the usual
            // case, because a feature's values already include those of its store.
            if other.covers(self) { return other }
            var values = other
            values.overrides = self.overrides.merging(other.overrides)
            values.contextOverride = other.contextOverride ?? self.contextOverride
            values.own = DependencyCache()
            return values
        }
    }

    /// Returns true if every key that `other` overrides is also overridden here.
    private func covers(_ other: Self) -> Bool {
        (contextOverride != nil || other.contextOverride == nil)
            && other.overrides.keys.allSatisfy { overrides[$0] != nil }
    }

    /// Returns the values with one more override. Caches the result: reducers of one store that set
    /// the same value share it, and the defaults and merges made from it.
    func setting(_ box: any DependencyBox, for key: Any.Type) -> Self {
        let id = ObjectIdentifier(key)
        guard overrides[id] !== box else { return self }
        guard let own else { return making(box, id) }
        return own.derived(by: box, from: self) { making(box, id) }
    }

    private func making(_ box: any DependencyBox, _ id: ObjectIdentifier) -> Self {
        var values = self
        values.overrides.set(box, for: id)
        values.own = DependencyCache()
        return values
    }
}
