/// An action of a feature with a view that sends only the actions in one of its cases.
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
