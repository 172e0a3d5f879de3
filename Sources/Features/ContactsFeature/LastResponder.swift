import ComposableArchitecture
import Domain

/// Tells the open sheet who would be left, so that it can warn before the last responder goes.
struct LastResponder<State: ContactTabState, Action>: Reducer {
    func reduce(into state: inout State, action: Action) -> Effect<Action> {
        guard state.contactDetails.isSheetPresented, let shown = state.contactDetails.contact
        else { return .none }
        state.contactDetails.protectionWithout = .without(shown, among: state.contacts.contacts)
        return .none
    }
}
