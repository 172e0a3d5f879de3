import Domain
import Features

extension AddContactFeature {
    /// The owner of a scanned code and the roles to choose. Empty while the sheet is closed.
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
                        legend { "What is \(state.displayName) to you?" }
                        checkbox(
                            "My responder: is told when I need help", isOn: state.isResponder,
                            isDisabled: state.isAdding
                        ) { .isResponderChanged($0) }
                        checkbox(
                            "My dependent: I am told when they need help", isOn: state.isDependent,
                            isDisabled: state.isAdding
                        ) { .isDependentChanged($0) }
                        p(.id("add-roles-hint"), .class("hint")) {
                            """
                            At least one. \(state.displayName) is told of it, and accepts before \
                            being your responder.
                            """
                        }
                    }
                    submitButton(
                        state.isAdding ? "Adding …" : "Add \(state.displayName)",
                        isEnabled: state.canAdd)
                }
                .onSubmit(.addButtonTapped)
                .key("add-form")
            } else if state.isLoading {
                loadingLine("Asking whose code this is …")
            } else {
                p { "It is not known whose code this is." }
                actionButton("Ask again", class: "wide", .retryButtonTapped)
            }
        }
    }
}
