import Foundation
import IssueReporting

/// Caches default values. A process has one shared cache, and each set of overrides has its own.
final class DependencyCache: Sendable {
    /// The key of a cached default. Each test has its own defaults.
    struct Key: Hashable {
        let key: ObjectIdentifier
        let context: DependencyContext
        let test: TestContext.Testing.Test.ID?

        init(_ key: Any.Type, context: DependencyContext) {
            self.init(id: ObjectIdentifier(key), context: context)
        }

        init(id: ObjectIdentifier, context: DependencyContext) {
            self.key = id
            self.context = context
            if context == .test, case .swiftTesting(let testing?) = TestContext.current {
                self.test = testing.test.id
            } else {
                self.test = nil
            }
        }
    }

    /// A default value, and what it read while it was made.
    struct Made {
        let box: any DependencyBox
        let findings: DependencyResolution.Findings
    }

    private struct Contents {
        var made: [Key: Made] = [:]
        var locks: [Key: NSRecursiveLock] = [:]
        var merge: (other: DependencyCache, values: DependencyValues)?
        var derived: (box: any DependencyBox, values: DependencyValues)?
        weak var kept: KeptDependencies?
    }

    private let contents = Guarded(Contents())

    func made(_ key: Key) -> Made? {
        self.contents.withLock { $0.made[key] }
    }

    func keep(_ made: Made, for key: Key) {
        self.contents.withLock { $0.made[key] = made }
    }

    var keys: Set<Key> {
        self.contents.withLock { Set($0.made.keys) }
    }

    /// Stores a value as a default. Reports an issue instead if the key is in `inUse`.
    func prepare(_ box: any DependencyBox, for key: Key, inUse: Set<Key>, origin: SourceOrigin) {
        guard inUse.contains(key) else {
            return self.keep(Made(box: box, findings: DependencyResolution.Findings()), for: key)
        }
        reportIssue(
            """
            'prepareDependencies' was given a value for a dependency that has been used or \
            prepared before. The value is left out.

            Prepare dependencies where the program starts, before anything can read them.
            """,
            at: origin
        )
    }

    /// Runs `body`, which makes a default, while no other thread makes the same default.
    ///
    /// Each default has its own lock. The lock is recursive, because making a default can require
    /// others. A deadlock needs two defaults that depend on each other, and such defaults can't be
    /// made.
    func making<R>(_ key: Key, _ body: () -> R) -> R {
        let lock = self.contents.withLock { contents in
            let lock = contents.locks[key] ?? NSRecursiveLock()
            contents.locks[key] = lock
            return lock
        }
        return lock.withLock(body)
    }

    /// Returns the merge of this cache's overrides with those of `other`.
    ///
    /// Caches the last result. A repeated merge thus also reuses the defaults made for the result.
    func merge(with other: DependencyCache, _ make: () -> DependencyValues) -> DependencyValues {
        if let merge = self.contents.withLock({ $0.merge }), merge.other === other {
            return merge.values
        }
        let values = make()
        self.contents.withLock { $0.merge = (other, values) }
        return values
    }

    /// Returns `parent` with one override added. Caches the last result.
    func derived(
        by box: any DependencyBox, from parent: DependencyValues, _ make: () -> DependencyValues
    ) -> DependencyValues {
        if let derived = self.contents.withLock({ $0.derived }), derived.box === box,
            derived.values.shared === parent.shared
        {
            return derived.values
        }
        let values = make()
        self.contents.withLock { $0.derived = (box, values) }
        return values
    }
}

extension DependencyCache {
    /// Returns the values as an object, the same one for as long as it is in use.
    func keeping(_ values: DependencyValues) -> KeptDependencies {
        contents.withLock { contents in
            if let kept = contents.kept, kept.values.isIdentical(to: values) { return kept }
            let kept = KeptDependencies(values)
            contents.kept = kept
            return kept
        }
    }
}

/// The values of the task that has created properties. All its properties share them.
final class KeptDependencies: Sendable {
    let values: DependencyValues

    fileprivate init(_ values: DependencyValues) {
        var values = values
        values.access = nil
        self.values = values
    }
}

/// A type-erased dependency value. A class, because casting a class is cheap.
protocol DependencyBox: AnyObject, Sendable {}

final class TypedDependencyBox<Value: Sendable>: DependencyBox {
    let value: Value

    init(_ value: Value) {
        self.value = value
    }
}

extension DependencyBox {
    func value<Value: Sendable>(as _: Value.Type) -> Value? {
        (self as? TypedDependencyBox<Value>)?.value
    }
}
