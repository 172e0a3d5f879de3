extension Reducer {
    /// Runs the reducer of a presented child while it is shown.
    ///
    /// ```swift
    /// .ifLet(\.$addItem, action: \.addItem) { ItemForm() }
    /// ```
    ///
    /// The child runs first, then the parent. `PresentationAction.dismiss` makes the child go away after the parent has seen it; the child can wish for it
    /// by `@Dependency(\.dismiss)`. The child's effects are cancelled when it has gone, or when another has taken its place.
    public func ifLet<DestinationState, DestinationAction, Destination: Reducer<DestinationState, DestinationAction>>(
        _ toPresentationState: WritableKeyPath<State, PresentationState<DestinationState>>,
        action toPresentationAction: CaseKeyPath<Action, PresentationAction<DestinationAction>>,
        @ReducerBuilder<DestinationState, DestinationAction> destination: () -> Destination,
        fileID: StaticString = #fileID,
        filePath: StaticString = #filePath,
        line: UInt = #line,
        column: UInt = #column
    ) -> some Reducer<State, Action> {
        _PresentationReducer(
            parent: self,
            destination: Evaluated(destination()),
            toState: toPresentationState,
            toAction: AnyCasePath(toPresentationAction),
            origin: SourceOrigin(fileID: fileID, filePath: filePath, line: line, column: column)
        )
    }

    /// Shows an alert or a dialog, which goes away with any action of its buttons.
    public func ifLet<DestinationState: _EphemeralState, DestinationAction>(
        _ toPresentationState: WritableKeyPath<State, PresentationState<DestinationState>>,
        action toPresentationAction: CaseKeyPath<Action, PresentationAction<DestinationAction>>,
        fileID: StaticString = #fileID,
        filePath: StaticString = #filePath,
        line: UInt = #line,
        column: UInt = #column
    ) -> some Reducer<State, Action> {
        _PresentationReducer(
            parent: self,
            destination: Evaluated(EmptyReducer<DestinationState, DestinationAction>()),
            toState: toPresentationState,
            toAction: AnyCasePath(toPresentationAction),
            origin: SourceOrigin(fileID: fileID, filePath: filePath, line: line, column: column)
        )
    }
}

/// What `ifLet` makes of a presentation.
public struct _PresentationReducer<Parent: Reducer, Destination: Reducer>: Reducer {
    let parent: Parent
    let destination: Evaluated<Destination>
    let toState: WritableKeyPath<Parent.State, PresentationState<Destination.State>>
    let toAction: AnyCasePath<Parent.Action, PresentationAction<Destination.Action>>
    let origin: SourceOrigin
    let childIdentity = ChildIdentity<Destination.State>()
    let ephemerality = Ephemerality<Destination.State>()

    public func reduce(into state: inout Parent.State, action: Parent.Action) -> Effect<Parent.Action> {
        let before = identity(in: state)
        let effect: Effect<Parent.Action>
        switch toAction.extract(from: action) {
        case .presented(let destinationAction):
            let isEphemeral = state[keyPath: toState].look(ephemerality.includes) ?? false
            let destinationEffect = reduceDestination(into: &state, action: destinationAction, id: before, parentAction: action)
            effect = destinationEffect.merge(with: parent.reduce(into: &state, action: action))
            if isEphemeral, before == identity(in: state) { state[keyPath: toState].wrappedValue = nil }
        case .dismiss:
            if before == nil { reportAbsent("a presentation action", action: action) }
            effect = parent.reduce(into: &state, action: action)
            if before != nil, before == identity(in: state) { state[keyPath: toState].wrappedValue = nil }
        case nil:
            effect = parent.reduce(into: &state, action: action)
        }
        guard let before, before != identity(in: state) else { return effect }
        return effect.merge(with: Effect(.cancelScope(EffectScope.Element(property: toState, id: before))))
    }

    private func identity(in state: Parent.State) -> AnyHashable? {
        state[keyPath: toState].look(childIdentity.of)
    }

    private func reduceDestination(
        into state: inout Parent.State, action: Destination.Action, id: AnyHashable?, parentAction: Parent.Action
    ) -> Effect<Parent.Action> {
        guard id != nil else {
            reportAbsent("a presentation action", action: parentAction)
            return .none
        }
        let effect = withDependencies {
            $0.dismiss = .presented
        } operation: {
            modify(&state, toState) { $0.wrappedValue.modifyIfPresent { destination.reduce(into: &$0, action: action) } }
        }
        guard let effect, !effect.isNone else { return .none }
        let path = toAction
        let presented =
            effect
            .map { path.embed(.presented($0)) }
            .wrappingRuns { send, operation in
                let dismissal = DismissEffect.Dismissal { await send.forward(path.embed(.dismiss)) }
                await DismissEffect.$dismissPresented.withValue(dismissal) { await operation(send) }
            }
        return Effect(.scoped(presented, to: EffectScope.Element(property: toState, id: id)))
    }

    private func reportAbsent(_ what: String, action: Parent.Action) {
        ComposableArchitecture.reportAbsent(
            "An \"ifLet\"", "\(what) while nothing is presented", action: action, origin: origin,
            reasons: [
                "Another reducer set the presented state to \"nil\" before this one ran: it has to run after this one.",
                "An effect sent the action after the presented state had gone: it has to be cancelled with it.",
                "The action was sent to the store while nothing was presented.",
            ]
        )
    }
}
