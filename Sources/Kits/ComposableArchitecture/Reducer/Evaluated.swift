/// A reducer whose body is evaluated once, and not with each action.
///
/// A body is made of key paths to cases, which take microseconds to make and to resolve. It is not
/// Sendable, as reducers are not, so it belongs to one store.
@usableFromInline
final class Evaluated<Base: Reducer> {
    @usableFromInline let base: Base
    @usableFromInline var evaluated: ((inout Base.State, Base.Action) -> Effect<Base.Action>)?
    @usableFromInline var isKnown = false

    @usableFromInline
    init(_ base: Base) {
        self.base = base
    }

    @inlinable
    func reduce(into state: inout Base.State, action: Base.Action) -> Effect<Base.Action> {
        if let evaluated { return evaluated(&state, action) }
        if isKnown { return base.reduce(into: &state, action: action) }
        return find(into: &state, action: action)
    }

    /// The first time: whether the reducer is nothing but its body, or has a `reduce(into:action:)`
    /// of its own.
    @usableFromInline
    func find(into state: inout Base.State, action: Base.Action) -> Effect<Base.Action> {
        let probe = BodyProbe(ObjectIdentifier(Base.self))
        let effect = BodyProbe.$current.withValue(probe) {
            base.reduce(into: &state, action: action)
        }
        isKnown = true
        if probe.isBody { evaluated = base._evaluated() }
        return effect
    }
}

/// Tells whether a reducer's `reduce(into:action:)` is the one that runs its body.
///
/// Unchecked because it is made, told and asked within one synchronous call.
final class BodyProbe: @unchecked Sendable {
    @TaskLocal static var current: BodyProbe?

    private let type: ObjectIdentifier
    private(set) var isBody = false

    init(_ type: ObjectIdentifier) {
        self.type = type
    }

    func runsBody(of type: ObjectIdentifier) {
        if type == self.type { isBody = true }
    }
}

extension Reducer {
    /// Nothing to evaluate.
    public func _evaluated() -> ((inout State, Action) -> Effect<Action>)? { nil }
}

extension Reducer where Body: Reducer<State, Action> {
    /// The body, evaluated.
    @inlinable
    public func _evaluated() -> ((inout State, Action) -> Effect<Action>)? {
        let body = body
        return { body.reduce(into: &$0, action: $1) }
    }
}
