/// An enumeration of features that is the reducer of them all: what `@Reducer` makes of an
/// enumeration.
public protocol CaseReducer<State, Action>: Reducer
where State: CaseReducerState, Body: Reducer, Body.State == State, Body.Action == Action {
    associatedtype State
    associatedtype Action
    associatedtype Body
    /// The stores of the features, case by case.
    associatedtype CaseScope

    /// The reducers of all cases.
    @ReducerBuilder<State, Action>
    static var body: Body { get }

    /// The store of the feature whose case the state is in.
    static func scope(_ store: Store<State, Action>) -> CaseScope
}

extension CaseReducer {
    public var body: Body { Self.body }
}

/// The state of a ``CaseReducer``.
public protocol CaseReducerState: CasePathable, ObservableState {
    associatedtype StateReducer: CaseReducer where StateReducer.State == Self
}

/// The stores of a ``CaseReducer``.
public protocol _CaseScopeProtocol {}

extension Store where State: CaseReducerState, State.StateReducer.Action == Action {
    /// The store of the feature whose case the state is in.
    public var `case`: State.StateReducer.CaseScope { State.StateReducer.scope(self) }
}

/// The store of the feature in a case of a state that `store` is known to be in.
public func _caseScope<State: CasePathable, Action, ChildState, ChildAction>(
    _ store: Store<State, Action>,
    state: ChildState,
    _ toChildState: CaseKeyPath<State, ChildState>,
    action toChildAction: CaseKeyPath<Action, ChildAction>
) -> Store<ChildState, ChildAction> {
    let child: KeyPath<State, ChildState?> = \.[case: toChildState]
    // The second is for a store that has left the case already, which cannot be while its own
    // isolation asks.
    return store.scope(state: child, action: toChildAction)
        ?? store.scope(state: \.[_in: toChildState, or: Fallback(state)], action: toChildAction)
}

/// A value in a key path; key paths to the same case are the same whatever the value.
private struct Fallback<Value>: Hashable {
    let value: Value

    init(_ value: Value) { self.value = value }

    static func == (lhs: Self, rhs: Self) -> Bool { true }
    func hash(into hasher: inout Hasher) {}
}

extension CasePathable {
    fileprivate subscript<Value>(_in path: CaseKeyPath<Self, Value>, or fallback: Fallback<Value>)
        -> Value
    {
        AnyCasePath(path).extract(from: self) ?? fallback.value
    }
}
