extension Reducer {
    /// Overrides a dependency of the reducer and its effects.
    public func dependency<Value>(
        _ keyPath: WritableKeyPath<DependencyValues, Value>, _ value: Value
    ) -> some Reducer<State, Action> {
        _DependencyReducer(base: Evaluated(self)) { $0[keyPath: keyPath] = value }
    }

    /// Overrides a dependency whose type is its own key, for the reducer and its effects.
    public func dependency<Value: TestDependencyKey>(_ value: Value) -> some Reducer<State, Action>
    where Value.Value == Value {
        _DependencyReducer(base: Evaluated(self)) { $0[Value.self] = value }
    }

    /// Changes a dependency of the reducer and its effects.
    public func transformDependency<Value>(
        _ keyPath: WritableKeyPath<DependencyValues, Value>,
        transform: @escaping (_ dependency: inout Value) -> Void
    ) -> some Reducer<State, Action> {
        _TransformedDependencyReducer(base: Evaluated(self)) { transform(&$0[keyPath: keyPath]) }
    }
}

public struct _DependencyReducer<Base: Reducer>: Reducer {
    private let base: Evaluated<Base>
    private let dependencies: DerivedDependencies

    init(base: Evaluated<Base>, update: @escaping (inout DependencyValues) -> Void) {
        self.base = base
        dependencies = DerivedDependencies(update)
    }

    public func reduce(into state: inout Base.State, action: Base.Action) -> Effect<Base.Action> {
        dependencies.with { base.reduce(into: &state, action: action) }
    }
}

/// The reducer of `transformDependency`. Calls the closure for each action, because results may
/// differ.
public struct _TransformedDependencyReducer<Base: Reducer>: Reducer {
    let base: Evaluated<Base>
    let update: (inout DependencyValues) -> Void

    public func reduce(into state: inout Base.State, action: Base.Action) -> Effect<Base.Action> {
        withDependencies(update) { base.reduce(into: &state, action: action) }
    }
}
