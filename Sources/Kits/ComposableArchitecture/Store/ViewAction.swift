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
