/// An enum of features that is a reducer for all of them. `@Reducer` generates the conformance.
public protocol CaseReducer<State, Action>: Reducer
where State: CaseReducerState, Body: Reducer, Body.State == State, Body.Action == Action {
    associatedtype State
    associatedtype Action
    associatedtype Body
    /// The stores of the features, by case.
    associatedtype CaseScope

    /// The reducers of all cases.
    @ReducerBuilder<State, Action>
    static var body: Body { get }

    /// Returns the store of the feature that the state is currently in.
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
    /// The store of the feature that the state is currently in.
    public var `case`: State.StateReducer.CaseScope { State.StateReducer.scope(self) }
}

/// Returns the store of the feature in one case. The caller knows that `store` is in that case.
public func _caseScope<State: CasePathable, Action, ChildState, ChildAction>(
    _ store: Store<State, Action>,
    state: ChildState,
    _ toChildState: CaseKeyPath<State, ChildState>,
    action toChildAction: CaseKeyPath<Action, ChildAction>
) -> Store<ChildState, ChildAction> {
    let child: KeyPath<State, ChildState?> = \.[case: toChildState]
    // The second store would be for a state that has already left the case. That can't happen,
    // because this function is called in the store's own isolation.
    return store.scope(state: child, action: toChildAction)
        ?? store.scope(state: \.[_in: toChildState, or: Fallback(state)], action: toChildAction)
}

/// A value in a key path. It equals every other value, so key paths to the same case are equal.
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
