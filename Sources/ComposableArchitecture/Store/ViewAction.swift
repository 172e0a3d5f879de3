/// An action of a feature whose view sends only the actions in one case of it.
///
/// ```swift
/// enum Action: ViewAction {
///     case view(View)
///     case response(Response)
///     enum View { case refreshButtonTapped }
/// }
/// ```
public protocol ViewAction<ViewAction> {
    associatedtype ViewAction

    static func view(_ action: ViewAction) -> Self
}

/// A view that sends the view actions of its store by `send(_:)`: see `@ViewAction`.
public protocol ViewActionSending<StoreState, StoreAction> {
    associatedtype StoreState
    associatedtype StoreAction: ViewAction

    var store: Store<StoreState, StoreAction> { get }
}

extension ViewActionSending {
    /// Sends a view action to the store.
    @discardableResult
    public func send(_ action: StoreAction.ViewAction, isolation: isolated (any Actor)? = #isolation) -> StoreTask {
        store.send(.view(action))
    }
}
