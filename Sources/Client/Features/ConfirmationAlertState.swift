import ComposableArchitecture

/// A question that has to be answered before something is done. The seeds' name for the
/// presentation type of the library.
public typealias ConfirmationAlertState<Action> = AlertState<Action>
