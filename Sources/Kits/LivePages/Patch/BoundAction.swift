/// How the actions of a child's piece become those of the page: the way through all parents,
/// which is taken only when an action is sent.
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

/// A child's action, and how it becomes one of the page.
struct BoundAction {
    var action: Any
    var embedding: Embedding?

    /// The action of the page.
    func sent<Action>(as type: Action.Type = Action.self) -> Action? {
        guard let embedding else { return action as? Action }
        return embedding(action) as? Action
    }
}

/// A child's handler, and how its actions become those of the page.
struct BoundHandler {
    var handler: Handler
    var embedding: Embedding?

    /// The action of the page for a value; nil when the handler does not take it.
    func action<Action>(for value: EventValue, as type: Action.Type = Action.self) -> Action? {
        handler.action(for: value).flatMap {
            BoundAction(action: $0, embedding: embedding).sent()
        }
    }
}
