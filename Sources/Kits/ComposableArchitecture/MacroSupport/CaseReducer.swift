/// An enum of features that is itself a reducer. `@Reducer` generates the conformance.
public protocol CaseReducer<State, Action>: Reducer
where State: CaseReducerState, Body: Reducer, Body.State == State, Body.Action == Action {
    associatedtype State
    associatedtype Action
    associatedtype Body
    /// An enum with the store of each feature.
    associatedtype CaseScope

    @ReducerBuilder<State, Action>
    static var body: Body { get }

    /// Returns the store of the current case's feature.
    static func scope(_ store: Store<State, Action>) -> CaseScope
}

extension CaseReducer {
    public var body: Body { Self.body }
}

public protocol CaseReducerState: CasePathable, ObservableState {
    associatedtype StateReducer: CaseReducer where StateReducer.State == Self
}

public protocol _CaseScopeProtocol {}

extension Store where State: CaseReducerState, State.StateReducer.Action == Action {
    public var `case`: State.StateReducer.CaseScope { State.StateReducer.scope(self) }
}

/// Returns the store of one case's feature. The caller has checked that the state is in that case.
public func _caseScope<State: CasePathable, Action, ChildState, ChildAction>(
    _ store: Store<State, Action>,
    state: ChildState,
    _ toChildState: CaseKeyPath<State, ChildState>,
    action toChildAction: CaseKeyPath<Action, ChildAction>
) -> Store<ChildState, ChildAction> {
    let child: KeyPath<State, ChildState?> = \.[case: toChildState]
    // The first scope can't be nil, because the state can't leave the case during this call. The
    // fallback satisfies the type system.
    return store.scope(state: child, action: toChildAction)
        ?? store.scope(state: \.[_in: toChildState, or: Fallback(state)], action: toChildAction)
}

/// A value inside a key path. All values are equal, so that key paths to the same case are equal.
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
