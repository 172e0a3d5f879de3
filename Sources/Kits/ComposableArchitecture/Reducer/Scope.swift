/// Runs a child's reducer on a part of the parent's state.
///
/// ```swift
/// var body: some ReducerOf<Self> {
///     Scope(state: \.profile, action: \.profile) { ProfileFeature() }
///     Reduce { state, action in … }
/// }
/// ```
public struct Scope<ParentState, ParentAction, Child: Reducer>: Reducer {
    /// The place of the child's state if the state is a property. Otherwise `enumCase` is set.
    @usableFromInline let property: Place<ParentState, Child.State>?
    @usableFromInline let enumCase: EnumCase?
    @usableFromInline let embed: @Sendable (Child.Action) -> ParentAction
    @usableFromInline let extract: @Sendable (ParentAction) -> Child.Action?
    @usableFromInline let child: Evaluated<Child>

    /// The case of the child's state. A class, because a store keeps a scope for each child, and
    /// nearly all of them are properties.
    @usableFromInline
    final class EnumCase {
        @usableFromInline let path: AnyCasePath<ParentState, Child.State>
        let origin: SourceOrigin

        init(_ path: AnyCasePath<ParentState, Child.State>, origin: SourceOrigin) {
            self.path = path
            self.origin = origin
        }
    }

    /// Creates a scope for a child whose state is a property of the parent's state.
    public init<ChildState, ChildAction>(
        state toChildState: WritableKeyPath<ParentState, ChildState>,
        action toChildAction: CaseKeyPath<ParentAction, ChildAction>,
        @ReducerBuilder<ChildState, ChildAction> child: () -> Child
    ) where ChildState == Child.State, ChildAction == Child.Action {
        property = Place(toChildState)
        enumCase = nil
        let action = AnyCasePath(toChildAction)
        (embed, extract) = (action._embed, action._extract)
        self.child = Evaluated(child())
    }

    /// Creates a scope for a child whose state is a case of the parent's state.
    ///
    /// Reports an issue for a child action while the state is in another case. The child must
    /// therefore run before the parent changes the case.
    /// ``Reducer/ifCaseLet(_:action:then:fileID:filePath:line:column:)`` ensures this order.
    public init<ChildState, ChildAction>(
        state toChildState: CaseKeyPath<ParentState, ChildState>,
        action toChildAction: CaseKeyPath<ParentAction, ChildAction>,
        @ReducerBuilder<ChildState, ChildAction> child: () -> Child,
        fileID: StaticString = #fileID,
        filePath: StaticString = #filePath,
        line: UInt = #line,
        column: UInt = #column
    ) where ChildState == Child.State, ChildAction == Child.Action {
        property = nil
        enumCase = EnumCase(
            AnyCasePath(toChildState),
            origin: SourceOrigin(fileID: fileID, filePath: filePath, line: line, column: column))
        let action = AnyCasePath(toChildAction)
        (embed, extract) = (action._embed, action._extract)
        self.child = Evaluated(child())
    }

    @inlinable
    public func reduce(into state: inout ParentState, action parentAction: ParentAction) -> Effect<
        ParentAction
    > {
        guard let childAction = extract(parentAction) else { return .none }
        let effect =
            if let property {
                property.modify(&state) { child.reduce(into: &$0, action: childAction) }
            } else {
                reduceCase(of: &state, action: childAction, parentAction: parentAction)
            }
        return effect.isNone ? .none : effect.map(embed)
    }

    @inlinable
    func reduceCase(of state: inout ParentState, action: Child.Action, parentAction: ParentAction)
        -> Effect<Child.Action>
    {
        let effect = enumCase?.path.modifyIfPresent(&state) {
            child.reduce(into: &$0, action: action)
        }
        guard let effect else {
            reportAbsence(parentAction)
            return .none
        }
        return effect
    }

    @usableFromInline
    func reportAbsence(_ action: ParentAction) {
        guard let origin = enumCase?.origin else { return }
        reportAbsent(
            "A \"Scope\"", "a child action when child state was set to a different case",
            action: action, origin: origin,
            reasons: [
                """
                A parent reducer set the state to a different case before the scoped reducer ran. \
                Child reducers must run before any parent reducer sets child state to a different \
                case: combine them with "ifCaseLet".
                """,
                "An in-flight effect emitted this action when child state was unavailable.",
                "This action was sent to the store while state was another case.",
            ]
        )
    }
}
