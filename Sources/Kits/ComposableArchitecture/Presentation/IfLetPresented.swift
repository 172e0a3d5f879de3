extension Reducer {
    /// Runs the reducer of a presented child.
    ///
    /// ```swift
    /// .ifLet(\.$addItem, action: \.addItem) { ItemForm() }
    /// ```
    ///
    /// The child runs before the parent. `PresentationAction.dismiss` dismisses the child after the
    /// parent has processed the action. The child can call `@Dependency(\.dismiss)` instead.
    /// Dismissing or replacing the child cancels its effects.
    public func ifLet<
        DestinationState, DestinationAction,
        Destination: Reducer<DestinationState, DestinationAction>
    >(
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
            place: Place(toPresentationState),
            toAction: AnyCasePath(toPresentationAction),
            origin: SourceOrigin(fileID: fileID, filePath: filePath, line: line, column: column)
        )
    }

    /// Shows an alert or a dialog. Any action of its buttons dismisses it.
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
            place: Place(toPresentationState),
            toAction: AnyCasePath(toPresentationAction),
            origin: SourceOrigin(fileID: fileID, filePath: filePath, line: line, column: column)
        )
    }
}

public struct _PresentationReducer<Parent: Reducer, Destination: Reducer>: Reducer {
    @usableFromInline let parent: Parent
    @usableFromInline let destination: Evaluated<Destination>
    @usableFromInline let place: Place<Parent.State, PresentationState<Destination.State>>
    @usableFromInline let toAction:
        AnyCasePath<Parent.Action, PresentationAction<Destination.Action>>
    @usableFromInline let dependencies = DerivedDependencies.ofPresented
    private let origin: SourceOrigin
    @usableFromInline let childIdentity = ChildIdentity<Destination.State>()
    @usableFromInline let ephemerality = Ephemerality<Destination.State>()

    init(
        parent: Parent,
        destination: Evaluated<Destination>,
        place: Place<Parent.State, PresentationState<Destination.State>>,
        toAction: AnyCasePath<Parent.Action, PresentationAction<Destination.Action>>,
        origin: SourceOrigin
    ) {
        self.parent = parent
        self.destination = destination
        self.place = place
        self.toAction = toAction
        self.origin = origin
    }

    @inlinable
    public func reduce(into state: inout Parent.State, action: Parent.Action) -> Effect<
        Parent.Action
    > {
        let (before, presented) = place.read(&state) {
            ($0.read(childIdentity.of), $0.presented?.id)
        }
        var effect: Effect<Parent.Action>
        switch toAction.extract(from: action) {
        case .presented(let destinationAction):
            let isEphemeral = place.read(&state) { $0.read(ephemerality.includes) ?? false }
            let destinationEffect = reduceDestination(
                into: &state, action: destinationAction, id: before, parentAction: action)
            effect = destinationEffect.merge(with: parent.reduce(into: &state, action: action))
            if isEphemeral, before == identity(in: &state) { dismiss(&state) }
        case .dismiss:
            if before == nil { reportAbsent("a presentation action", action: action) }
            effect = parent.reduce(into: &state, action: action)
            if before != nil, before == identity(in: &state) { dismiss(&state) }
        case nil:
            effect = parent.reduce(into: &state, action: action)
        }
        let after = identity(in: &state)
        if let before, before != after { effect = effect.merge(with: cancellation(of: before)) }
        // Cancels the effects of a child that code outside this reducer has removed or replaced.
        if let presented, presented != before, presented != after {
            effect = effect.merge(with: cancellation(of: presented))
        }
        if presented != after { remember(after, insteadOf: presented, in: &state) }
        return effect
    }

    @inlinable
    func identity(in state: inout Parent.State) -> AnyHashable? {
        place.read(&state) { $0.read(childIdentity.of) }
    }

    @usableFromInline
    func dismiss(_ state: inout Parent.State) {
        state[keyPath: place.keyPath].wrappedValue = nil
    }

    @usableFromInline
    func cancellation(of id: AnyHashable) -> Effect<Parent.Action> {
        Effect(.cancelScope(EffectScope.Element(property: place.keyPath, id: id)))
    }

    /// Stores the presented child's identity in the state. Skips ephemeral children, because they
    /// don't have effects to cancel.
    @usableFromInline
    func remember(_ id: AnyHashable?, insteadOf former: AnyHashable?, in state: inout Parent.State)
    {
        let isEphemeral = place.read(&state) { $0.read(ephemerality.includes) ?? false }
        let presented = isEphemeral ? nil : id.map(PresentedIdentity.init)
        if presented != nil || former != nil { place.modify(&state) { $0.presented = presented } }
    }

    @inlinable
    func reduceDestination(
        into state: inout Parent.State, action: Destination.Action, id: AnyHashable?,
        parentAction: Parent.Action
    ) -> Effect<Parent.Action> {
        guard id != nil else {
            reportAbsent("a presentation action", action: parentAction)
            return .none
        }
        let effect = dependencies.with {
            place.modify(&state) {
                $0.modifyIfPresent { destination.reduce(into: &$0, action: action) }
            }
        }
        guard let effect, !effect.isNone else { return .none }
        return embed(effect, id: id)
    }

    @usableFromInline
    func embed(_ effect: Effect<Destination.Action>, id: AnyHashable?) -> Effect<Parent.Action> {
        let path = toAction
        let presented =
            effect
            .map { path.embed(.presented($0)) }
            .dismissing { send in
                DismissEffect.Dismissal { await send.forward(path.embed(.dismiss)) }
            }
        return Effect(.scoped(presented, to: EffectScope.Element(property: place.keyPath, id: id)))
    }

    @usableFromInline
    func reportAbsent(_ what: String, action: Parent.Action) {
        ComposableArchitecture.reportAbsent(
            "An \"ifLet\"", "\(what) while nothing is presented", action: action, origin: origin,
            reasons: [
                """
                Another reducer set the presented state to "nil" before this one ran: it has to \
                run after this one.
                """,
                """
                An effect sent the action after the presented state had gone: it has to be \
                cancelled with it.
                """,
                "The action was sent to the store while nothing was presented.",
            ]
        )
    }
}
