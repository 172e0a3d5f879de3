import LivePages

/// A button that does something on the page and sends no form.
func actionButton<Action>(_ title: String, class name: String = "", _ action: Action) -> HTML<
    Action
> {
    button(.type("button"), .class(name)) { title }.onTap(action)
}

/// The same with a picture before the words.
func actionButton<Action>(
    _ title: String, _ symbol: Icon, class name: String = "", _ action: Action
) -> HTML<Action> {
    button(.type("button"), .class(name)) {
        icon(symbol)
        title
    }
    .onTap(action)
}

/// The button that sends the form around it.
func submitButton<Action>(_ title: String, isEnabled: Bool = true) -> HTML<Action> {
    button(.type("submit"), .class("primary wide")) { title }.disabled(!isEnabled)
}
