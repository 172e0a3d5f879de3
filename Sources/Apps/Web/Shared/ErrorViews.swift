import Domain
import Features
import LivePages

/// An error in words: what happened, what to do next, and a button that dismisses it. Empty if
/// `error` is nil.
///
/// The container stays on the page, so that a screen reader reads a new error out.
/// - Parameter isFocused: true to focus a new error, which scrolls it into view.
func errorNotice<Action>(
    _ error: UserFacingError?, dismiss: Action, isFocused: Bool = false
) -> HTML<Action> {
    announcement(.assertive, .class("notice")) {
        if let error {
            div(.class("card critical error-card")) {
                p(.class("row")) {
                    icon(.alert)
                    strong { error.title }
                }
                p { error.message }
                if !error.recoverySuggestion.isEmpty { p { error.recoverySuggestion } }
                button(.type("button"), .class("danger")) { "Dismiss" }.onTap(dismiss)
            }
            .attribute(isFocused ? .plain(.tabindex, "-1") : nil)
            .attribute(isFocused ? .focusWhenShown : nil)
        }
    }
}

func errorNotice<Action>(_ error: String?, title: String = "That did not work", dismiss: Action)
    -> HTML<Action>
{
    errorNotice(
        error.map { UserFacingError(title: title, message: $0, recoverySuggestion: "", code: "") },
        dismiss: dismiss)
}
