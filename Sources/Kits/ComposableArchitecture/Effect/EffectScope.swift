/// An id for cancelling effects.
@usableFromInline
struct CancelID: Hashable, @unchecked Sendable {
    // Unchecked because `AnyHashable` is not Sendable; it always wraps a Sendable value.
    private let value: AnyHashable

    init(_ id: some Hashable & Sendable) {
        value = AnyHashable(id)
    }
}

/// An effect's position in the tree of features: one element for each presented, optional or listed
/// child on the path from the store's root.
@usableFromInline
struct EffectScope: Hashable, Sendable {
    @usableFromInline
    struct Element: Hashable, @unchecked Sendable {
        // Unchecked because key paths and `AnyHashable` are not Sendable by type. Both are
        // immutable. The operators' signatures require that ids of list elements are Sendable.
        // Other ids are only compared and hashed, in the store's isolation or under the registry's
        // lock.
        let property: AnyKeyPath
        let id: AnyHashable?
    }

    var path: [Element] = []

    func appending(_ element: Element) -> Self {
        EffectScope(path: path + [element])
    }
}
