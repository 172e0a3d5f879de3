/// State that goes away with the first action of its own: an alert, a dialog.
public protocol _EphemeralState {
    associatedtype Action
    static var actionType: Any.Type { get }
}

extension _EphemeralState {
    public static var actionType: Any.Type { Action.self }
}

/// Whether the value is ephemeral, or an enum of destinations in the case of one that is.
func isEphemeral<State>(_ state: State?) -> Bool {
    guard let state else { return false }
    if State.self is any _EphemeralState.Type { return true }
    guard let type = State.self as? any CasePathable.Type else { return false }
    func open<Root: CasePathable>(_: Root.Type) -> Bool {
        guard let root = state as? Root, let path = (Root.allCasePaths as? any CasePathReflectable<Root>)?[root] else { return false }
        return root[case: path] is any _EphemeralState
    }
    return open(type)
}
