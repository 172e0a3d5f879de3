import ComposableArchitecture
import Domain

/// Tells the sheet which protection would be left, before it asks whether to remove someone.
///
/// Runs before the sheet's own reducer, which needs the result for its question.
struct LastResponder<State: ContactTabState, Action>: Reducer {
    let sheetAction: @Sendable (Action) -> ContactDetailsSheetViewFeature.Action?

    func reduce(into state: inout State, action: Action) -> Effect<Action> {
        guard let action = sheetAction(action),
            [.removeButtonTapped, .blockButtonTapped, .responderToggleTapped].contains(action),
            let shown = state.contactDetails.contact
        else { return .none }
        state.contactDetails.protectionWithout = .without(shown, among: state.contacts.contacts)
        return .none
    }
}
