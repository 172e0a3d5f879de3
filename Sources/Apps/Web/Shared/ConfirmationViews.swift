import ComposableArchitecture
import LivePages

/// A modal question with its own buttons. Empty if `alert` is nil. Escape means no.
/// - Parameters:
///   - id: unique on the page. The ids of title and message begin with it.
///   - focusesTitle: false for a question about the user's own alert. Its first button gets the
///     focus, so that one more key answers it.
///   - attribute: an attribute for the button of an action, if it needs one.
func confirmation<Action>(
    _ alert: AlertState<Action>?, id: String, focusesTitle: Bool = true,
    attribute: (Action) -> Attribute? = { _ in nil }
) -> HTML<PresentationAction<Action>> {
    guard let alert else { return .empty }
    return question(
        title: alert.title, message: alert.message, buttons: alert.buttons, id: id,
        focusesTitle: focusesTitle, attribute: attribute)
}

/// A modal choice between several actions. Empty if `dialog` is nil. Escape means no.
func confirmation<Action>(_ dialog: ConfirmationDialogState<Action>?, id: String) -> HTML<
    PresentationAction<Action>
> {
    guard let dialog else { return .empty }
    return question(
        title: dialog.title, message: dialog.message, buttons: dialog.buttons, id: id,
        focusesTitle: true
    ) { _ in nil }
}

private func question<Action>(
    title: TextState, message: TextState?, buttons: [ButtonState<Action>], id: String,
    focusesTitle: Bool, attribute: (Action) -> Attribute?
) -> HTML<PresentationAction<Action>> {
    // Adds a cancel button to a question that has none.
    let hasWayBack = buttons.contains { $0.role == .cancel || $0.action.action == nil }
    return dialog(
        .modal, .class("question"), .role("alertdialog"), .labelled(by: "\(id)-title"),
        .described(by: "\(id)-message")
    ) {
        alarms()
        if focusesTitle {
            questionTitle(String(state: title), id: id)
        } else {
            h2(.id("\(id)-title")) { String(state: title) }
        }
        p(.id("\(id)-message")) { message.map { String(state: $0) } ?? "" }
        div(.class("stack")) {
            for choice in buttons.filter({ $0.role != .cancel })
                + buttons.filter({ $0.role == .cancel })
            {
                button(.type("button"), .class("wide", choice.role == .destructive ? "danger" : ""))
                { String(state: choice.label) }
                .attribute(choice.action.action.map(attribute) ?? Attribute.closesDialog)
                .onTap(choice.action.action.map { .presented($0) } ?? .dismiss)
            }
            if !hasWayBack {
                button(.type("button"), .class("wide"), .closesDialog) { "Cancel" }.onTap(.dismiss)
            }
        }
    }
    .onDismiss(.dismiss)
    .key(id)
}

/// The title of a question. It takes the focus, because the first button may do what it asks, and
/// a second Enter would press it.
func questionTitle<Action>(_ text: String, id: String) -> HTML<Action> {
    h2(.id("\(id)-title"), .plain(.tabindex, "-1"), .focusWhenShown) { text }
}
