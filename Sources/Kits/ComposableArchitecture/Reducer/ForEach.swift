extension Reducer {
    /// Runs a reducer on the list element that an action belongs to.
    ///
    /// ```swift
    /// .forEach(\.rows, action: \.rows) { Row() }
    /// ```
    ///
    /// The element's reducer runs before the parent. Removing an element cancels its effects.
    public func forEach<
        ElementState, ElementAction, ID: Hashable & Sendable,
        Element: Reducer<ElementState, ElementAction>
    >(
        _ toElementsState: WritableKeyPath<State, IdentifiedArray<ID, ElementState>>,
        action toElementAction: CaseKeyPath<Action, IdentifiedAction<ID, ElementAction>>,
        @ReducerBuilder<ElementState, ElementAction> element: () -> Element,
        fileID: StaticString = #fileID,
        filePath: StaticString = #filePath,
        line: UInt = #line,
        column: UInt = #column
    ) -> some Reducer<State, Action> {
        _ForEachReducer(
            parent: self,
            element: Evaluated(element()),
            elements: Place(toElementsState),
            toAction: AnyCasePath(toElementAction),
            origin: SourceOrigin(fileID: fileID, filePath: filePath, line: line, column: column)
        )
    }
}

public struct _ForEachReducer<Parent: Reducer, ID: Hashable & Sendable, Element: Reducer>: Reducer {
    let parent: Parent
    let element: Evaluated<Element>
    let elements: Place<Parent.State, IdentifiedArray<ID, Element.State>>
    let toAction: AnyCasePath<Parent.Action, IdentifiedAction<ID, Element.Action>>
    let origin: SourceOrigin

    public func reduce(into state: inout Parent.State, action: Parent.Action) -> Effect<
        Parent.Action
    > {
        let elementEffect = reduceElement(into: &state, action: action)
        let before = elements.read(&state, \.ids)
        let effect = elementEffect.merge(with: parent.reduce(into: &state, action: action))
        let after = elements.read(&state, \.ids)
        guard before != after else { return effect }
        let cancellations = before.subtracting(after).map {
            Effect<Parent.Action>(.cancelScope(scope(of: $0)))
        }
        return .merge([effect] + cancellations)
    }

    private func scope(of id: ID) -> EffectScope.Element {
        EffectScope.Element(property: elements.keyPath, id: AnyHashable(id))
    }

    private func reduceElement(into state: inout Parent.State, action: Parent.Action) -> Effect<
        Parent.Action
    > {
        guard case .element(let id, let elementAction)? = toAction.extract(from: action) else {
            return .none
        }
        let path = toAction
        let effect = elements.modify(&state) {
            $0[id: id].modifyIfPresent { element.reduce(into: &$0, action: elementAction) }
        }
        guard let effect else {
            reportAbsent(
                "A \"forEach\"", "an action for a missing element", action: action, origin: origin,
                reasons: [
                    """
                    A parent reducer removed an element with this ID before this reducer ran. This \
                    reducer must run before any other reducer removes an element, which ensures \
                    that element reducers can handle their actions while their state is still \
                    available.
                    """,
                    """
                    An in-flight effect emitted this action when state contained no element at \
                    this ID. While it may be perfectly reasonable to ignore this action, consider \
                    canceling the associated effect before an element is removed, especially if it \
                    is a long-living effect.
                    """,
                    """
                    This action was sent to the store while its state contained no element at this \
                    ID.
                    """,
                ]
            )
            return .none
        }
        if effect.isNone { return .none }
        return Effect(
            .scoped(effect.map { path.embed(.element(id: id, action: $0)) }, to: scope(of: id)))
    }
}
