import Observation

/// A running feature: exposes its state and receives its actions.
///
/// ```swift
/// let store = Store(initialState: Counter.State()) { Counter() }
/// store.send(.incrementButtonTapped)
/// store.count
/// ```
///
/// A store belongs to the isolation that created it: the main actor in an app, any actor on a
/// server. It isn't Sendable, so the compiler keeps it there. The effects run elsewhere and send
/// their actions to the store. Deallocating the store and all stores scoped from it cancels the
/// effects.
@dynamicMemberLookup
public final class Store<State, Action> {
    let node: any StoreNode<State, Action>

    init(node: any StoreNode<State, Action>) {
        self.node = node
    }

    /// Creates a store for a feature.
    ///
    /// - Parameters:
    ///   - initialState: The initial state. The closure runs with the store's dependencies.
    ///   - isolation: The caller's isolation. The store belongs to it.
    ///   - executor: Runs the tasks of effects. Pass nil for the shared threads.
    ///   - isObserved: Pass false if nothing observes the store. Actions then change the state
    ///     without copying it, and only code outside of reducers may read the store.
    ///   - prepareDependencies: Changes the dependencies of the feature and its effects.
    public convenience init<R: Reducer<State, Action>>(
        initialState: @autoclosure () -> R.State,
        isolation: isolated (any Actor)? = #isolation,
        executor: (any TaskExecutor)? = nil,
        isObserved: Bool = true,
        @ReducerBuilder<State, Action> reducer: () -> R,
        withDependencies prepareDependencies: ((inout DependencyValues) -> Void)? = nil
    ) {
        self.init(
            node: RootNode(
                StoreCore(
                    initialState: initialState,
                    reducer: reducer,
                    prepareDependencies: { prepareDependencies?(&$0) },
                    executor: executor,
                    isObserved: isObserved,
                    isolation: isolation
                )
            )
        )
    }

    /// Processes an action and starts its effects. If another action is being processed, only
    /// queues the action.
    ///
    /// - Returns: A handle to the action's effects: `await store.send(.refresh).finish()`.
    @discardableResult
    public func send(_ action: Action, isolation: isolated (any Actor)? = #isolation) -> StoreTask {
        node.send(action, isolation: isolation)
    }

    public func withState<R>(_ body: (_ state: State) -> R) -> R {
        body(node.state)
    }
}

/// A store for the state and actions of a reducer.
public typealias StoreOf<R: Reducer> = Store<R.State, R.Action>

extension Store where State: ObservableState {
    /// The observed state. Changing a property notifies observers that read the property: views,
    /// ``observe(isolation:_:)`` and `withObservationTracking`.
    public var state: State { node.state }

    public subscript<Value>(dynamicMember keyPath: KeyPath<State, Value>) -> Value {
        node.state[keyPath: keyPath]
    }
}

extension Store: Hashable {
    /// Returns true if both stores expose the same part of the same core.
    public static func == (lhs: Store, rhs: Store) -> Bool {
        lhs === rhs || lhs.node.identity == rhs.node.identity
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(node.identity)
    }
}

extension Store: Identifiable {
    /// Equal for stores that expose the same part of the same core.
    public var id: AnyHashable { node.identity }
}

extension Store: CustomStringConvertible {
    public var description: String { "Store<\(State.self), \(Action.self)>" }
}
