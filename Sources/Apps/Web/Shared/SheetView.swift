import LivePages

/// Something above the page that is left by a button with a name, or by Escape.
/// - Parameters:
///   - id: unique on the page; the title is named by it.
///   - closeLabel: what the button says, as "Close" or "Cancel".
func sheet<Action>(
    _ title: String, id: String, closeLabel: String = "Close", close: Action,
    @HTMLBuilder<Action> content: () -> HTML<Action>
) -> HTML<Action> {
    let content = content()
    return dialog(.modal, .class("sheet"), .labelled(by: "\(id)-title")) {
        header(.class("bar")) {
            h2(.id("\(id)-title")) { title }
            button(.type("button"), .class("plain")) {
                icon(.close)
                closeLabel
            }
            .onTap(close)
        }
        content
    }
    .onDismiss(close)
    .key(id)
}
