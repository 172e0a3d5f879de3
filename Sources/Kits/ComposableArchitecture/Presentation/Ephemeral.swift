/// State that is dismissed by its first action: an alert or a dialog.
public protocol _EphemeralState {
    associatedtype Action
    static var actionType: Any.Type { get }
}

extension _EphemeralState {
    public static var actionType: Any.Type { Action.self }
}

/// Tells which states are ephemeral: all states of an ephemeral type, or the cases of a destination
/// enum whose values have an ephemeral type. Created once per reducer, like ``ChildIdentity``.
@usableFromInline
struct Ephemerality<State> {
    /// nil if either all states are ephemeral or none is; `areAll` says which.
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
