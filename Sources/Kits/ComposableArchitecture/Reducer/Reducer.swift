/// Changes a feature's state for each action, and returns the effects.
///
/// A feature implements ``body``, which combines other reducers. `@Reducer` adds the conformance. A
/// reducer without parts may implement ``reduce(into:action:)`` instead.
public protocol Reducer<State, Action> {
    associatedtype State
    associatedtype Action
    associatedtype Body

    /// Changes the state for an action. Returns the effects of the action.
    func reduce(into state: inout State, action: Action) -> Effect<Action>

    @ReducerBuilder<State, Action>
    var body: Body { get }

    /// Evaluates the body, and returns a function that runs the body for an action. Returns nil
    /// without a body. Features don't implement this requirement.
    func _evaluated() -> ((inout State, Action) -> Effect<Action>)?
}

/// A reducer with the state and the actions of another reducer.
public typealias ReducerOf<R: Reducer> = Reducer<R.State, R.Action>

extension Reducer {
    /// Satisfies the protocol for a reducer that implements ``reduce(into:action:)``. Never runs.
    public var body: EmptyReducer<State, Action> { EmptyReducer() }
}

extension Reducer where Body: Reducer<State, Action> {
    /// Runs the ``body``.
    ///
    /// A store evaluates the body only once; Point-Free's library evaluates it for each action. A
    /// condition in the body, such as `if isLoggingEnabled { … }`, is therefore also evaluated only
    /// once. Put conditions that can change into the closure of a ``Reduce``.
    public func reduce(into state: inout State, action: Action) -> Effect<Action> {
        BodyProbe.current?.runsBody(of: ObjectIdentifier(Self.self))
        return body.reduce(into: &state, action: action)
    }
}
