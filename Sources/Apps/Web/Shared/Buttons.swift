import LivePages

/// A button that acts on the page and doesn't submit a form.
func actionButton<Action>(_ title: String, class name: String = "", _ action: Action) -> HTML<
    Action
> {
    button(.type("button"), .class(name)) { title }.onTap(action)
}

func actionButton<Action>(
    _ title: String, _ symbol: Icon, class name: String = "", _ action: Action
) -> HTML<Action> {
    button(.type("button"), .class(name)) {
        icon(symbol)
        title
    }
    .onTap(action)
}

func submitButton<Action>(_ title: String, isEnabled: Bool = true) -> HTML<Action> {
    button(.type("submit"), .class("primary wide")) { title }.disabled(!isEnabled)
}
