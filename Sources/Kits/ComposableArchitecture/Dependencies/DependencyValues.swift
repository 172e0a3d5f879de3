import IssueReporting

/// All dependencies of the current code. `@Dependency` reads them, and `withDependencies` overrides
/// them for one operation.
///
/// Overrides belong to a task, so users of one process never see each other's overrides. A default
/// value is made once per process, and in tests once per test.
public struct DependencyValues: Sendable {
    @TaskLocal public static var _current = Self()

    /// True while overrides are being set. Suppresses issues, because changing a part of a value
    /// reads the value first.
    @TaskLocal static var isSetting = false

    private(set) var overrides = DependencyOverrides()
    private var contextOverride: DependencyContext?

    /// Defaults made without overrides.
    private(set) var shared: DependencyCache

    /// Defaults made with overrides, or `nil` without overrides. Each change of the overrides
    /// creates a new cache. Values with the same cache therefore have the same overrides.
    private(set) var own: DependencyCache?

    /// The `@Dependency` property that is reading a value. A reference saves memory: each store and
    /// each effect keeps several copies of these values.
    var access: (any DependencyAccess)?

    /// Creates values without overrides and with a new cache of defaults.
    public init() {
        self.shared = DependencyCache()
    }

    init(context: DependencyContext) {
        self.init()
        self.context = context
    }

    public var context: DependencyContext {
        get { self.contextOverride ?? .ofProcess }
        set {
            self.contextOverride = newValue
            self.own = DependencyCache()
        }
    }

    /// The value of a key, for properties in extensions of `DependencyValues`.
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
    /// Swift Testing identifies the current test, so that each test has its own defaults. XCTest
    /// doesn't, so each store starts with new defaults.
    mutating func beginTest() {
        if case .xcTest? = TestContext.current { self.shared = DependencyCache() }
        if self.context != .test || self.contextOverride == nil { self.context = .test }
    }

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

    var kept: KeptDependencies { (own ?? shared).keeping(self) }

    var withoutOverrides: Self {
        var values = self
        values.overrides = DependencyOverrides()
        values.own = self.contextOverride == nil ? nil : DependencyCache()
        values.access = nil
        return values
    }

    /// Returns true if both values have the same overrides: one is an unchanged copy of the other.
    func isIdentical(to other: Self) -> Bool {
        self.own === other.own && self.shared === other.shared
    }

    /// Returns these values merged with the overrides of `other`, which take precedence.
    func merging(_ other: Self) -> Self {
        guard let own = self.own, own !== other.own else { return other }
        guard let otherOwn = other.own else { return self }
        return own.merge(with: otherOwn) {
            // In the usual case `other` overrides the same keys: a feature's values include those
            // of its store.
            if other.covers(self) { return other }
            var values = other
            values.overrides = self.overrides.merging(other.overrides)
            values.contextOverride = other.contextOverride ?? self.contextOverride
            values.own = DependencyCache()
            return values
        }
    }

    private func covers(_ other: Self) -> Bool {
        (contextOverride != nil || other.contextOverride == nil)
            && other.overrides.keys.allSatisfy { overrides[$0] != nil }
    }

    /// Returns the values with one override added. Caches the result: reducers of a store that set
    /// the same value share the result's defaults and merges.
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
