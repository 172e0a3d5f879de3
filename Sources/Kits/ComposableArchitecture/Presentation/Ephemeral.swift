/// State that goes away with the first action of its own: an alert, a dialog.
public protocol _EphemeralState {
    associatedtype Action
    static var actionType: Any.Type { get }
}

extension _EphemeralState {
    public static var actionType: Any.Type { Action.self }
}

/// The rule for ephemeral states: all of a type, or those cases of an enum of destinations whose
/// type is. Made once for a reducer, as ``ChildIdentity`` is.
@usableFromInline
struct Ephemerality<State> {
    /// Nil if all states are alike.
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
