/// Turns a child's actions into actions of the page, by the `map` functions of its parents. Runs
/// only when an action is sent.
final class Embedding {
    private let embed: (Any) -> Any?
    private let outer: Embedding?

    init(_ embed: @escaping (Any) -> Any?, in outer: Embedding?) {
        self.embed = embed
        self.outer = outer
    }

    fileprivate func callAsFunction(_ action: Any) -> Any? {
        guard let embedded = embed(action) else { return nil }
        guard let outer else { return embedded }
        return outer(embedded)
    }
}

/// A child's action, and the embedding that turns it into the page's action.
struct BoundAction {
    var action: Any
    var embedding: Embedding?

    func sent<Action>(as type: Action.Type = Action.self) -> Action? {
        guard let embedding else { return action as? Action }
        return embedding(action) as? Action
    }
}

/// A child's handler, and the embedding that turns its actions into the page's actions.
struct BoundHandler {
    var handler: Handler
    var embedding: Embedding?

    /// Returns the page's action for a value, or nil if the handler refuses the value.
    func action<Action>(for value: EventValue, as type: Action.Type = Action.self) -> Action? {
        handler.action(for: value).flatMap {
            BoundAction(action: $0, embedding: embedding).sent()
        }
    }
}
