import IssueReporting

/// All dependencies that code has at hand. `@Dependency` reads them; `withDependencies` sets them
/// for an operation.
///
/// Values are found in the task that asks, never in a global: what one user of a process has set,
/// another never sees. A value that nobody has set is made once a process, and once a test in
/// tests.
public struct DependencyValues: Sendable {
    /// The values of the current task.
    @TaskLocal public static var _current = Self()

    /// True while values are set: reading one to change a part of it reports nothing.
    @TaskLocal static var isSetting = false

    private(set) var overrides = DependencyOverrides()
    private var contextOverride: DependencyContext?

    /// Defaults that were made from nothing that was set.
    private(set) var shared: DependencyCache

    /// Defaults that were made from overrides. `nil` as long as nothing is set; a change makes a
    /// new one, so it is the identity of the overrides as well.
    private(set) var own: DependencyCache?

    /// The property that asks for one of the values. A reference, because each store and each
    /// effect keeps some copies of these values.
    var access: (any DependencyAccess)?

    /// Values without overrides, and with defaults of their own.
    public init() {
        self.shared = DependencyCache()
    }

    init(context: DependencyContext) {
        self.init()
        self.context = context
    }

    /// The context, which decides about the values that are not set.
    public var context: DependencyContext {
        get { self.contextOverride ?? .ofProcess }
        set {
            self.contextOverride = newValue
            self.own = DependencyCache()
        }
    }

    /// The dependency of a key: for the properties that extensions of `DependencyValues` declare.
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
    /// The test context, for a store of a test.
    ///
    /// Under XCTest nothing tells one test from another, so that each store begins with defaults of
    /// its own. Swift Testing's tests have theirs.
    mutating func beginTest() {
        if case .xcTest? = TestContext.current { self.shared = DependencyCache() }
        if self.context != .test || self.contextOverride == nil { self.context = .test }
    }

    /// Takes values as the defaults of this process, or of the test that is running.
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

    /// The same context and defaults, and nothing set.
    var withoutOverrides: Self {
        var values = self
        values.overrides = DependencyOverrides()
        values.own = self.contextOverride == nil ? nil : DependencyCache()
        values.access = nil
        return values
    }

    /// True if both have the same overrides because neither was changed since one was copied from
    /// the other.
    func isIdentical(to other: Self) -> Bool {
        self.own === other.own && self.shared === other.shared
    }

    /// These values, and above them those that another has set.
    func merging(_ other: Self) -> Self {
        guard let own = self.own, own !== other.own else { return other }
        guard let otherOwn = other.own else { return self }
        return own.merge(with: otherOwn) {
            // A store's own values are already among those of its features.
            if other.covers(self) { return other }
            var values = other
            values.overrides = self.overrides.merging(other.overrides)
            values.contextOverride = other.contextOverride ?? self.contextOverride
            values.own = DependencyCache()
            return values
        }
    }

    /// True if all that another has set is set here too.
    private func covers(_ other: Self) -> Bool {
        (contextOverride != nil || other.contextOverride == nil)
            && other.overrides.keys.allSatisfy { overrides[$0] != nil }
    }

    /// The same with a value set, made once for the same values: reducers of a store that set the
    /// same then share them, and what was made and merged of them.
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
