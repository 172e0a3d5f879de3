import ComposableArchitecture

/// The owner of effects, for a feature that is in a store twice: the library cancels by id alone,
/// and both have the same ids.
///
/// `MainTabFeature` names the owner: `DependentsFeature().dependency(\.effectOwner, .dependents)`.
enum EffectOwner: Hashable, Sendable {
    case alone, responders, dependents, notifications, settings

    /// An id that cancels nothing of another owner's.
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
