import Domain
import Features
import LivePages

extension AddContactFeature {
    /// The sheet where the user chooses roles for the owner of a scanned code. Empty while
    /// closed.
    static func view(_ state: State) -> HTML<Action> {
        guard state.isSheetPresented else { return .empty }
        return sheet("Add a contact", id: "add", closeLabel: "Cancel", close: .cancelButtonTapped) {
            errorNotice(state.error, dismiss: .dismissError)
            if state.owner != nil {
                form(.class("stack")) {
                    div(.class("contact-head")) {
                        personPicture(state.displayName, url: nil)
                        p(.class("grow")) { strong { state.displayName } }
                    }
                    fieldset(.class("stack"), .described(by: "add-roles-hint")) {
                        legend { state.question }
                        checkbox(
                            "My responder: is told when I need help", isOn: state.isResponder,
                            isDisabled: state.isAdding
                        ) { .isResponderChanged($0) }
                        checkbox(
                            "I watch over them: I am told when they need help",
                            isOn: state.isDependent,
                            isDisabled: state.isAdding
                        ) { .isDependentChanged($0) }
                        p(.id("add-roles-hint"), .class("hint")) { state.rolesHint }
                    }
                    submitButton(
                        state.addWords, isEnabled: state.canAdd)
                }
                .onSubmit(.addButtonTapped)
                .key("add-form")
            } else if state.isLoading {
                loadingLine("Looking up the code …")
            } else {
                if state.canLookUpAgain { p { "We don’t know whose code this is." } }
                actionButton(
                    "Try another code", .scan, class: "primary wide", .otherCodeButtonTapped)
                if state.canLookUpAgain {
                    actionButton("Look it up again", class: "wide", .retryButtonTapped)
                }
            }
        }
    }
}
