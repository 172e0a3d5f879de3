extension Store {
    /// Returns a store of a child's state and actions.
    ///
    /// ```swift
    /// ChildView(store: store.scope(state: \.child, action: \.child))
    /// ```
    public func scope<ChildState, ChildAction>(
        state: KeyPath<State, ChildState>,
        action: CaseKeyPath<Action, ChildAction>
    ) -> Store<ChildState, ChildAction> {
        let path = AnyCasePath(action)
        func open<Node: StoreNode<State, Action>>(_ node: Node) -> Store<ChildState, ChildAction> {
            Store<ChildState, ChildAction>(
                node: WholeNode(
                    node, property: [state, action] as [AnyKeyPath], state: { $0[keyPath: state] },
                    action: { path.embed($0) })
            )
        }
        return open(node)
    }

    /// Returns a store of an optional child, or nil without a child.
    ///
    /// After the removal of the child, the store keeps its last state.
    public func scope<ChildState, ChildAction>(
        state: KeyPath<State, ChildState?>,
        action: CaseKeyPath<Action, ChildAction>
    ) -> Store<ChildState, ChildAction>? {
        let path = AnyCasePath(action)
        return scope(
            property: [state, action] as [AnyKeyPath], state: { $0[keyPath: state] },
            action: { path.embed($0) })
    }

    /// Returns a store of a presented child, or nil without a presented child.
    public func scope<ChildState, ChildAction>(
        state: KeyPath<State, ChildState?>,
        action: CaseKeyPath<Action, PresentationAction<ChildAction>>
    ) -> Store<ChildState, ChildAction>? {
        let path = AnyCasePath(action)
        return scope(
            property: [state, action] as [AnyKeyPath], state: { $0[keyPath: state] },
            action: { path.embed(.presented($0)) })
    }

    /// Returns a store for each element of a list.
    ///
    /// ```swift
    /// ForEach(store.scope(state: \.rows, action: \.rows)) { RowView(store: $0) }
    /// ```
    public func scope<ElementID, ElementState, ElementAction>(
        state: KeyPath<State, IdentifiedArray<ElementID, ElementState>>,
        action: CaseKeyPath<Action, IdentifiedAction<ElementID, ElementAction>>
    ) -> some RandomAccessCollection<Store<ElementState, ElementAction>> {
        let path = AnyCasePath(action)
        let elements = node.state[keyPath: state]
        return elements.ids.compactMap { id in
            scope(
                property: [state, action, id] as [AnyHashable],
                state: { $0[keyPath: state][id: id] },
                action: { path.embed(.element(id: id, action: $0)) }
            )
        }
    }

    private func scope<ChildState, ChildAction>(
        property: AnyHashable,
        state: @escaping (State) -> ChildState?,
        action: @escaping (ChildAction) -> Action
    ) -> Store<ChildState, ChildAction>? {
        func open<Node: StoreNode<State, Action>>(_ node: Node) -> Store<ChildState, ChildAction>? {
            PartNode(node, property: property, state: state, action: action).map {
                Store<ChildState, ChildAction>(node: $0)
            }
        }
        return open(node)
    }
}
