/// A reducer that evaluates its body only once.
///
/// Each evaluation creates and resolves key paths, which takes microseconds. Not Sendable: each
/// instance belongs to one store.
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

    /// Processes the first action. Finds out whether the reducer uses the default
    /// `reduce(into:action:)`, which runs the body.
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

/// Detects whether a reducer uses the default `reduce(into:action:)`, which runs its body.
///
/// Unchecked because each instance is used in only one synchronous call.
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
    /// Returns nil: a reducer without a body needs no evaluation.
    public func _evaluated() -> ((inout State, Action) -> Effect<Action>)? { nil }
}

extension Reducer where Body: Reducer<State, Action> {
    /// Evaluates the body, and returns a function that runs it.
    @inlinable
    public func _evaluated() -> ((inout State, Action) -> Effect<Action>)? {
        let body = body
        return { body.reduce(into: &$0, action: $1) }
    }
}
