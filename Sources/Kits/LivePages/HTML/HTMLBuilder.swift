@resultBuilder
public enum HTMLBuilder<Action> {
    public static func buildExpression(_ html: HTML<Action>) -> HTMLNode { html.node }

    /// Creates text that the renderer escapes, like a literal.
    public static func buildExpression(_ text: String) -> HTMLNode { .text(text) }

    public static func buildExpression(_ text: some StringProtocol) -> HTMLNode {
        .text(String(text))
    }

    public static func buildExpression(_ html: HTML<Action>?) -> HTMLNode { html?.node ?? .empty }

    public static func buildBlock() -> HTMLNode { .empty }

    public static func buildBlock(_ part: HTMLNode) -> HTMLNode { part }

    public static func buildBlock(_ parts: HTMLNode...) -> HTMLNode { .fragment(parts) }

    public static func buildOptional(_ part: HTMLNode?) -> HTMLNode { part ?? .empty }

    public static func buildEither(first: HTMLNode) -> HTMLNode { first }

    public static func buildEither(second: HTMLNode) -> HTMLNode { second }

    public static func buildArray(_ parts: [HTMLNode]) -> HTMLNode { .fragment(parts) }

    public static func buildFinalResult(_ node: HTMLNode) -> HTML<Action> { HTML(node) }
}

/// Combines several fragments without an element around them.
public func group<Action>(@HTMLBuilder<Action> _ content: () -> HTML<Action>) -> HTML<Action> {
    content()
}
