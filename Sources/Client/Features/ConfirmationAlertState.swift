import ComposableArchitecture

/// A question that the person answers before something happens. The seeds use this name for the
/// library's type.
public typealias ConfirmationAlertState<Action> = AlertState<Action>
