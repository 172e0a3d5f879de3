/// Combines reducers into one reducer, which runs them in order and merges their effects.
@resultBuilder
public enum ReducerBuilder<State, Action> {
    public static func buildExpression<R: Reducer<State, Action>>(_ expression: R) -> R {
        expression
    }

    @_disfavoredOverload
    public static func buildExpression(_ expression: any Reducer<State, Action>) -> Reduce<
        State, Action
    > { Reduce(erasing: expression) }

    public static func buildBlock() -> some Reducer<State, Action> { EmptyReducer() }
    public static func buildBlock<R: Reducer<State, Action>>(_ reducer: R) -> R { reducer }
    public static func buildPartialBlock<R: Reducer<State, Action>>(first: R) -> R { first }

    public static func buildPartialBlock<
        First: Reducer<State, Action>, Second: Reducer<State, Action>
    >(
        accumulated: First, next: Second
    ) -> _Sequence<First, Second> {
        _Sequence(first: accumulated, second: next)
    }

    public static func buildOptional<R: Reducer<State, Action>>(_ reducer: R?) -> R? { reducer }
    public static func buildLimitedAvailability<R: Reducer<State, Action>>(_ reducer: R) -> Reduce<
        State, Action
    > { Reduce(reducer) }
    public static func buildArray<R: Reducer<State, Action>>(_ reducers: [R]) -> _SequenceMany<R> {
        _SequenceMany(reducers: reducers)
    }
    public static func buildFinalResult<R: Reducer<State, Action>>(_ reducer: R) -> R { reducer }

    public static func buildEither<First: Reducer<State, Action>, Second: Reducer<State, Action>>(
        first reducer: First
    ) -> _Conditional<First, Second> {
        .first(reducer)
    }

    public static func buildEither<First: Reducer<State, Action>, Second: Reducer<State, Action>>(
        second reducer: Second
    ) -> _Conditional<First, Second> {
        .second(reducer)
    }

    public enum _Conditional<First: Reducer, Second: Reducer<First.State, First.Action>>: Reducer {
        case first(First)
        case second(Second)

        @inlinable
        public func reduce(into state: inout First.State, action: First.Action) -> Effect<
            First.Action
        > {
            switch self {
            case .first(let first): first.reduce(into: &state, action: action)
            case .second(let second): second.reduce(into: &state, action: action)
            }
        }
    }

    public struct _Sequence<First: Reducer, Second: Reducer<First.State, First.Action>>: Reducer {
        @usableFromInline let first: First
        @usableFromInline let second: Second

        @inlinable
        public func reduce(into state: inout First.State, action: First.Action) -> Effect<
            First.Action
        > {
            let effect = first.reduce(into: &state, action: action)
            return effect.merge(with: second.reduce(into: &state, action: action))
        }
    }

    public struct _SequenceMany<Element: Reducer>: Reducer {
        @usableFromInline let reducers: [Element]

        @inlinable
        public func reduce(into state: inout Element.State, action: Element.Action) -> Effect<
            Element.Action
        > {
            var effect = Effect<Element.Action>.none
            for reducer in reducers {
                effect = effect.merge(with: reducer.reduce(into: &state, action: action))
            }
            return effect
        }
    }
}

extension Optional: Reducer where Wrapped: Reducer {
    @inlinable
    public func reduce(into state: inout Wrapped.State, action: Wrapped.Action) -> Effect<
        Wrapped.Action
    > {
        self?.reduce(into: &state, action: action) ?? .none
    }
}
