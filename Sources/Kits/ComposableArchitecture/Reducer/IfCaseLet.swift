extension Reducer {
    /// Runs a child's reducer on one case of the state, while the state is in that case.
    ///
    /// The child runs before the parent. Leaving the case cancels the child's effects. Replacing
    /// the child by a child with a different id does the same.
    public func ifCaseLet<CaseState, CaseAction, Case: Reducer<CaseState, CaseAction>>(
        _ toCaseState: CaseKeyPath<State, CaseState>,
        action toCaseAction: CaseKeyPath<Action, CaseAction>,
        @ReducerBuilder<CaseState, CaseAction> then case: () -> Case,
        fileID: StaticString = #fileID,
        filePath: StaticString = #filePath,
        line: UInt = #line,
        column: UInt = #column
    ) -> some Reducer<State, Action> where State: CasePathable {
        _IfCaseLetReducer(
            parent: self,
            child: Evaluated(`case`()),
            property: toCaseState,
            toChildState: AnyCasePath(toCaseState),
            toChildAction: AnyCasePath(toCaseAction),
            origin: SourceOrigin(fileID: fileID, filePath: filePath, line: line, column: column)
        )
    }
}

public struct _IfCaseLetReducer<Parent: Reducer, Child: Reducer>: Reducer {
    let parent: Parent
    let child: Evaluated<Child>
    let property: AnyKeyPath
    let toChildState: AnyCasePath<Parent.State, Child.State>
    let identity = ChildIdentity<Child.State>()
    let toChildAction: AnyCasePath<Parent.Action, Child.Action>
    let origin: SourceOrigin

    public func reduce(into state: inout Parent.State, action: Parent.Action) -> Effect<
        Parent.Action
    > {
        let before = toChildState.extract(from: state).map(identity.of)
        let childEffect = reduceChild(into: &state, action: action, id: before)
        let effect = childEffect.merge(with: parent.reduce(into: &state, action: action))
        guard let before, !identity.isKept(before, by: toChildState.extract(from: state)) else {
            return effect
        }
        return effect.merge(
            with: Effect(.cancelScope(EffectScope.Element(property: property, id: before))))
    }

    private func reduceChild(
        into state: inout Parent.State, action: Parent.Action, id: AnyHashable?
    ) -> Effect<Parent.Action> {
        guard let childAction = toChildAction.extract(from: action) else { return .none }
        let effect = toChildState.modifyIfPresent(&state) {
            child.reduce(into: &$0, action: childAction)
        }
        guard let effect else {
            reportAbsent(
                "An \"ifCaseLet\"", "a child action when child state was set to a different case",
                action: action, origin: origin,
                reasons: [
                    """
                    A parent reducer set "\(Parent.State.self)" to a different case before this \
                    reducer ran. This reducer must run before any other reducer sets child state \
                    to a different case.
                    """,
                    """
                    An in-flight effect emitted this action when child state was unavailable. \
                    While it may be perfectly reasonable to ignore this action, consider canceling \
                    the associated effect before child state changes to another case.
                    """,
                    "This action was sent to the store while state was another case.",
                ]
            )
            return .none
        }
        let path = toChildAction
        if effect.isNone { return .none }
        return Effect(
            .scoped(
                effect.map { path.embed($0) }, to: EffectScope.Element(property: property, id: id)))
    }
}
