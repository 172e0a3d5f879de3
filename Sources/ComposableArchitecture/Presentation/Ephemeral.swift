/// State that goes away with the first action of its own: an alert, a dialog.
public protocol _EphemeralState {
    associatedtype Action
    static var actionType: Any.Type { get }
}

extension _EphemeralState {
    public static var actionType: Any.Type { Action.self }
}

/// Which states are ephemeral: all of a type, or those cases of an enum of destinations whose type is. Made once for a reducer, as ``ChildIdentity`` is.
struct Ephemerality<State> {
    /// Nil if all states are alike.
    private let look: ((State) -> Bool)?
    private let areAll: Bool

    init() {
        areAll = State.self is any _EphemeralState.Type
        look = if let type = State.self as? any CasePathable.Type { Self.byCase(type) } else { nil }
    }

    func includes(_ state: State) -> Bool { areAll || look?(state) ?? false }

    private static func byCase<Root: CasePathable>(_: Root.Type) -> ((State) -> Bool)? {
        let look: (Root) -> Bool = { caseKeyPath(of: $0).flatMap(valueType) is any _EphemeralState.Type }
        return look as? (State) -> Bool
    }
}
