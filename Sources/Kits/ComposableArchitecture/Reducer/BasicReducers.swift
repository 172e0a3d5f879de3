/// A reducer made from a function.
public struct Reduce<State, Action>: Reducer {
    @usableFromInline let function: (inout State, Action) -> Effect<Action>

    public init(_ reduce: @escaping (_ state: inout State, _ action: Action) -> Effect<Action>) {
        function = reduce
    }

    public init<R: Reducer<State, Action>>(_ reducer: R) {
        function = reducer.reduce
    }

    init(erasing reducer: any Reducer<State, Action>) {
        self.init(reducer)
    }

    @inlinable
    public func reduce(into state: inout State, action: Action) -> Effect<Action> {
        function(&state, action)
    }
}

public struct EmptyReducer<State, Action>: Reducer {
    public init() {}

    @inlinable
    public func reduce(into state: inout State, action: Action) -> Effect<Action> { .none }
}

/// Combines reducers, so that one operator can apply to all of them.
public struct CombineReducers<State, Action, Reducers: Reducer<State, Action>>: Reducer {
    @usableFromInline let reducers: Reducers

    public init(@ReducerBuilder<State, Action> _ build: () -> Reducers) {
        reducers = build()
    }

    @inlinable
    public func reduce(into state: inout State, action: Action) -> Effect<Action> {
        reducers.reduce(into: &state, action: action)
    }
}
