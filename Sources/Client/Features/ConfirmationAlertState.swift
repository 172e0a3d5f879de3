import ComposableArchitecture

/// A question before an action. The seeds use this name for the library's type (Docs/features.md).
public typealias ConfirmationAlertState<Action> = AlertState<Action>
