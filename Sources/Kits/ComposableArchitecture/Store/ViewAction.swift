/// An action type with a case `view` for the actions that a view may send.
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
