@usableFromInline
struct CancelID: Hashable, @unchecked Sendable {
    // Unchecked because `AnyHashable` isn't Sendable. `init` only accepts Sendable values.
    private let value: AnyHashable

    init(_ id: some Hashable & Sendable) {
        value = AnyHashable(id)
    }
}

/// The path from the store's root feature to the feature that an effect belongs to. Each presented,
/// optional or listed child adds an element.
@usableFromInline
struct EffectScope: Hashable, Sendable {
    @usableFromInline
    struct Element: Hashable, @unchecked Sendable {
        // Unchecked because key paths and `AnyHashable` aren't Sendable, although both are
        // immutable. Ids of list elements are always Sendable. Other ids are only compared and
        // hashed: in the store's isolation, or under the registry's lock.
        let property: AnyKeyPath
        let id: AnyHashable?
    }

    var path: [Element] = []

    func appending(_ element: Element) -> Self {
        EffectScope(path: path + [element])
    }
}
