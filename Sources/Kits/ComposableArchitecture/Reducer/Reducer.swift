/// How a feature's state changes with each action, and what effects that has.
///
/// A feature says so in its ``body``, composed of other reducers; `@Reducer` makes a type conform.
/// A leaf may implement ``reduce(into:action:)`` instead.
public protocol Reducer<State, Action> {
    associatedtype State
    associatedtype Action
    associatedtype Body

    /// Changes the state for an action and returns the effects of it.
    func reduce(into state: inout State, action: Action) -> Effect<Action>

    /// The reducers that this one is composed of.
    @ReducerBuilder<State, Action>
    var body: Body { get }

    /// The body of a reducer, made once, for the store to run repeatedly. Not to be implemented.
    func _evaluated() -> ((inout State, Action) -> Effect<Action>)?
}

/// A reducer of the state and actions of another.
public typealias ReducerOf<R: Reducer> = Reducer<R.State, R.Action>

extension Reducer {
    /// A reducer that implements ``reduce(into:action:)`` needs no body: this one is never run.
    public var body: EmptyReducer<State, Action> { EmptyReducer() }
}

extension Reducer where Body: Reducer<State, Action> {
    /// Runs the ``body``.
    ///
    /// A store evaluates a body once, with the first action, where upstream does so with each. A
    /// body sees the reducer's own stored properties and no state, and those do not change, so its
    /// conditions (`if isLoggingEnabled { … }`) come out the same every time. What is to depend on
    /// the moment belongs into the closure of a ``Reduce``.
    public func reduce(into state: inout State, action: Action) -> Effect<Action> {
        BodyProbe.current?.runsBody(of: ObjectIdentifier(Self.self))
        return body.reduce(into: &state, action: action)
    }
}
