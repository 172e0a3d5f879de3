import Observation

/// A running feature: its state, to be looked at, and the way in for actions.
///
/// ```swift
/// let store = Store(initialState: Counter.State()) { Counter() }
/// store.send(.incrementButtonTapped)
/// store.count
/// ```
///
/// A store belongs to the isolation that made it: the main actor in an app, any actor on a server.
/// It is not Sendable, so the compiler keeps it there; its effects run elsewhere and bring their
/// actions back to it. When the last reference to the store and to the stores scoped from it goes,
/// its effects are cancelled.
@dynamicMemberLookup
public final class Store<State, Action> {
    let node: any StoreNode<State, Action>

    init(node: any StoreNode<State, Action>) {
        self.node = node
    }

    /// Makes a store for a feature.
    ///
    /// - Parameters:
    ///   - initialState: The state to begin with, made with the store's dependencies.
    ///   - isolation: The isolation that the store belongs to: the one that makes it.
    ///   - reducer: The feature.
    ///   - prepareDependencies: Changes the dependencies that the feature and its effects have.
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

    /// Sends an action: it is processed, and its effects are started, before this returns.
    ///
    /// An action that is sent while another is processed waits for its turn.
    ///
    /// - Returns: The life of its effects: `await store.send(.refresh).finish()`.
    @discardableResult
    public func send(_ action: Action, isolation: isolated (any Actor)? = #isolation) -> StoreTask {
        node.send(action, isolation: isolation)
    }

    /// Calls a closure with the state as it is now.
    public func withState<R>(_ body: (_ state: State) -> R) -> R {
        body(node.state)
    }
}

/// A store of a feature.
public typealias StoreOf<R: Reducer> = Store<R.State, R.Action>

extension Store where State: ObservableState {
    /// The state, observed: whoever reads a property of it in `withObservationTracking`,
    /// ``observe(isolation:_:)`` or a view is told when it changes.
    public var state: State { node.state }

    /// A property of the state, observed.
    public subscript<Value>(dynamicMember keyPath: KeyPath<State, Value>) -> Value {
        node.state[keyPath: keyPath]
    }
}

extension Store: Hashable {
    /// Stores are equal when they look at the same part of the same state.
    public static func == (lhs: Store, rhs: Store) -> Bool {
        lhs === rhs || lhs.node.identity == rhs.node.identity
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(node.identity)
    }
}

extension Store: Identifiable {
    /// The same for stores that look at the same part of the same state.
    public var id: AnyHashable { node.identity }
}

extension Store: CustomStringConvertible {
    public var description: String { "Store<\(State.self), \(Action.self)>" }
}
