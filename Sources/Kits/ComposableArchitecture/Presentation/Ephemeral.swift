/// State that its first action dismisses: an alert or a dialog.
public protocol _EphemeralState {
    associatedtype Action
    static var actionType: Any.Type { get }
}

extension _EphemeralState {
    public static var actionType: Any.Type { Action.self }
}

/// Decides which states are ephemeral. A type can be ephemeral as a whole; for a destination enum,
/// the type of each case decides. Created once per reducer.
@usableFromInline
struct Ephemerality<State> {
    /// `nil` if the case doesn't matter. ``areAll`` then decides.
    @usableFromInline let isEphemeral: ((UnsafePointer<State>) -> Bool)?
    @usableFromInline let areAll: Bool

    init() {
        areAll = State.self is any _EphemeralState.Type
        isEphemeral =
            if let type = State.self as? any CasePathable.Type { Self.byCase(type) } else { nil }
    }

    @inlinable
    func includes(_ state: UnsafePointer<State>) -> Bool { areAll || isEphemeral?(state) ?? false }

    private static func byCase<Root: CasePathable>(_: Root.Type) -> (
        (UnsafePointer<State>) -> Bool
    )? {
        let kinds = CaseKinds<Root>()
        let isEphemeral: (UnsafePointer<Root>) -> Bool = { kinds.of($0).isEphemeral }
        return isEphemeral as? (UnsafePointer<State>) -> Bool
    }
}
