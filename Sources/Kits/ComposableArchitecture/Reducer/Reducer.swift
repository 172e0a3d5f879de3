/// Describes how actions change a feature's state, and the effects that they have.
///
/// A feature implements ``body``, composed of other reducers; `@Reducer` adds the conformance. A
/// leaf may implement ``reduce(into:action:)`` instead.
public protocol Reducer<State, Action> {
    associatedtype State
    associatedtype Action
    associatedtype Body

    /// Changes the state for an action and returns the resulting effects.
    func reduce(into state: inout State, action: Action) -> Effect<Action>

    /// The reducers that this one is composed of.
    @ReducerBuilder<State, Action>
    var body: Body { get }

    /// Returns a function that runs the reducer's body, which is evaluated once. The store calls
    /// the function for each action. Don't implement this requirement.
    func _evaluated() -> ((inout State, Action) -> Effect<Action>)?
}

/// A reducer with the same state and actions as another.
public typealias ReducerOf<R: Reducer> = Reducer<R.State, R.Action>

extension Reducer {
    /// The body of a reducer that implements ``reduce(into:action:)``. It is never run.
    public var body: EmptyReducer<State, Action> { EmptyReducer() }
}

extension Reducer where Body: Reducer<State, Action> {
    /// Runs the ``body``.
    ///
    /// A store evaluates a body once, with the first action; upstream evaluates it with each
    /// action. A body depends only on the reducer's stored properties, which don't change, and not
    /// on the state, so its conditions (`if isLoggingEnabled { … }`) always have the same result.
    /// Put conditions that can change into the closure of a ``Reduce``.
    public func reduce(into state: inout State, action: Action) -> Effect<Action> {
        BodyProbe.current?.runsBody(of: ObjectIdentifier(Self.self))
        return body.reduce(into: &state, action: action)
    }
}
