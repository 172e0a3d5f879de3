import ComposableArchitecture

/// The owner of effects, for a store that contains a feature twice. Both copies have the same ids,
/// and the library cancels effects by id alone.
///
/// `MainTabFeature` sets the owner: `DependentsFeature().dependency(\.effectOwner, .dependents)`.
enum EffectOwner: Hashable, Sendable {
    case alone, responders, dependents, notifications, settings

    /// Returns an id that cancels only this owner's effects.
    func callAsFunction<ID: Hashable & Sendable>(_ id: ID) -> OwnedID<ID> {
        OwnedID(owner: self, id: id)
    }
}

struct OwnedID<ID: Hashable & Sendable>: Hashable, Sendable {
    let owner: EffectOwner
    let id: ID
}

private enum EffectOwnerKey: DependencyKey {
    static let liveValue = EffectOwner.alone
    static let testValue = EffectOwner.alone
}

extension DependencyValues {
    var effectOwner: EffectOwner {
        get { self[EffectOwnerKey.self] }
        set { self[EffectOwnerKey.self] = newValue }
    }
}
