import LivePages

/// A dialog above the page. A named button or Escape closes it.
/// - Parameters:
///   - id: unique on the page. The title's id begins with it.
///   - closeLabel: the title of the close button, such as "Close" or "Cancel".
func sheet<Action>(
    _ title: String, id: String, closeLabel: String = "Close", close: Action,
    @HTMLBuilder<Action> content: () -> HTML<Action>
) -> HTML<Action> {
    let content = content()
    return dialog(.modal, .class("sheet"), .labelled(by: "\(id)-title")) {
        alarms()
        header(.class("bar")) {
            h2(.id("\(id)-title")) { title }
            button(.type("button"), .class("plain"), .closesDialog) {
                icon(.close)
                closeLabel
            }
            .onTap(close)
        }
        content
        // The script fills it with a copy of the alert button.
        div(.class("sheet-alert")) { "" }.key("sheet-alert")
    }
    .onDismiss(close)
    .key(id)
}

/// The place in a modal dialog for the alarms that begin while the dialog hides the rest of the
/// page. The script fills it, so the server must never change it.
func alarms<Action>() -> HTML<Action> {
    announcement(.assertive, .class("alarms"), .aria("atomic", "false")) { "" }.key("alarms")
}

extension Attribute {
    /// Marks the text of an alarm. An open dialog repeats it.
    /// - Parameter id: stays the same for as long as the alarm does, even if its words change.
    static func alarm(_ id: String) -> Attribute { .data("alarm", id) }

    /// Marks the button of an alarm's card that an open dialog repeats. The button must only open
    /// something, because the dialog hides the card.
    static let showsAlert = Attribute.data("shows")
}
