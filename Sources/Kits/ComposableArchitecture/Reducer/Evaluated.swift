/// A reducer that evaluates its body once instead of with each action.
///
/// Evaluating a body creates and resolves key paths to cases, which takes microseconds. Like a
/// reducer, this object is not Sendable, so it belongs to one store.
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

    /// Processes the first action, and finds out whether the reducer only has a body or implements
    /// `reduce(into:action:)` itself.
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

/// Detects whether a reducer's `reduce(into:action:)` is the default one, which runs its body.
///
/// Unchecked because it is created and used within one synchronous call.
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
    /// Returns nil, because a reducer without a body needs no evaluation.
    public func _evaluated() -> ((inout State, Action) -> Effect<Action>)? { nil }
}

extension Reducer where Body: Reducer<State, Action> {
    /// Evaluates the body once.
    @inlinable
    public func _evaluated() -> ((inout State, Action) -> Effect<Action>)? {
        let body = body
        return { body.reduce(into: &$0, action: $1) }
    }
}
