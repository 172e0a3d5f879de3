/// The identity that effects are cancelled by.
@usableFromInline
struct CancelID: Hashable, @unchecked Sendable {
    // Unchecked because `AnyHashable` is not Sendable; it is only ever made of a Sendable value.
    private let value: AnyHashable

    init(_ id: some Hashable & Sendable) {
        value = AnyHashable(id)
    }
}

/// The place in the tree of features where an effect runs: one element for each presented, optional
/// or listed child on the way from the store's root.
@usableFromInline
struct EffectScope: Hashable, Sendable {
    @usableFromInline
    struct Element: Hashable, @unchecked Sendable {
        // Unchecked because key paths and `AnyHashable` are not Sendable by type. Both are
        // immutable, the ids of elements are Sendable by the operators' signatures, and others are
        // only compared and hashed in the store's isolation or under the registry's lock.
        let property: AnyKeyPath
        let id: AnyHashable?
    }

    var path: [Element] = []

    func appending(_ element: Element) -> Self {
        EffectScope(path: path + [element])
    }
}
