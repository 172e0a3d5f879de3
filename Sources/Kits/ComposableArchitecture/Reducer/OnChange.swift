extension Reducer {
    /// Runs another reducer when this reducer changes a value of the state.
    ///
    /// ```swift
    /// .onChange(of: \.settings.isMuted) { oldValue, newValue in
    ///     Reduce { state, action in .run { _ in await client.save(newValue) } }
    /// }
    /// ```
    public func onChange<V: Equatable, R: Reducer<State, Action>>(
        of toValue: @escaping (State) -> V,
        @ReducerBuilder<State, Action> _ reducer: @escaping (_ oldValue: V, _ newValue: V) -> R
    ) -> some Reducer<State, Action> {
        _OnChangeReducer(base: self, toValue: toValue, isDuplicate: ==, reducer: reducer)
    }

    /// Runs another reducer when this reducer changes a value of the state, by a custom comparison.
    public func onChange<V, R: Reducer<State, Action>>(
        of toValue: @escaping (State) -> V,
        removeDuplicates isDuplicate: @escaping (V, V) -> Bool,
        @ReducerBuilder<State, Action> _ reducer: @escaping (_ oldValue: V, _ newValue: V) -> R
    ) -> some Reducer<State, Action> {
        _OnChangeReducer(base: self, toValue: toValue, isDuplicate: isDuplicate, reducer: reducer)
    }
}

public struct _OnChangeReducer<Base: Reducer, Value, Change: Reducer<Base.State, Base.Action>>:
    Reducer
{
    let base: Base
    let toValue: (Base.State) -> Value
    let isDuplicate: (Value, Value) -> Bool
    let reducer: (Value, Value) -> Change

    public func reduce(into state: inout Base.State, action: Base.Action) -> Effect<Base.Action> {
        let oldValue = toValue(state)
        let effect = base.reduce(into: &state, action: action)
        let newValue = toValue(state)
        guard !isDuplicate(oldValue, newValue) else { return effect }
        return effect.merge(with: reducer(oldValue, newValue).reduce(into: &state, action: action))
    }
}
