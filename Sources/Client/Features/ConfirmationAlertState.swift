import ComposableArchitecture

/// A question that the person answers before something happens. The library's type has this name in
/// the seeds (Docs/features.md).
public typealias ConfirmationAlertState<Action> = AlertState<Action>
