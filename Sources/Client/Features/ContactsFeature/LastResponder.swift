import ComposableArchitecture
import Domain

/// Computes the protection without this contact, before the sheet asks whether to remove them.
///
/// Runs before the sheet's own reducer, whose question needs the result.
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
