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
/// server. It is not Sendable, so the compiler keeps it in that isolation. The store's effects run
/// elsewhere and send their actions back to the store. They are cancelled when the store and all
/// stores scoped from it are deallocated.
@dynamicMemberLookup
public final class Store<State, Action> {
    let node: any StoreNode<State, Action>

    init(node: any StoreNode<State, Action>) {
        self.node = node
    }

    /// Creates a store for a feature.
    ///
    /// - Parameters:
    ///   - initialState: The initial state, created with the store's dependencies.
    ///   - isolation: The isolation that the store belongs to: the caller's.
    ///   - reducer: The feature.
    ///   - prepareDependencies: Changes the dependencies of the feature and its effects.
    public convenience init<R: Reducer<State, Action>>(
        initialState: @autoclosure () -> R.State,
        isolation: isolated (any Actor)? = #isolation,
        @ReducerBuilder<State, Action> reducer: () -> R,
        withDependencies prepareDependencies: ((inout DependencyValues) -> Void)? = nil
    ) {
        self.init(
            node: RootNode(
                StoreCore(
                    initialState: initialState,
                    reducer: reducer,
                    prepareDependencies: { prepareDependencies?(&$0) },
                    isolation: isolation
                )
            )
        )
    }

    /// Sends an action. Processes it and starts its effects before returning.
    ///
    /// An action sent while another is being processed waits for its turn.
    ///
    /// - Returns: A handle to its effects: `await store.send(.refresh).finish()`.
    @discardableResult
    public func send(_ action: Action, isolation: isolated (any Actor)? = #isolation) -> StoreTask {
        node.send(action, isolation: isolation)
    }

    /// Calls a closure with the current state.
    public func withState<R>(_ body: (_ state: State) -> R) -> R {
        body(node.state)
    }
}

/// A store of a feature.
public typealias StoreOf<R: Reducer> = Store<R.State, R.Action>

extension Store where State: ObservableState {
    /// The observed state: `withObservationTracking`, ``observe(isolation:_:)`` and views are
    /// notified when a property that they read changes.
    public var state: State { node.state }

    /// An observed property of the state.
    public subscript<Value>(dynamicMember keyPath: KeyPath<State, Value>) -> Value {
        node.state[keyPath: keyPath]
    }
}

extension Store: Hashable {
    /// Stores are equal if they expose the same part of the same state.
    public static func == (lhs: Store, rhs: Store) -> Bool {
        lhs === rhs || lhs.node.identity == rhs.node.identity
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(node.identity)
    }
}

extension Store: Identifiable {
    /// An id shared by stores that expose the same part of the same state.
    public var id: AnyHashable { node.identity }
}

extension Store: CustomStringConvertible {
    public var description: String { "Store<\(State.self), \(Action.self)>" }
}
