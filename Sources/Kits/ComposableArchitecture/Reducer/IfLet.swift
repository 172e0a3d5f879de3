extension Reducer {
    /// Runs a child's reducer on an optional part of the state, while the part isn't nil.
    ///
    /// The child runs before the parent. The child thus still handles an action that makes the
    /// parent remove the child. Removing the child cancels its effects. Replacing the child by a
    /// child with a different id does the same.
    public func ifLet<WrappedState, WrappedAction, Wrapped: Reducer<WrappedState, WrappedAction>>(
        _ toWrappedState: WritableKeyPath<State, WrappedState?>,
        action toWrappedAction: CaseKeyPath<Action, WrappedAction>,
        @ReducerBuilder<WrappedState, WrappedAction> then wrapped: () -> Wrapped,
        fileID: StaticString = #fileID,
        filePath: StaticString = #filePath,
        line: UInt = #line,
        column: UInt = #column
    ) -> some Reducer<State, Action> {
        _IfLetReducer(
            parent: self,
            child: Evaluated(wrapped()),
            toChildState: toWrappedState,
            toChildAction: AnyCasePath(toWrappedAction),
            origin: SourceOrigin(fileID: fileID, filePath: filePath, line: line, column: column)
        )
    }

    /// Shows an alert or a dialog. Any action of its buttons dismisses it.
    public func ifLet<WrappedState: _EphemeralState, WrappedAction>(
        _ toWrappedState: WritableKeyPath<State, WrappedState?>,
        action toWrappedAction: CaseKeyPath<Action, WrappedAction>,
        fileID: StaticString = #fileID,
        filePath: StaticString = #filePath,
        line: UInt = #line,
        column: UInt = #column
    ) -> some Reducer<State, Action> {
        ifLet(
            toWrappedState, action: toWrappedAction,
            then: { EmptyReducer<WrappedState, WrappedAction>() },
            fileID: fileID, filePath: filePath, line: line, column: column)
    }
}

public struct _IfLetReducer<Parent: Reducer, Child: Reducer>: Reducer {
    @usableFromInline let parent: Parent
    @usableFromInline let child: Evaluated<Child>
    @usableFromInline let place: Place<Parent.State, Child.State?>
    @usableFromInline let identity = ChildIdentity<Child.State>()
    @usableFromInline let isEphemeral = Child.State.self is any _EphemeralState.Type
    private let toChildAction: AnyCasePath<Parent.Action, Child.Action>
    private let origin: SourceOrigin

    init(
        parent: Parent,
        child: Evaluated<Child>,
        toChildState: WritableKeyPath<Parent.State, Child.State?>,
        toChildAction: AnyCasePath<Parent.Action, Child.Action>,
        origin: SourceOrigin
    ) {
        self.parent = parent
        self.child = child
        place = Place(toChildState)
        self.toChildAction = toChildAction
        self.origin = origin
    }

    @inlinable
    public func reduce(into state: inout Parent.State, action: Parent.Action) -> Effect<
        Parent.Action
    > {
        let childAction = extract(action)
        // Without a child before the action, nothing needs to be cancelled.
        guard let before = place.read(&state, { $0.map(identity.of) }) else {
            if childAction != nil { reportAbsence(action) }
            return parent.reduce(into: &state, action: action)
        }
        var effect = Effect<Parent.Action>.none
        if let childAction {
            let childEffect = place.modify(&state) { optional in
                optional.modifyIfPresent { child.reduce(into: &$0, action: childAction) }
            }
            if let childEffect, !childEffect.isNone { effect = embed(childEffect, id: before) }
            if isEphemeral { state[keyPath: place.keyPath] = nil }
        }
        effect = effect.merge(with: parent.reduce(into: &state, action: action))
        return place.read(&state, { identity.isKept(before, by: $0) })
            ? effect : effect.merge(with: cancellation(id: before))
    }

    @usableFromInline
    func extract(_ action: Parent.Action) -> Child.Action? {
        toChildAction.extract(from: action)
    }

    @usableFromInline
    func embed(_ effect: Effect<Child.Action>, id: AnyHashable) -> Effect<Parent.Action> {
        let path = toChildAction
        return Effect(
            .scoped(
                effect.map { path.embed($0) },
                to: EffectScope.Element(property: place.keyPath, id: id)))
    }

    @usableFromInline
    func cancellation(id: AnyHashable) -> Effect<Parent.Action> {
        Effect(.cancelScope(EffectScope.Element(property: place.keyPath, id: id)))
    }

    @usableFromInline
    func reportAbsence(_ action: Parent.Action) {
        reportAbsent(
            "An \"ifLet\"", "a child action when child state was \"nil\"", action: action,
            origin: origin,
            reasons: [
                """
                A parent reducer set child state to "nil" before this reducer ran. This reducer \
                must run before any other reducer sets child state to "nil".
                """,
                """
                An in-flight effect emitted this action when child state was "nil". While it may \
                be perfectly reasonable to ignore this action, consider canceling the associated \
                effect before child state becomes "nil".
                """,
                """
                This action was sent to the store while state was "nil". Make sure that actions \
                for this reducer can only be sent from a view store when state is non-"nil".
                """,
            ]
        )
    }
}
